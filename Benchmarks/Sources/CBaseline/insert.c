#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// Takes `count` primary keys of an entity, as Core Data does: Z_MAX is read and written in the saving transaction.
static int64_t reserve_keys(baseline_result *result, sqlite3 *db, const char *entity, int64_t count) {
    sqlite3_stmt *read = store_prepare(result, db, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME=?");
    sqlite3_stmt *write = store_prepare(result, db, "UPDATE Z_PRIMARYKEY SET Z_MAX=? WHERE Z_NAME=?");
    int64_t first = 0;
    sqlite3_bind_text(read, 1, entity, -1, SQLITE_STATIC);
    if (sqlite3_step(read) == SQLITE_ROW) {
        first = sqlite3_column_int64(read, 0) + 1;
    } else {
        store_fail(result, db, "Z_PRIMARYKEY");
    }
    sqlite3_bind_int64(write, 1, first + count - 1);
    sqlite3_bind_text(write, 2, entity, -1, SQLITE_STATIC);
    if (sqlite3_step(write) != SQLITE_DONE) {
        store_fail(result, db, "Z_PRIMARYKEY");
    }
    sqlite3_finalize(read);
    sqlite3_finalize(write);
    return first;
}

static int entity_number(baseline_result *result, sqlite3 *db, const char *entity) {
    sqlite3_stmt *read = store_prepare(result, db, "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME=?");
    int number = 0;
    sqlite3_bind_text(read, 1, entity, -1, SQLITE_STATIC);
    if (sqlite3_step(read) == SQLITE_ROW) {
        number = sqlite3_column_int(read, 0);
    } else {
        store_fail(result, db, "Z_PRIMARYKEY");
    }
    sqlite3_finalize(read);
    return number;
}

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
        store_fail(result, db, "INSERT INTO ZAUTHOR");
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
        store_fail(result, db, "INSERT INTO ZBOOK");
    }
    sqlite3_reset(insert);
}

baseline_result baseline_insert(const char *path, int64_t cache_size, const baseline_data *data) {
    baseline_result result = {0};
    sqlite3 *db = store_open(&result, path, cache_size);
    if (!db) {
        return result;
    }
    store_clock clock = store_clock_start();
    author_object **authors = malloc(sizeof(*authors) * (size_t)data->author_count);
    for (int32_t index = 0; index < data->author_count; index++) {
        const baseline_author *source = &data->authors[index];
        author_object *author = malloc(sizeof(*author));
        author->name = store_copy_string(source->name);
        author->joined = source->joined;
        author->active = source->active;
        authors[index] = author;
    }
    book_object **books = malloc(sizeof(*books) * (size_t)data->book_count);
    for (int32_t index = 0; index < data->book_count; index++) {
        const baseline_book *source = &data->books[index];
        book_object *book = malloc(sizeof(*book));
        book->title = store_copy_string(source->title);
        book->isbn = store_copy_string(source->isbn);
        book->note = store_copy_string(source->note);
        book->pages = source->pages;
        book->price = source->price;
        book->published = source->published;
        book->rating = source->rating;
        book->author = authors[source->author];
        books[index] = book;
    }

    store_run(&result, db, "BEGIN IMMEDIATE");
    int author_entity = entity_number(&result, db, "Author");
    int book_entity = entity_number(&result, db, "Book");
    int64_t key = reserve_keys(&result, db, "Author", data->author_count);
    sqlite3_stmt *insert = store_prepare(&result, db, INSERT_AUTHOR);
    for (int32_t index = 0; index < data->author_count; index++, key++) {
        author_object *author = authors[index];
        author->key = key;
        write_author(&result, db, insert, author_entity, key, author->name, author->joined, author->active);
    }
    sqlite3_finalize(insert);
    key = reserve_keys(&result, db, "Book", data->book_count);
    insert = store_prepare(&result, db, insert_book_sql);
    for (int32_t index = 0; index < data->book_count; index++, key++) {
        book_object *book = books[index];
        book->key = key;
        write_book(&result, db, insert, book_entity, key, book->pages, book->author->key, book->price,
                   book->published, book->rating, book->isbn, book->note, book->title);
    }
    sqlite3_finalize(insert);
    store_run(&result, db, "COMMIT");
    store_clock_stop(clock, &result);
    result.count = data->author_count + data->book_count;
    sqlite3_close(db);
    return result;
}

baseline_result baseline_fill(const char *path, const baseline_data *data) {
    baseline_result result = {0};
    sqlite3 *db = store_open(&result, path, -64000);
    if (!db) {
        return result;
    }
    store_run(&result, db, "BEGIN IMMEDIATE");
    int author_entity = entity_number(&result, db, "Author");
    int book_entity = entity_number(&result, db, "Book");
    int64_t first_author = reserve_keys(&result, db, "Author", data->author_count);
    int64_t first_book = reserve_keys(&result, db, "Book", data->book_count);
    sqlite3_stmt *insert_author = store_prepare(&result, db, INSERT_AUTHOR);
    sqlite3_stmt *insert_book = store_prepare(&result, db, insert_book_sql);
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
            store_run(&result, db, "COMMIT");
            store_run(&result, db, "BEGIN IMMEDIATE");
        }
    }
    sqlite3_finalize(insert_author);
    sqlite3_finalize(insert_book);
    store_run(&result, db, "COMMIT");
    store_run(&result, db, "PRAGMA wal_checkpoint(TRUNCATE)");
    result.count = data->author_count + data->book_count;
    sqlite3_close(db);
    return result;
}
