#include "store.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t key;
    double timestamp;
    char *author;
    char *context;
} transaction;

typedef struct {
    int64_t key;
    int64_t transaction;
    int64_t object;
    int32_t type;
    int32_t entity;
    int32_t column_bytes;
    unsigned char columns[16];
} change;

static void read_history(baseline_result *result, sqlite3 *db, const void *input) {
    (void)input;
    store_run(result, db, "BEGIN");
    size_t transaction_count = 0;
    size_t change_count = 0;
    size_t transaction_capacity = 64;
    size_t change_capacity = 1024;
    transaction *transactions = malloc(sizeof(*transactions) * transaction_capacity);
    change *changes = malloc(sizeof(*changes) * change_capacity);
    sqlite3_stmt *select = store_prepare(result, db,
                                         "SELECT t.Z_PK,t.ZTIMESTAMP,a.ZNAME,c.ZNAME FROM ATRANSACTION t "
                                         "LEFT JOIN ATRANSACTIONSTRING a ON a.Z_PK=t.ZAUTHORTS "
                                         "LEFT JOIN ATRANSACTIONSTRING c ON c.Z_PK=t.ZCONTEXTNAMETS ORDER BY t.Z_PK");
    while (sqlite3_step(select) == SQLITE_ROW) {
        if (transaction_count == transaction_capacity) {
            transaction_capacity *= 2;
            transactions = realloc(transactions, sizeof(*transactions) * transaction_capacity);
        }
        transactions[transaction_count++] =
            (transaction){sqlite3_column_int64(select, 0), sqlite3_column_double(select, 1),
                          store_column_string(select, 2), store_column_string(select, 3)};
    }
    sqlite3_finalize(select);
    select = store_prepare(result, db,
                           "SELECT Z_PK,ZTRANSACTIONID,ZENTITYPK,ZCHANGETYPE,ZENTITY,ZCOLUMNS FROM ACHANGE "
                           "ORDER BY Z_PK");
    while (sqlite3_step(select) == SQLITE_ROW) {
        if (change_count == change_capacity) {
            change_capacity *= 2;
            changes = realloc(changes, sizeof(*changes) * change_capacity);
        }
        change *next = &changes[change_count++];
        next->key = sqlite3_column_int64(select, 0);
        next->transaction = sqlite3_column_int64(select, 1);
        next->object = sqlite3_column_int64(select, 2);
        next->type = sqlite3_column_int(select, 3);
        next->entity = sqlite3_column_int(select, 4);
        const void *bytes = sqlite3_column_blob(select, 5);
        next->column_bytes = sqlite3_column_bytes(select, 5);
        if (next->column_bytes > (int32_t)sizeof(next->columns)) next->column_bytes = sizeof(next->columns);
        if (bytes) memcpy(next->columns, bytes, (size_t)next->column_bytes);
    }
    sqlite3_finalize(select);
    store_run(result, db, "COMMIT");
    for (size_t index = 0; index < change_count; index++) {
        result->checksum += (double)changes[index].key + changes[index].type;
    }
    result->count = (int64_t)change_count;
    for (size_t index = 0; index < transaction_count; index++) {
        free(transactions[index].author);
        free(transactions[index].context);
    }
    free(transactions);
    free(changes);
}

baseline_result baseline_read_history(const char *path, int64_t cache_size) {
    return store_measure(path, cache_size, read_history, NULL);
}
