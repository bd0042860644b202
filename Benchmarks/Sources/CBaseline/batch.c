#include "store.h"

baseline_result baseline_batch_insert(const char *path, int64_t cache_size, const baseline_data *data) {
    baseline_result result = {0};
    sqlite3 *db = store_open(&result, path, cache_size);
    if (!db) {
        return result;
    }
    store_clock clock = store_clock_start();
    store_run(&result, db, "BEGIN IMMEDIATE");
    int entity = store_entity_number(&result, db, "Book");
    int64_t key = store_reserve_keys(&result, db, "Book", data->book_count);
    sqlite3_stmt *insert = store_prepare(&result, db, INSERT_BOOK);
    for (int32_t index = 0; index < data->book_count; index++) {
        store_write_book(&result, db, insert, entity, key + index, 0, &data->books[index]);
    }
    sqlite3_finalize(insert);
    store_run(&result, db, "COMMIT");
    store_clock_stop(clock, &result);
    result.count = data->book_count;
    sqlite3_close(db);
    return result;
}

// One statement in a transaction, whose changed rows are counted.
static baseline_result change(const char *path, int64_t cache_size, const char *sql) {
    baseline_result result = {0};
    sqlite3 *db = store_open(&result, path, cache_size);
    if (!db) {
        return result;
    }
    store_clock clock = store_clock_start();
    store_run(&result, db, "BEGIN IMMEDIATE");
    store_run(&result, db, sql);
    result.count = sqlite3_changes(db);
    store_run(&result, db, "COMMIT");
    store_clock_stop(clock, &result);
    sqlite3_close(db);
    return result;
}

baseline_result baseline_batch_update(const char *path, int64_t cache_size) {
    return change(path, cache_size, "UPDATE ZBOOK SET Z_OPT=Z_OPT+1,ZPAGES=ZPAGES+1,ZNOTE='of a batch'");
}

baseline_result baseline_batch_delete(const char *path, int64_t cache_size) {
    return change(path, cache_size, "DELETE FROM ZBOOK WHERE ZPAGES>640");
}
