#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double store_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void store_fail(baseline_result *result, sqlite3 *db, const char *what) {
    if (result->error[0] == 0) {
        snprintf(result->error, sizeof(result->error), "%s: %s", what, db ? sqlite3_errmsg(db) : "no connection");
    }
}

int store_run(baseline_result *result, sqlite3 *db, const char *sql) {
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        store_fail(result, db, sql);
        return 0;
    }
    return 1;
}

sqlite3_stmt *store_prepare(baseline_result *result, sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK) {
        store_fail(result, db, sql);
    }
    return statement;
}

// The pragmas of a connection; those of the file (page size, WAL) are in the template already.
sqlite3 *store_open(baseline_result *result, const char *path, int64_t cache_size) {
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &db, flags, NULL) != SQLITE_OK) {
        store_fail(result, db, "open");
        sqlite3_close(db);
        return NULL;
    }
    // Two that open at the same time wait for each other.
    sqlite3_busy_timeout(db, 10000);
    store_run(result, db, "PRAGMA synchronous=NORMAL");
    // The library copies the -wal in the background, after the work, so no measured work includes it.
    store_run(result, db, "PRAGMA wal_autocheckpoint=0");
    if (cache_size != 0) {
        char sql[64];
        snprintf(sql, sizeof(sql), "PRAGMA cache_size=%lld", (long long)cache_size);
        store_run(result, db, sql);
    }
    // The schema is read once here, as a program that has opened its store has done.
    store_run(result, db, "SELECT count(*) FROM sqlite_master");
    return db;
}

char *store_copy_string(const char *text) {
    return text ? strdup(text) : NULL;
}

char *store_column_string(sqlite3_stmt *statement, int column) {
    return store_copy_string((const char *)sqlite3_column_text(statement, column));
}

fetched_book *book_from_row(sqlite3_stmt *statement) {
    fetched_book *book = malloc(sizeof(*book));
    book->key = sqlite3_column_int64(statement, 0);
    book->title = store_column_string(statement, 1);
    book->isbn = store_column_string(statement, 2);
    book->pages = sqlite3_column_int64(statement, 3);
    book->price = sqlite3_column_double(statement, 4);
    book->published = sqlite3_column_double(statement, 5);
    book->rating = (float)sqlite3_column_double(statement, 6);
    book->note = store_column_string(statement, 7);
    book->author = sqlite3_column_int64(statement, 8);
    return book;
}

fetched_book **store_all_books(baseline_result *result, sqlite3 *db, size_t *count) {
    return store_books(result, db, "SELECT " BOOK_COLUMNS " FROM ZBOOK", count);
}

fetched_book **store_books(baseline_result *result, sqlite3 *db, const char *sql, size_t *count) {
    sqlite3_stmt *select = store_prepare(result, db, sql);
    size_t capacity = 1024;
    fetched_book **books = malloc(sizeof(*books) * capacity);
    while (sqlite3_step(select) == SQLITE_ROW) {
        if (*count == capacity) {
            capacity *= 2;
            books = realloc(books, sizeof(*books) * capacity);
        }
        books[(*count)++] = book_from_row(select);
    }
    sqlite3_finalize(select);
    return books;
}

double read_fields(const fetched_book *book) {
    double sum = (double)book->pages + book->price + book->published + (double)book->rating;
    sum += (double)strlen(book->title) + (double)strlen(book->isbn);
    sum += book->note ? (double)strlen(book->note) : 0;
    sum += book->author ? 1 : 0;
    return sum;
}

// Takes `count` primary keys of an entity, as Core Data does: Z_MAX is read and written in the saving transaction.
int64_t store_reserve_keys(baseline_result *result, sqlite3 *db, const char *entity, int64_t count) {
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

int store_entity_number(baseline_result *result, sqlite3 *db, const char *entity) {
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

void store_write_book(baseline_result *result, sqlite3 *db, sqlite3_stmt *insert, int entity, int64_t key,
                      int64_t author, const baseline_book *book) {
    sqlite3_bind_int64(insert, 1, key);
    sqlite3_bind_int(insert, 2, entity);
    sqlite3_bind_int64(insert, 3, book->pages);
    if (author) {
        sqlite3_bind_int64(insert, 4, author);
    } else {
        sqlite3_bind_null(insert, 4);
    }
    sqlite3_bind_double(insert, 5, book->price);
    sqlite3_bind_double(insert, 6, book->published);
    sqlite3_bind_double(insert, 7, (double)book->rating);
    sqlite3_bind_text(insert, 8, book->isbn, -1, SQLITE_STATIC);
    if (book->note) {
        sqlite3_bind_text(insert, 9, book->note, -1, SQLITE_STATIC);
    } else {
        sqlite3_bind_null(insert, 9);
    }
    sqlite3_bind_text(insert, 10, book->title, -1, SQLITE_STATIC);
    if (sqlite3_step(insert) != SQLITE_DONE) {
        store_fail(result, db, "INSERT INTO ZBOOK");
    }
    sqlite3_reset(insert);
}

store_clock store_clock_start(void) {
    baseline_count(1);
    return (store_clock){store_now(), baseline_cpu_seconds()};
}

void store_clock_stop(store_clock clock, baseline_result *result) {
    baseline_count(0);
    result->seconds = store_now() - clock.start;
    result->cpu_seconds = baseline_cpu_seconds() - clock.cpu_start;
}

baseline_result store_measure(const char *path, int64_t cache_size, store_work work, const void *input) {
    baseline_result result = {0};
    sqlite3 *db = store_open(&result, path, cache_size);
    if (!db) {
        return result;
    }
    store_clock clock = store_clock_start();
    work(&result, db, input);
    store_clock_stop(clock, &result);
    sqlite3_close(db);
    return result;
}

void store_keys_add(store_keys *keys, int64_t key) {
    if (keys->count == keys->capacity) {
        keys->capacity = keys->capacity ? keys->capacity * 2 : 1024;
        keys->keys = realloc(keys->keys, sizeof(*keys->keys) * keys->capacity);
    }
    keys->keys[keys->count++] = key;
}
