#include "store.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

typedef struct {
    const char *path;
    int64_t cache_size;
    int64_t books;
    atomic_int is_ready;
    atomic_int is_done;
    int64_t saves;
    baseline_result result;
} writer;

// Saves a hundred changed books at a time until the reader has read enough.
static void *write_on(void *argument) {
    writer *self = argument;
    sqlite3 *db = store_open(&self->result, self->path, self->cache_size);
    atomic_store(&self->is_ready, 1);
    if (!db) return NULL;
    sqlite3_stmt *update =
        store_prepare(&self->result, db, "UPDATE ZBOOK SET Z_OPT=Z_OPT+1,ZPAGES=ZPAGES+1 WHERE Z_PK=?");
    while (!atomic_load(&self->is_done)) {
        store_run(&self->result, db, "BEGIN IMMEDIATE");
        for (int64_t index = 0; index < 100; index++) {
            sqlite3_bind_int64(update, 1, 1 + (self->saves * 100 + index) % self->books);
            if (sqlite3_step(update) != SQLITE_DONE) store_fail(&self->result, db, "UPDATE ZBOOK");
            sqlite3_reset(update);
        }
        store_run(&self->result, db, "COMMIT");
        self->saves++;
    }
    sqlite3_finalize(update);
    sqlite3_close(db);
    return NULL;
}

baseline_result baseline_read_single(const char *path, int64_t cache_size, const baseline_data *data,
                                     const int64_t *books, int64_t count, int has_writer, double *latencies) {
    baseline_result result = {0};
    sqlite3 *db = store_open(&result, path, cache_size);
    if (!db) {
        return result;
    }
    sqlite3_stmt *select = store_prepare(&result, db, "SELECT " BOOK_COLUMNS " FROM ZBOOK WHERE ZISBN=?");
    writer other = {.path = path, .cache_size = cache_size, .books = data->book_count};
    pthread_t thread;
    if (has_writer) {
        pthread_create(&thread, NULL, write_on, &other);
        while (!atomic_load(&other.is_ready)) sched_yield();
    }
    for (int64_t index = 0; index < count; index++) {
        double start = store_now();
        sqlite3_bind_text(select, 1, data->books[books[index]].isbn, -1, SQLITE_STATIC);
        if (sqlite3_step(select) == SQLITE_ROW) result.checksum += read_fields(book_from_row(select));
        sqlite3_reset(select);
        latencies[index] = store_now() - start;
    }
    atomic_store(&other.is_done, 1);
    if (has_writer) pthread_join(thread, NULL);
    result.count = other.saves;
    sqlite3_finalize(select);
    sqlite3_close(db);
    return other.result.error[0] ? other.result : result;
}
