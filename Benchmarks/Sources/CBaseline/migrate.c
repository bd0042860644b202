#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

baseline_result baseline_add_columns(const char *path, int32_t count) {
    baseline_result result = {0};
    sqlite3 *db = store_open(&result, path, 0);
    if (!db) {
        return result;
    }
    store_clock clock = store_clock_start();
    store_run(&result, db, "BEGIN IMMEDIATE");
    for (int32_t index = 0; index < count; index++) {
        char sql[96];
        snprintf(sql, sizeof(sql), "ALTER TABLE ZBOOK ADD COLUMN ZEXTRA%d VARCHAR", index + 1);
        store_run(&result, db, sql);
    }
    store_run(&result, db, "COMMIT");
    store_clock_stop(clock, &result);
    result.count = count;
    sqlite3_close(db);
    return result;
}

// The first column of the rows of a query, run as statements on another connection; with `from` replaced by `to`, and
// once.
static void run_definitions(baseline_result *result, sqlite3 *db, const char *query, sqlite3 *target,
                            const char *from[], const char *to[], int replacements) {
    char *texts[64];
    int count = 0;
    sqlite3_stmt *select = store_prepare(result, db, query);
    while (count < 64 && sqlite3_step(select) == SQLITE_ROW) {
        texts[count++] = strdup((const char *)sqlite3_column_text(select, 0));
    }
    sqlite3_finalize(select);
    for (int number = 0; number < count; number++) {
        char *text = texts[number];
        for (int index = 0; index < replacements; index++) {
            char *place = strstr(text, from[index]);
            if (!place) {
                continue;
            }
            size_t head = (size_t)(place - text);
            char *changed = malloc(strlen(text) + strlen(to[index]) + 1);
            memcpy(changed, text, head);
            strcpy(changed + head, to[index]);
            strcat(changed, place + strlen(from[index]));
            free(text);
            text = changed;
        }
        store_run(result, target, text);
        free(text);
    }
}

baseline_result baseline_rewrite_table(const char *path) {
    baseline_result result = {0};
    sqlite3 *db = store_open(&result, path, -65536);
    if (!db) {
        return result;
    }
    store_run(&result, db, "PRAGMA synchronous=FULL");
    store_clock clock = store_clock_start();
    store_run(&result, db, "BEGIN IMMEDIATE");
    // The definitions of the indexes outlive the table in a table of their own.
    store_run(&result, db,
        "CREATE TEMP TABLE definitions AS SELECT sql FROM sqlite_master "
        "WHERE type='index' AND tbl_name='ZBOOK' AND sql NOT NULL");
    const char *from[] = {"ZBOOK", "ZPAGES INTEGER"};
    const char *to[] = {"ZBOOKNEW", "ZPAGES FLOAT"};
    run_definitions(&result, db, "SELECT sql FROM sqlite_master WHERE type='table' AND name='ZBOOK'", db, from, to, 2);
    store_run(&result, db, "INSERT INTO ZBOOKNEW SELECT * FROM ZBOOK");
    result.count = sqlite3_changes(db);
    store_run(&result, db, "DROP TABLE ZBOOK");
    store_run(&result, db, "ALTER TABLE ZBOOKNEW RENAME TO ZBOOK");
    run_definitions(&result, db, "SELECT sql FROM definitions", db, NULL, NULL, 0);
    store_run(&result, db, "COMMIT");
    store_clock_stop(clock, &result);
    sqlite3_close(db);
    return result;
}

baseline_result baseline_copy_rows(const char *source, const char *destination) {
    baseline_result result = {0};
    sqlite3 *db = store_open(&result, source, -32768);
    if (!db) {
        return result;
    }
    store_clock clock = store_clock_start();
    sqlite3 *copy = NULL;
    if (sqlite3_open(destination, &copy) != SQLITE_OK) {
        store_fail(&result, copy, "open");
        return result;
    }
    store_run(&result, copy,
        "PRAGMA page_size=4096; PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA cache_size=-32768; BEGIN");
    const char *from[] = {"ZTITLE VARCHAR"};
    const char *to[] = {"ZTITLE VARCHAR, ZEXTRA1 VARCHAR, ZEXTRA2 VARCHAR"};
    run_definitions(&result, db, "SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY type DESC", copy, from, to, 1);

    sqlite3_stmt *read = store_prepare(&result, db, "SELECT Z_PK,Z_ENT,ZACTIVE,ZJOINED,ZNAME FROM ZAUTHOR");
    sqlite3_stmt *insert = store_prepare(&result, copy, INSERT_AUTHOR);
    while (sqlite3_step(read) == SQLITE_ROW) {
        for (int column = 0; column < 5; column++) {
            sqlite3_bind_value(insert, column + 1, sqlite3_column_value(read, column));
        }
        if (sqlite3_step(insert) != SQLITE_DONE) {
            store_fail(&result, copy, "INSERT INTO ZAUTHOR");
        }
        sqlite3_reset(insert);
        result.count++;
    }
    sqlite3_finalize(read);
    sqlite3_finalize(insert);

    read = store_prepare(&result, db, "SELECT Z_ENT," BOOK_COLUMNS " FROM ZBOOK");
    insert = store_prepare(&result, copy,
                     "INSERT INTO ZBOOK(Z_ENT,Z_OPT," BOOK_COLUMNS ",ZEXTRA1) VALUES(?1,1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)");
    while (sqlite3_step(read) == SQLITE_ROW) {
        for (int column = 0; column < 10; column++) {
            sqlite3_bind_value(insert, column + 1, sqlite3_column_value(read, column));
        }
        char text[512];
        snprintf(text, sizeof(text), "%s, %lld", (const char *)sqlite3_column_text(read, 2),
                 (long long)sqlite3_column_int64(read, 4));
        sqlite3_bind_text(insert, 11, text, -1, SQLITE_STATIC);
        if (sqlite3_step(insert) != SQLITE_DONE) {
            store_fail(&result, copy, "INSERT INTO ZBOOK");
        }
        sqlite3_reset(insert);
        result.count++;
    }
    sqlite3_finalize(read);
    sqlite3_finalize(insert);
    store_run(&result, copy, "COMMIT");
    sqlite3_close(copy);
    store_clock_stop(clock, &result);
    sqlite3_close(db);
    return result;
}

baseline_result baseline_execute(const char *path, const char *sql) {
    baseline_result result = {0};
    sqlite3 *db = NULL;
    if (sqlite3_open(path, &db) == SQLITE_OK) {
        store_run(&result, db, sql);
    } else {
        store_fail(&result, db, "open");
    }
    sqlite3_close(db);
    return result;
}
