#include "store.h"

#include <stdlib.h>

static void batch_insert(baseline_result *result, sqlite3 *db, const void *input) {
    const baseline_data *data = input;
    store_run(result, db, "BEGIN IMMEDIATE");
    int entity = store_entity_number(result, db, "Book");
    int64_t key = store_reserve_keys(result, db, "Book", data->book_count);
    sqlite3_stmt *insert = store_prepare(result, db, INSERT_BOOK);
    for (int32_t index = 0; index < data->book_count; index++) {
        store_write_book(result, db, insert, entity, key + index, 0, &data->books[index]);
    }
    sqlite3_finalize(insert);
    store_run(result, db, "COMMIT");
    result->count = data->book_count;
}

baseline_result baseline_batch_insert(const char *path, int64_t cache_size, const baseline_data *data) {
    return store_measure(path, cache_size, batch_insert, data);
}

// The rows as an array of structs first, with strings of their own.
static void batch_insert_array(baseline_result *result, sqlite3 *db, const void *input) {
    const baseline_data *data = input;
    baseline_book *books = malloc(sizeof(*books) * (size_t)data->book_count);
    for (int32_t index = 0; index < data->book_count; index++) {
        books[index] = data->books[index];
        books[index].title = store_copy_string(books[index].title);
        books[index].isbn = store_copy_string(books[index].isbn);
        books[index].note = store_copy_string(books[index].note);
    }
    baseline_data made = *data;
    made.books = books;
    batch_insert(result, db, &made);
}

baseline_result baseline_batch_insert_array(const char *path, int64_t cache_size, const baseline_data *data) {
    return store_measure(path, cache_size, batch_insert_array, data);
}

// One statement in a transaction, whose changed rows are counted.
static void change(baseline_result *result, sqlite3 *db, const void *sql) {
    store_run(result, db, "BEGIN IMMEDIATE");
    store_run(result, db, sql);
    result->count = sqlite3_changes(db);
    store_run(result, db, "COMMIT");
}

baseline_result baseline_batch_update(const char *path, int64_t cache_size) {
    return store_measure(path, cache_size, change, "UPDATE ZBOOK SET Z_OPT=Z_OPT+1,ZPAGES=ZPAGES+1,ZNOTE='of a batch'");
}

baseline_result baseline_batch_delete(const char *path, int64_t cache_size) {
    return store_measure(path, cache_size, change, "DELETE FROM ZBOOK WHERE ZPAGES>640");
}
