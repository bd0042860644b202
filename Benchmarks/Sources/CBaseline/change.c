#include "store.h"

#include <stdlib.h>

static void update(baseline_result *result, sqlite3 *db, const void *input) {
    (void)input;
    size_t count = 0;
    fetched_book **books = store_all_books(result, db, &count);
    for (size_t index = 0; index < count; index++) {
        books[index]->pages += 1;
        books[index]->price += 0.25;
    }
    store_run(result, db, "BEGIN IMMEDIATE");
    sqlite3_stmt *update =
        store_prepare(result, db, "UPDATE ZBOOK SET Z_OPT=Z_OPT+1,ZPAGES=?,ZPRICE=? WHERE Z_PK=? AND Z_OPT=1");
    for (size_t index = 0; index < count; index++) {
        sqlite3_bind_int64(update, 1, books[index]->pages);
        sqlite3_bind_double(update, 2, books[index]->price);
        sqlite3_bind_int64(update, 3, books[index]->key);
        if (sqlite3_step(update) != SQLITE_DONE || sqlite3_changes(db) != 1) store_fail(result, db, "UPDATE ZBOOK");
        sqlite3_reset(update);
    }
    sqlite3_finalize(update);
    store_run(result, db, "COMMIT");
    result->count = (int64_t)count;
}

baseline_result baseline_update(const char *path, int64_t cache_size) {
    return store_measure(path, cache_size, update, NULL);
}

static void save_each(baseline_result *result, sqlite3 *db, const void *input) {
    size_t count = (size_t)*(const int64_t *)input;
    store_keys keys = {0};
    store_keys pages = {0};
    sqlite3_stmt *books = store_prepare(result, db, "SELECT Z_PK,ZPAGES FROM ZBOOK LIMIT ?");
    sqlite3_bind_int64(books, 1, (int64_t)count);
    while (sqlite3_step(books) == SQLITE_ROW) {
        store_keys_add(&keys, sqlite3_column_int64(books, 0));
        store_keys_add(&pages, sqlite3_column_int64(books, 1));
    }
    sqlite3_finalize(books);
    const char *sql[] = {
        "BEGIN IMMEDIATE", "UPDATE ZBOOK SET Z_OPT=Z_OPT+1,ZPAGES=? WHERE Z_PK=? AND Z_OPT=1", "COMMIT"
    };
    sqlite3_stmt *statements[3];
    for (int number = 0; number < 3; number++) statements[number] = store_prepare(result, db, sql[number]);
    for (size_t index = 0; index < keys.count; index++) {
        sqlite3_bind_int64(statements[1], 1, pages.keys[index] + 1);
        sqlite3_bind_int64(statements[1], 2, keys.keys[index]);
        for (int number = 0; number < 3; number++) {
            if (sqlite3_step(statements[number]) != SQLITE_DONE) store_fail(result, db, sql[number]);
            if (number == 1 && sqlite3_changes(db) != 1) store_fail(result, db, sql[number]);
            sqlite3_reset(statements[number]);
        }
    }
    for (int number = 0; number < 3; number++) sqlite3_finalize(statements[number]);
    result->count = (int64_t)keys.count;
}

baseline_result baseline_save_each(const char *path, int64_t cache_size, int64_t wanted) {
    return store_measure(path, cache_size, save_each, &wanted);
}

// Runs a statement for each key.
static void run_for_keys(baseline_result *result, sqlite3 *db, const char *sql, const store_keys *keys) {
    sqlite3_stmt *statement = store_prepare(result, db, sql);
    for (size_t index = 0; index < keys->count; index++) {
        sqlite3_bind_int64(statement, 1, keys->keys[index]);
        if (sqlite3_step(statement) != SQLITE_DONE) store_fail(result, db, sql);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    result->count += (int64_t)keys->count;
}

static int compare_keys(const void *first, const void *second) {
    int64_t a = *(const int64_t *)first, b = *(const int64_t *)second;
    return (a > b) - (a < b);
}

// Deletes row by row, ordered by key, as a program does that needs the deleted rows.
static void delete_half(baseline_result *result, sqlite3 *db, const void *input) {
    (void)input;
    store_run(result, db, "BEGIN IMMEDIATE");
    sqlite3_stmt *authors = store_prepare(result, db, "SELECT Z_PK FROM ZAUTHOR WHERE Z_PK%2=0");
    sqlite3_stmt *books = store_prepare(result, db, "SELECT Z_PK FROM ZBOOK WHERE ZAUTHOR=?");
    store_keys author_keys = {0};
    store_keys book_keys = {0};
    while (sqlite3_step(authors) == SQLITE_ROW) {
        store_keys_add(&author_keys, sqlite3_column_int64(authors, 0));
        sqlite3_bind_int64(books, 1, sqlite3_column_int64(authors, 0));
        while (sqlite3_step(books) == SQLITE_ROW) store_keys_add(&book_keys, sqlite3_column_int64(books, 0));
        sqlite3_reset(books);
    }
    sqlite3_finalize(authors);
    sqlite3_finalize(books);
    // Author by author they lie all over the table.
    qsort(book_keys.keys, book_keys.count, sizeof *book_keys.keys, compare_keys);
    run_for_keys(result, db, "DELETE FROM ZBOOK WHERE Z_PK=? AND Z_OPT=1", &book_keys);
    run_for_keys(result, db, "DELETE FROM ZAUTHOR WHERE Z_PK=? AND Z_OPT=1", &author_keys);
    store_run(result, db, "COMMIT");
}

baseline_result baseline_delete_half(const char *path, int64_t cache_size) {
    return store_measure(path, cache_size, delete_half, NULL);
}
