#include "CBaseline.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(baseline_result *result, sqlite3 *db, const char *what) {
    if (result->error[0] == 0) {
        snprintf(result->error, sizeof(result->error), "%s: %s", what, db ? sqlite3_errmsg(db) : "no connection");
    }
}

static int run(baseline_result *result, sqlite3 *db, const char *sql) {
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        fail(result, db, sql);
        return 0;
    }
    return 1;
}

static sqlite3_stmt *prepare(baseline_result *result, sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK) {
        fail(result, db, sql);
    }
    return statement;
}

// The pragmas of a connection; those of the file (page size, WAL) are in the template already.
static sqlite3 *open_store(baseline_result *result, const char *path, int64_t cache_size) {
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &db, flags, NULL) != SQLITE_OK) {
        fail(result, db, "open");
        sqlite3_close(db);
        return NULL;
    }
    run(result, db, "PRAGMA synchronous=NORMAL");
    // The library copies the -wal in the background, after the work; so nobody's work includes it.
    run(result, db, "PRAGMA wal_autocheckpoint=0");
    if (cache_size != 0) {
        char sql[64];
        snprintf(sql, sizeof(sql), "PRAGMA cache_size=%lld", (long long)cache_size);
        run(result, db, sql);
    }
    // The schema is read once here, as a program that has opened its store has done.
    run(result, db, "SELECT count(*) FROM sqlite_master");
    return db;
}

// MARK: - W1

typedef struct {
    int64_t key;
    char *name;
    double joined;
    int active;
} author_object;

typedef struct {
    int64_t key;
    char *title;
    char *isbn;
    char *note;
    int64_t pages;
    double price;
    double published;
    float rating;
    author_object *author;
} book_object;

static char *copy_string(const char *text) {
    return text ? strdup(text) : NULL;
}

// Takes `count` primary keys of an entity, as Core Data does: Z_MAX is read and written in the saving transaction.
static int64_t reserve_keys(baseline_result *result, sqlite3 *db, const char *entity, int64_t count) {
    sqlite3_stmt *read = prepare(result, db, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME=?");
    sqlite3_stmt *write = prepare(result, db, "UPDATE Z_PRIMARYKEY SET Z_MAX=? WHERE Z_NAME=?");
    int64_t first = 0;
    sqlite3_bind_text(read, 1, entity, -1, SQLITE_STATIC);
    if (sqlite3_step(read) == SQLITE_ROW) {
        first = sqlite3_column_int64(read, 0) + 1;
    } else {
        fail(result, db, "Z_PRIMARYKEY");
    }
    sqlite3_bind_int64(write, 1, first + count - 1);
    sqlite3_bind_text(write, 2, entity, -1, SQLITE_STATIC);
    if (sqlite3_step(write) != SQLITE_DONE) {
        fail(result, db, "Z_PRIMARYKEY");
    }
    sqlite3_finalize(read);
    sqlite3_finalize(write);
    return first;
}

static int entity_number(baseline_result *result, sqlite3 *db, const char *entity) {
    sqlite3_stmt *read = prepare(result, db, "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME=?");
    int number = 0;
    sqlite3_bind_text(read, 1, entity, -1, SQLITE_STATIC);
    if (sqlite3_step(read) == SQLITE_ROW) {
        number = sqlite3_column_int(read, 0);
    } else {
        fail(result, db, "Z_PRIMARYKEY");
    }
    sqlite3_finalize(read);
    return number;
}

static const char insert_author_sql[] =
    "INSERT INTO ZAUTHOR(Z_PK,Z_ENT,Z_OPT,ZACTIVE,ZJOINED,ZNAME) VALUES(?,?,1,?,?,?)";
static const char insert_book_sql[] =
    "INSERT INTO ZBOOK(Z_PK,Z_ENT,Z_OPT,ZPAGES,ZAUTHOR,ZPRICE,ZPUBLISHED,ZRATING,ZISBN,ZNOTE,ZTITLE) "
    "VALUES(?,?,1,?,?,?,?,?,?,?,?)";

static void write_author(baseline_result *result, sqlite3 *db, sqlite3_stmt *insert, int entity, int64_t key,
                         const char *name, double joined, int active) {
    sqlite3_bind_int64(insert, 1, key);
    sqlite3_bind_int(insert, 2, entity);
    sqlite3_bind_int(insert, 3, active);
    sqlite3_bind_double(insert, 4, joined);
    sqlite3_bind_text(insert, 5, name, -1, SQLITE_STATIC);
    if (sqlite3_step(insert) != SQLITE_DONE) {
        fail(result, db, "INSERT INTO ZAUTHOR");
    }
    sqlite3_reset(insert);
}

static void write_book(baseline_result *result, sqlite3 *db, sqlite3_stmt *insert, int entity, int64_t key,
                       int64_t pages, int64_t author, double price, double published, float rating,
                       const char *isbn, const char *note, const char *title) {
    sqlite3_bind_int64(insert, 1, key);
    sqlite3_bind_int(insert, 2, entity);
    sqlite3_bind_int64(insert, 3, pages);
    sqlite3_bind_int64(insert, 4, author);
    sqlite3_bind_double(insert, 5, price);
    sqlite3_bind_double(insert, 6, published);
    sqlite3_bind_double(insert, 7, (double)rating);
    sqlite3_bind_text(insert, 8, isbn, -1, SQLITE_STATIC);
    if (note) {
        sqlite3_bind_text(insert, 9, note, -1, SQLITE_STATIC);
    } else {
        sqlite3_bind_null(insert, 9);
    }
    sqlite3_bind_text(insert, 10, title, -1, SQLITE_STATIC);
    if (sqlite3_step(insert) != SQLITE_DONE) {
        fail(result, db, "INSERT INTO ZBOOK");
    }
    sqlite3_reset(insert);
}

baseline_result baseline_insert(const char *path, int64_t cache_size, const baseline_data *data) {
    baseline_result result = {0};
    sqlite3 *db = open_store(&result, path, cache_size);
    if (!db) {
        return result;
    }
    double start = now();
    double cpu_start = baseline_cpu_seconds();
    author_object **authors = malloc(sizeof(*authors) * (size_t)data->author_count);
    for (int32_t index = 0; index < data->author_count; index++) {
        const baseline_author *source = &data->authors[index];
        author_object *author = malloc(sizeof(*author));
        author->name = copy_string(source->name);
        author->joined = source->joined;
        author->active = source->active;
        authors[index] = author;
    }
    book_object **books = malloc(sizeof(*books) * (size_t)data->book_count);
    for (int32_t index = 0; index < data->book_count; index++) {
        const baseline_book *source = &data->books[index];
        book_object *book = malloc(sizeof(*book));
        book->title = copy_string(source->title);
        book->isbn = copy_string(source->isbn);
        book->note = copy_string(source->note);
        book->pages = source->pages;
        book->price = source->price;
        book->published = source->published;
        book->rating = source->rating;
        book->author = authors[source->author];
        books[index] = book;
    }

    run(&result, db, "BEGIN IMMEDIATE");
    int author_entity = entity_number(&result, db, "Author");
    int book_entity = entity_number(&result, db, "Book");
    int64_t key = reserve_keys(&result, db, "Author", data->author_count);
    sqlite3_stmt *insert = prepare(&result, db, insert_author_sql);
    for (int32_t index = 0; index < data->author_count; index++, key++) {
        author_object *author = authors[index];
        author->key = key;
        write_author(&result, db, insert, author_entity, key, author->name, author->joined, author->active);
    }
    sqlite3_finalize(insert);
    key = reserve_keys(&result, db, "Book", data->book_count);
    insert = prepare(&result, db, insert_book_sql);
    for (int32_t index = 0; index < data->book_count; index++, key++) {
        book_object *book = books[index];
        book->key = key;
        write_book(&result, db, insert, book_entity, key, book->pages, book->author->key, book->price,
                   book->published, book->rating, book->isbn, book->note, book->title);
    }
    sqlite3_finalize(insert);
    run(&result, db, "COMMIT");
    result.seconds = now() - start;
    result.cpu_seconds = baseline_cpu_seconds() - cpu_start;
    result.count = data->author_count + data->book_count;
    sqlite3_close(db);
    return result;
}

baseline_result baseline_fill(const char *path, const baseline_data *data) {
    baseline_result result = {0};
    sqlite3 *db = open_store(&result, path, -64000);
    if (!db) {
        return result;
    }
    run(&result, db, "BEGIN IMMEDIATE");
    int author_entity = entity_number(&result, db, "Author");
    int book_entity = entity_number(&result, db, "Book");
    int64_t first_author = reserve_keys(&result, db, "Author", data->author_count);
    int64_t first_book = reserve_keys(&result, db, "Book", data->book_count);
    sqlite3_stmt *insert_author = prepare(&result, db, insert_author_sql);
    sqlite3_stmt *insert_book = prepare(&result, db, insert_book_sql);
    for (int32_t index = 0; index < data->author_count; index++) {
        const baseline_author *author = &data->authors[index];
        write_author(&result, db, insert_author, author_entity, first_author + index, author->name, author->joined,
                     author->active);
    }
    for (int32_t index = 0; index < data->book_count; index++) {
        const baseline_book *book = &data->books[index];
        write_book(&result, db, insert_book, book_entity, first_book + index, book->pages,
                   first_author + book->author, book->price, book->published, book->rating, book->isbn, book->note,
                   book->title);
        if (index % 10000 == 9999) {
            run(&result, db, "COMMIT");
            run(&result, db, "BEGIN IMMEDIATE");
        }
    }
    sqlite3_finalize(insert_author);
    sqlite3_finalize(insert_book);
    run(&result, db, "COMMIT");
    run(&result, db, "PRAGMA wal_checkpoint(TRUNCATE)");
    result.count = data->author_count + data->book_count;
    sqlite3_close(db);
    return result;
}

// MARK: - R1, R3

#define BOOK_COLUMNS "Z_PK,ZTITLE,ZISBN,ZPAGES,ZPRICE,ZPUBLISHED,ZRATING,ZNOTE,ZAUTHOR"

typedef struct {
    int64_t key;
    char *title;
    char *isbn;
    char *note;
    int64_t pages;
    double price;
    double published;
    float rating;
    int64_t author;
} fetched_book;

static char *column_string(sqlite3_stmt *statement, int column) {
    return copy_string((const char *)sqlite3_column_text(statement, column));
}

static fetched_book *book_from_row(sqlite3_stmt *statement) {
    fetched_book *book = malloc(sizeof(*book));
    book->key = sqlite3_column_int64(statement, 0);
    book->title = column_string(statement, 1);
    book->isbn = column_string(statement, 2);
    book->pages = sqlite3_column_int64(statement, 3);
    book->price = sqlite3_column_double(statement, 4);
    book->published = sqlite3_column_double(statement, 5);
    book->rating = (float)sqlite3_column_double(statement, 6);
    book->note = column_string(statement, 7);
    book->author = sqlite3_column_int64(statement, 8);
    return book;
}

static double read_fields(const fetched_book *book) {
    double sum = (double)book->pages + book->price + book->published + (double)book->rating;
    sum += (double)strlen(book->title) + (double)strlen(book->isbn);
    sum += book->note ? (double)strlen(book->note) : 0;
    sum += book->author ? 1 : 0;
    return sum;
}

baseline_result baseline_read_all(const char *path, int64_t cache_size) {
    baseline_result result = {0};
    sqlite3 *db = open_store(&result, path, cache_size);
    if (!db) {
        return result;
    }
    double start = now();
    double cpu_start = baseline_cpu_seconds();
    sqlite3_stmt *select = prepare(&result, db, "SELECT " BOOK_COLUMNS " FROM ZBOOK");
    size_t capacity = 1024;
    fetched_book **books = malloc(sizeof(*books) * capacity);
    size_t count = 0;
    while (sqlite3_step(select) == SQLITE_ROW) {
        if (count == capacity) {
            capacity *= 2;
            books = realloc(books, sizeof(*books) * capacity);
        }
        books[count++] = book_from_row(select);
    }
    sqlite3_finalize(select);
    double sum = 0;
    for (size_t index = 0; index < count; index++) {
        sum += read_fields(books[index]);
    }
    result.seconds = now() - start;
    result.cpu_seconds = baseline_cpu_seconds() - cpu_start;
    result.checksum = sum;
    result.count = (int64_t)count;
    sqlite3_close(db);
    return result;
}

baseline_result baseline_read_by_key(const char *path, int64_t cache_size, const int64_t *keys, int64_t count) {
    baseline_result result = {0};
    sqlite3 *db = open_store(&result, path, cache_size);
    if (!db) {
        return result;
    }
    double start = now();
    double cpu_start = baseline_cpu_seconds();
    run(&result, db, "BEGIN");
    sqlite3_stmt *select = prepare(&result, db, "SELECT " BOOK_COLUMNS " FROM ZBOOK WHERE Z_PK=?");
    double sum = 0;
    for (int64_t index = 0; index < count; index++) {
        sqlite3_bind_int64(select, 1, keys[index]);
        if (sqlite3_step(select) == SQLITE_ROW) {
            sum += read_fields(book_from_row(select));
            result.count++;
        }
        sqlite3_reset(select);
    }
    sqlite3_finalize(select);
    run(&result, db, "COMMIT");
    result.seconds = now() - start;
    result.cpu_seconds = baseline_cpu_seconds() - cpu_start;
    result.checksum = sum;
    sqlite3_close(db);
    return result;
}

baseline_result baseline_read_by_isbn(const char *path, int64_t cache_size, const baseline_data *data,
                                      const int64_t *books, int64_t count) {
    baseline_result result = {0};
    sqlite3 *db = open_store(&result, path, cache_size);
    if (!db) {
        return result;
    }
    double start = now();
    double cpu_start = baseline_cpu_seconds();
    run(&result, db, "BEGIN");
    sqlite3_stmt *select = prepare(&result, db, "SELECT " BOOK_COLUMNS " FROM ZBOOK WHERE ZISBN=?");
    double sum = 0;
    for (int64_t index = 0; index < count; index++) {
        sqlite3_bind_text(select, 1, data->books[books[index]].isbn, -1, SQLITE_STATIC);
        if (sqlite3_step(select) == SQLITE_ROW) {
            sum += read_fields(book_from_row(select));
            result.count++;
        }
        sqlite3_reset(select);
    }
    sqlite3_finalize(select);
    run(&result, db, "COMMIT");
    result.seconds = now() - start;
    result.cpu_seconds = baseline_cpu_seconds() - cpu_start;
    result.checksum = sum;
    sqlite3_close(db);
    return result;
}

// MARK: - Migration and preparation

baseline_result baseline_add_columns(const char *path, int32_t count) {
    baseline_result result = {0};
    sqlite3 *db = open_store(&result, path, 0);
    if (!db) {
        return result;
    }
    double start = now();
    double cpu_start = baseline_cpu_seconds();
    run(&result, db, "BEGIN IMMEDIATE");
    for (int32_t index = 0; index < count; index++) {
        char sql[96];
        snprintf(sql, sizeof(sql), "ALTER TABLE ZBOOK ADD COLUMN ZEXTRA%d VARCHAR", index + 1);
        run(&result, db, sql);
    }
    run(&result, db, "COMMIT");
    result.seconds = now() - start;
    result.cpu_seconds = baseline_cpu_seconds() - cpu_start;
    result.count = count;
    sqlite3_close(db);
    return result;
}

// The first column of the rows of a query, run as statements on another connection; with `from` replaced by `to`, and once.
static void run_definitions(baseline_result *result, sqlite3 *db, const char *query, sqlite3 *target,
                            const char *from[], const char *to[], int replacements) {
    char *texts[64];
    int count = 0;
    sqlite3_stmt *select = prepare(result, db, query);
    while (count < 64 && sqlite3_step(select) == SQLITE_ROW) {
        texts[count++] = strdup((const char *)sqlite3_column_text(select, 0));
    }
    sqlite3_finalize(select);
    for (int number = 0; number < count; number++) {
        char *text = texts[number];
        for (int index = 0; index < replacements; index++) {
            char *place = strstr(text, from[index]);
            if (!place) {
                continue;
            }
            size_t head = (size_t)(place - text);
            char *changed = malloc(strlen(text) + strlen(to[index]) + 1);
            memcpy(changed, text, head);
            strcpy(changed + head, to[index]);
            strcat(changed, place + strlen(from[index]));
            free(text);
            text = changed;
        }
        run(result, target, text);
        free(text);
    }
}

baseline_result baseline_rewrite_table(const char *path) {
    baseline_result result = {0};
    sqlite3 *db = open_store(&result, path, -65536);
    if (!db) {
        return result;
    }
    run(&result, db, "PRAGMA synchronous=FULL");
    double start = now();
    double cpu_start = baseline_cpu_seconds();
    run(&result, db, "BEGIN IMMEDIATE");
    // The definitions of the indexes outlive the table in a table of their own.
    run(&result, db,
        "CREATE TEMP TABLE definitions AS SELECT sql FROM sqlite_master "
        "WHERE type='index' AND tbl_name='ZBOOK' AND sql NOT NULL");
    const char *from[] = {"ZBOOK", "ZPAGES INTEGER"};
    const char *to[] = {"ZBOOKNEW", "ZPAGES FLOAT"};
    run_definitions(&result, db, "SELECT sql FROM sqlite_master WHERE type='table' AND name='ZBOOK'", db, from, to, 2);
    run(&result, db, "INSERT INTO ZBOOKNEW SELECT * FROM ZBOOK");
    result.count = sqlite3_changes(db);
    run(&result, db, "DROP TABLE ZBOOK");
    run(&result, db, "ALTER TABLE ZBOOKNEW RENAME TO ZBOOK");
    run_definitions(&result, db, "SELECT sql FROM definitions", db, NULL, NULL, 0);
    run(&result, db, "COMMIT");
    result.seconds = now() - start;
    result.cpu_seconds = baseline_cpu_seconds() - cpu_start;
    sqlite3_close(db);
    return result;
}

baseline_result baseline_copy_rows(const char *source, const char *destination) {
    baseline_result result = {0};
    sqlite3 *db = open_store(&result, source, -32768);
    if (!db) {
        return result;
    }
    double start = now();
    double cpu_start = baseline_cpu_seconds();
    sqlite3 *copy = NULL;
    if (sqlite3_open(destination, &copy) != SQLITE_OK) {
        fail(&result, copy, "open");
        return result;
    }
    run(&result, copy,
        "PRAGMA page_size=4096; PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA cache_size=-32768; BEGIN");
    const char *from[] = {"ZTITLE VARCHAR"};
    const char *to[] = {"ZTITLE VARCHAR, ZEXTRA1 VARCHAR, ZEXTRA2 VARCHAR"};
    run_definitions(&result, db, "SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY type DESC", copy, from, to, 1);

    sqlite3_stmt *read = prepare(&result, db, "SELECT Z_PK,Z_ENT,ZACTIVE,ZJOINED,ZNAME FROM ZAUTHOR");
    sqlite3_stmt *insert = prepare(&result, copy, insert_author_sql);
    while (sqlite3_step(read) == SQLITE_ROW) {
        for (int column = 0; column < 5; column++) {
            sqlite3_bind_value(insert, column + 1, sqlite3_column_value(read, column));
        }
        if (sqlite3_step(insert) != SQLITE_DONE) {
            fail(&result, copy, "INSERT INTO ZAUTHOR");
        }
        sqlite3_reset(insert);
        result.count++;
    }
    sqlite3_finalize(read);
    sqlite3_finalize(insert);

    read = prepare(&result, db, "SELECT Z_ENT," BOOK_COLUMNS " FROM ZBOOK");
    insert = prepare(&result, copy,
                     "INSERT INTO ZBOOK(Z_ENT,Z_OPT," BOOK_COLUMNS ",ZEXTRA1) VALUES(?1,1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)");
    while (sqlite3_step(read) == SQLITE_ROW) {
        for (int column = 0; column < 10; column++) {
            sqlite3_bind_value(insert, column + 1, sqlite3_column_value(read, column));
        }
        char text[512];
        snprintf(text, sizeof(text), "%s, %lld", (const char *)sqlite3_column_text(read, 2),
                 (long long)sqlite3_column_int64(read, 4));
        sqlite3_bind_text(insert, 11, text, -1, SQLITE_STATIC);
        if (sqlite3_step(insert) != SQLITE_DONE) {
            fail(&result, copy, "INSERT INTO ZBOOK");
        }
        sqlite3_reset(insert);
        result.count++;
    }
    sqlite3_finalize(read);
    sqlite3_finalize(insert);
    run(&result, copy, "COMMIT");
    sqlite3_close(copy);
    result.seconds = now() - start;
    result.cpu_seconds = baseline_cpu_seconds() - cpu_start;
    sqlite3_close(db);
    return result;
}

baseline_result baseline_execute(const char *path, const char *sql) {
    baseline_result result = {0};
    sqlite3 *db = NULL;
    if (sqlite3_open(path, &db) == SQLITE_OK) {
        run(&result, db, sql);
    } else {
        fail(&result, db, "open");
    }
    sqlite3_close(db);
    return result;
}
