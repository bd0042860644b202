#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_all(baseline_result *result, sqlite3 *db, const void *input) {
    (void)input;
    size_t count = 0;
    fetched_book **books = store_all_books(result, db, &count);
    double sum = 0;
    for (size_t index = 0; index < count; index++) {
        sum += read_fields(books[index]);
    }
    result->checksum = sum;
    result->count = (int64_t)count;
}

baseline_result baseline_read_all(const char *path, int64_t cache_size) {
    return store_measure(path, cache_size, read_all, NULL);
}

typedef struct {
    const int64_t *keys;
    int64_t count;
} key_request;

static void read_by_key(baseline_result *result, sqlite3 *db, const void *input) {
    const key_request *request = input;
    store_run(result, db, "BEGIN");
    sqlite3_stmt *select = store_prepare(result, db, "SELECT " BOOK_COLUMNS " FROM ZBOOK WHERE Z_PK=?");
    double sum = 0;
    for (int64_t index = 0; index < request->count; index++) {
        sqlite3_bind_int64(select, 1, request->keys[index]);
        if (sqlite3_step(select) == SQLITE_ROW) {
            sum += read_fields(book_from_row(select));
            result->count++;
        }
        sqlite3_reset(select);
    }
    sqlite3_finalize(select);
    store_run(result, db, "COMMIT");
    result->checksum = sum;
}

baseline_result baseline_read_by_key(const char *path, int64_t cache_size, const int64_t *keys, int64_t count) {
    return store_measure(path, cache_size, read_by_key, &(key_request){keys, count});
}

typedef struct {
    const baseline_data *data;
    const int64_t *books;
    int64_t count;
} isbn_request;

static void read_by_isbn(baseline_result *result, sqlite3 *db, const void *input) {
    const isbn_request *request = input;
    store_run(result, db, "BEGIN");
    sqlite3_stmt *select = store_prepare(result, db, "SELECT " BOOK_COLUMNS " FROM ZBOOK WHERE ZISBN=?");
    double sum = 0;
    for (int64_t index = 0; index < request->count; index++) {
        sqlite3_bind_text(select, 1, request->data->books[request->books[index]].isbn, -1, SQLITE_STATIC);
        if (sqlite3_step(select) == SQLITE_ROW) {
            sum += read_fields(book_from_row(select));
            result->count++;
        }
        sqlite3_reset(select);
    }
    sqlite3_finalize(select);
    store_run(result, db, "COMMIT");
    result->checksum = sum;
}

baseline_result baseline_read_by_isbn(const char *path, int64_t cache_size, const baseline_data *data,
                                      const int64_t *books, int64_t count) {
    return store_measure(path, cache_size, read_by_isbn, &(isbn_request){data, books, count});
}

static void count_books(baseline_result *result, sqlite3 *db, const void *input) {
    const int64_t *times = input;
    store_run(result, db, "BEGIN");
    sqlite3_stmt *select = store_prepare(result, db, "SELECT COUNT(*) FROM ZBOOK");
    for (int64_t time = 0; time < *times; time++) {
        if (sqlite3_step(select) == SQLITE_ROW) {
            result->checksum += (double)sqlite3_column_int64(select, 0);
            result->count++;
        }
        sqlite3_reset(select);
    }
    sqlite3_finalize(select);
    store_run(result, db, "COMMIT");
}

baseline_result baseline_count_books(const char *path, int64_t cache_size, int64_t times) {
    return store_measure(path, cache_size, count_books, &times);
}

static void read_ids(baseline_result *result, sqlite3 *db, const void *input) {
    (void)input;
    sqlite3_stmt *select = store_prepare(result, db, "SELECT Z_PK FROM ZBOOK");
    store_keys keys = {0};
    while (sqlite3_step(select) == SQLITE_ROW) store_keys_add(&keys, sqlite3_column_int64(select, 0));
    sqlite3_finalize(select);
    result->count = (int64_t)keys.count;
}

baseline_result baseline_read_ids(const char *path, int64_t cache_size) {
    return store_measure(path, cache_size, read_ids, NULL);
}

static void query(baseline_result *result, sqlite3 *db, const void *input) {
    int64_t times = *(const int64_t *)input;
    store_run(result, db, "BEGIN");
    sqlite3_stmt *select =
        store_prepare(result, db,
                      "SELECT " BOOK_COLUMNS " FROM ZBOOK WHERE ZPAGES>? AND ZTITLE>=? AND ZTITLE<? "
                      "ORDER BY ZPUBLISHED DESC LIMIT 100");
    for (int64_t index = 0; index < times; index++) {
        char first[2] = {(char)('A' + index % 25), 0};
        char next[2] = {(char)('A' + index % 25 + 1), 0};
        sqlite3_bind_int64(select, 1, 40 + index % 1000);
        sqlite3_bind_text(select, 2, first, 1, SQLITE_TRANSIENT);
        sqlite3_bind_text(select, 3, next, 1, SQLITE_TRANSIENT);
        while (sqlite3_step(select) == SQLITE_ROW) {
            result->checksum += read_fields(book_from_row(select));
            result->count++;
        }
        sqlite3_reset(select);
    }
    sqlite3_finalize(select);
    store_run(result, db, "COMMIT");
}

baseline_result baseline_query(const char *path, int64_t cache_size, int64_t times) {
    return store_measure(path, cache_size, query, &times);
}

typedef struct {
    int64_t authors;
    int64_t times;
} author_request;

static void query_by_author(baseline_result *result, sqlite3 *db, const void *input) {
    const author_request *request = input;
    store_run(result, db, "BEGIN");
    sqlite3_stmt *select =
        store_prepare(result, db,
                      "SELECT " BOOK_COLUMNS " FROM ZBOOK WHERE ZAUTHOR=? AND ZPAGES>? "
                      "ORDER BY ZPUBLISHED DESC LIMIT 20");
    for (int64_t index = 0; index < request->times; index++) {
        sqlite3_bind_int64(select, 1, index % request->authors + 1);
        sqlite3_bind_int64(select, 2, 40 + index % 1000);
        while (sqlite3_step(select) == SQLITE_ROW) {
            result->checksum += read_fields(book_from_row(select));
            result->count++;
        }
        sqlite3_reset(select);
    }
    sqlite3_finalize(select);
    store_run(result, db, "COMMIT");
}

baseline_result baseline_query_by_author(const char *path, int64_t cache_size, int64_t authors, int64_t times) {
    return store_measure(path, cache_size, query_by_author, &(author_request){authors, times});
}

typedef struct {
    int64_t key;
    char *name;
    int64_t books;
} fetched_author;

static fetched_author author_from_row(sqlite3_stmt *select) {
    return (fetched_author){sqlite3_column_int64(select, 0), store_column_string(select, 1), 0};
}

// Keys are handed out one after the other, so an array finds an author.
static void read_authors(baseline_result *result, sqlite3 *db, const void *input) {
    int is_lazy = *(const int *)input;
    store_run(result, db, "BEGIN");
    size_t count = 0;
    fetched_book **books = store_all_books(result, db, &count);
    int64_t last = 0;
    for (size_t index = 0; index < count; index++) {
        if (books[index]->author > last) last = books[index]->author;
    }
    fetched_author *authors = calloc((size_t)last + 1, sizeof(*authors));
    sqlite3_stmt *one = store_prepare(result, db, "SELECT Z_PK,ZNAME,ZJOINED,ZACTIVE FROM ZAUTHOR WHERE Z_PK=?");
    sqlite3_stmt *all = store_prepare(result, db, "SELECT Z_PK,ZNAME,ZJOINED,ZACTIVE FROM ZAUTHOR");
    sqlite3_stmt *members = store_prepare(result, db, "SELECT Z_PK FROM ZBOOK WHERE ZAUTHOR=?");
    if (!is_lazy) {
        while (sqlite3_step(all) == SQLITE_ROW) {
            fetched_author author = author_from_row(all);
            if (author.key <= last) authors[author.key] = author;
        }
    }
    for (size_t index = 0; index < count; index++) {
        fetched_author *author = &authors[books[index]->author];
        if (author->name == NULL) {
            sqlite3_bind_int64(one, 1, books[index]->author);
            if (sqlite3_step(one) == SQLITE_ROW) *author = author_from_row(one);
            sqlite3_reset(one);
        }
        result->checksum += (double)strlen(author->name);
        if (!is_lazy) author->books++;
    }
    for (int64_t key = 1; key <= last; key++) {
        if (authors[key].name == NULL) continue;
        if (is_lazy) {
            sqlite3_bind_int64(members, 1, key);
            while (sqlite3_step(members) == SQLITE_ROW) authors[key].books += sqlite3_column_int64(members, 0) > 0;
            sqlite3_reset(members);
        }
        result->checksum += (double)authors[key].books;
        result->count++;
    }
    sqlite3_finalize(one);
    sqlite3_finalize(all);
    sqlite3_finalize(members);
    store_run(result, db, "COMMIT");
}

baseline_result baseline_read_authors(const char *path, int64_t cache_size, int is_lazy) {
    return store_measure(path, cache_size, read_authors, &is_lazy);
}

static void average(baseline_result *result, sqlite3 *db, const void *input) {
    int64_t times = *(const int64_t *)input;
    // The sign keeps SQLite from the index of ZAUTHOR: to sort the rows is up to five times as fast as to go to each.
    sqlite3_stmt *select = store_prepare(result, db, "SELECT ZAUTHOR,avg(ZPRICE) FROM ZBOOK GROUP BY +ZAUTHOR");
    for (int64_t index = 0; index < times; index++) {
        while (sqlite3_step(select) == SQLITE_ROW) {
            result->checksum += sqlite3_column_double(select, 1);
            result->count++;
        }
        sqlite3_reset(select);
    }
    sqlite3_finalize(select);
}

baseline_result baseline_average(const char *path, int64_t cache_size, int64_t times) {
    return store_measure(path, cache_size, average, &times);
}

typedef struct {
    char *title;
    char *isbn;
    int64_t pages;
    double price;
} book_values;

static void read_values(baseline_result *result, sqlite3 *db, const void *input) {
    (void)input;
    sqlite3_stmt *select = store_prepare(result, db, "SELECT ZTITLE,ZISBN,ZPAGES,ZPRICE FROM ZBOOK");
    size_t capacity = 1024;
    book_values *rows = malloc(sizeof(*rows) * capacity);
    size_t count = 0;
    while (sqlite3_step(select) == SQLITE_ROW) {
        if (count == capacity) {
            capacity *= 2;
            rows = realloc(rows, sizeof(*rows) * capacity);
        }
        rows[count++] = (book_values){store_column_string(select, 0), store_column_string(select, 1),
                                      sqlite3_column_int64(select, 2), sqlite3_column_double(select, 3)};
    }
    sqlite3_finalize(select);
    for (size_t index = 0; index < count; index++) {
        const book_values *row = &rows[index];
        result->checksum += (double)strlen(row->title) + (double)strlen(row->isbn) + (double)row->pages + row->price;
    }
    result->count = (int64_t)count;
}

baseline_result baseline_read_values(const char *path, int64_t cache_size) {
    return store_measure(path, cache_size, read_values, NULL);
}
