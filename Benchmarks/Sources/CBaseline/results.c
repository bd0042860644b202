#include "store.h"

#include <stdlib.h>
#include <string.h>

static int precedes(const fetched_book *one, const fetched_book *other) {
    if (one->rating != other->rating) return one->rating < other->rating ? -1 : 1;
    return strcmp(one->isbn, other->isbn);
}

static int compare(const void *one, const void *other) {
    return precedes(*(fetched_book *const *)one, *(fetched_book *const *)other);
}

static double section_count(fetched_book *const *books, size_t count) {
    double sections = 0;
    for (size_t index = 0; index < count; index++) {
        if (index == 0 || books[index]->rating != books[index - 1]->rating) sections++;
    }
    return sections;
}

static fetched_book **sorted_books(baseline_result *result, sqlite3 *db, size_t *count) {
    return store_books(result, db, "SELECT " BOOK_COLUMNS " FROM ZBOOK ORDER BY ZRATING,ZISBN", count);
}

static void fetch_results(baseline_result *result, sqlite3 *db, const void *input) {
    (void)input;
    size_t count = 0;
    fetched_book **books = sorted_books(result, db, &count);
    result->checksum = section_count(books, count);
    result->count = (int64_t)count;
}

baseline_result baseline_fetch_results(const char *path, int64_t cache_size) {
    return store_measure(path, cache_size, fetch_results, NULL);
}

baseline_result baseline_change_results(const char *path, int64_t cache_size, int64_t changes) {
    baseline_result result = {0};
    sqlite3 *db = store_open(&result, path, cache_size);
    if (!db) {
        return result;
    }
    size_t count = 0;
    fetched_book **books = sorted_books(&result, db, &count);
    size_t wanted = (size_t)changes < count ? (size_t)changes : count;
    store_clock clock = store_clock_start();
    // Changed books are taken out, sorted by themselves, and merged with all other books, which are in order.
    size_t stride = wanted ? count / wanted : 1;
    fetched_book **changed = malloc(sizeof(*changed) * (wanted + 1));
    fetched_book **others = malloc(sizeof(*others) * (count + 1));
    fetched_book **merged = malloc(sizeof(*merged) * (count + 1));
    size_t changed_count = 0;
    size_t other_count = 0;
    for (size_t index = 0; index < count; index++) {
        if (changed_count < wanted && index % stride == 0) {
            books[index]->rating += 0.5f;
            changed[changed_count++] = books[index];
        } else {
            others[other_count++] = books[index];
        }
    }
    qsort(changed, changed_count, sizeof(*changed), compare);
    size_t left = 0;
    size_t right = 0;
    for (size_t index = 0; index < count; index++) {
        int takes_changed =
            right == other_count || (left < changed_count && precedes(changed[left], others[right]) < 0);
        merged[index] = takes_changed ? changed[left++] : others[right++];
    }
    result.checksum = section_count(merged, count);
    store_clock_stop(clock, &result);
    result.count = (int64_t)changed_count;
    free(changed);
    free(others);
    free(merged);
    sqlite3_close(db);
    return result;
}

baseline_result baseline_merge(const char *path, int64_t cache_size, int64_t wanted) {
    baseline_result result = {0};
    sqlite3 *db = store_open(&result, path, cache_size);
    if (!db) {
        return result;
    }
    size_t count = 0;
    fetched_book **books = store_all_books(&result, db, &count);
    if ((size_t)wanted < count) count = (size_t)wanted;
    sqlite3_stmt *update = store_prepare(&result, db, "UPDATE ZBOOK SET Z_OPT=Z_OPT+1,ZPAGES=ZPAGES+1 WHERE Z_PK<=?");
    sqlite3_bind_int64(update, 1, (int64_t)count);
    if (sqlite3_step(update) != SQLITE_DONE) store_fail(&result, db, "UPDATE ZBOOK");
    sqlite3_finalize(update);

    store_clock clock = store_clock_start();
    store_run(&result, db, "BEGIN");
    sqlite3_stmt *select = store_prepare(&result, db, "SELECT ZPAGES FROM ZBOOK WHERE Z_PK=?");
    for (size_t index = 0; index < count; index++) {
        sqlite3_bind_int64(select, 1, books[index]->key);
        if (sqlite3_step(select) == SQLITE_ROW) books[index]->pages = sqlite3_column_int64(select, 0);
        sqlite3_reset(select);
        result.checksum += (double)books[index]->pages;
    }
    sqlite3_finalize(select);
    store_run(&result, db, "COMMIT");
    store_clock_stop(clock, &result);
    result.count = (int64_t)count;
    sqlite3_close(db);
    return result;
}
