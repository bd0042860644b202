#include "store.h"

#include <stdlib.h>

baseline_result baseline_update(const char *path, int64_t cache_size) {
    baseline_result result = {0};
    sqlite3 *db = store_open(&result, path, cache_size);
    if (!db) {
        return result;
    }
    store_clock clock = store_clock_start();
    size_t count = 0;
    fetched_book **books = store_all_books(&result, db, &count);
    for (size_t index = 0; index < count; index++) {
        books[index]->pages += 1;
        books[index]->price += 0.25;
    }
    store_run(&result, db, "BEGIN IMMEDIATE");
    sqlite3_stmt *update =
        store_prepare(&result, db, "UPDATE ZBOOK SET Z_OPT=Z_OPT+1,ZPAGES=?,ZPRICE=? WHERE Z_PK=? AND Z_OPT=1");
    for (size_t index = 0; index < count; index++) {
        sqlite3_bind_int64(update, 1, books[index]->pages);
        sqlite3_bind_double(update, 2, books[index]->price);
        sqlite3_bind_int64(update, 3, books[index]->key);
        if (sqlite3_step(update) != SQLITE_DONE || sqlite3_changes(db) != 1) store_fail(&result, db, "UPDATE ZBOOK");
        sqlite3_reset(update);
    }
    sqlite3_finalize(update);
    store_run(&result, db, "COMMIT");
    store_clock_stop(clock, &result);
    result.count = (int64_t)count;
    sqlite3_close(db);
    return result;
}

// Deletes row by row, ordered by key, as a program does that has to know what goes.
baseline_result baseline_delete_half(const char *path, int64_t cache_size) {
    baseline_result result = {0};
    sqlite3 *db = store_open(&result, path, cache_size);
    if (!db) {
        return result;
    }
    store_clock clock = store_clock_start();
    store_run(&result, db, "BEGIN IMMEDIATE");
    sqlite3_stmt *authors = store_prepare(&result, db, "SELECT Z_PK FROM ZAUTHOR WHERE Z_PK%2=0");
    sqlite3_stmt *books = store_prepare(&result, db, "SELECT Z_PK FROM ZBOOK WHERE ZAUTHOR=?");
    sqlite3_stmt *delete_book = store_prepare(&result, db, "DELETE FROM ZBOOK WHERE Z_PK=? AND Z_OPT=1");
    sqlite3_stmt *delete_author = store_prepare(&result, db, "DELETE FROM ZAUTHOR WHERE Z_PK=? AND Z_OPT=1");
    size_t capacity = 1024;
    int64_t *keys = malloc(sizeof(*keys) * capacity);
    size_t count = 0;
    while (sqlite3_step(authors) == SQLITE_ROW) {
        sqlite3_bind_int64(books, 1, sqlite3_column_int64(authors, 0));
        while (sqlite3_step(books) == SQLITE_ROW) {
            if (count == capacity) {
                capacity *= 2;
                keys = realloc(keys, sizeof(*keys) * capacity);
            }
            keys[count++] = sqlite3_column_int64(books, 0);
        }
        sqlite3_reset(books);
    }
    for (size_t index = 0; index < count; index++) {
        sqlite3_bind_int64(delete_book, 1, keys[index]);
        if (sqlite3_step(delete_book) != SQLITE_DONE) store_fail(&result, db, "DELETE FROM ZBOOK");
        sqlite3_reset(delete_book);
    }
    result.count = (int64_t)count;
    sqlite3_reset(authors);
    count = 0;
    while (sqlite3_step(authors) == SQLITE_ROW && count < capacity) keys[count++] = sqlite3_column_int64(authors, 0);
    for (size_t index = 0; index < count; index++) {
        sqlite3_bind_int64(delete_author, 1, keys[index]);
        if (sqlite3_step(delete_author) != SQLITE_DONE) store_fail(&result, db, "DELETE FROM ZAUTHOR");
        sqlite3_reset(delete_author);
    }
    result.count += (int64_t)count;
    sqlite3_finalize(authors);
    sqlite3_finalize(books);
    sqlite3_finalize(delete_book);
    sqlite3_finalize(delete_author);
    store_run(&result, db, "COMMIT");
    store_clock_stop(clock, &result);
    sqlite3_close(db);
    return result;
}
