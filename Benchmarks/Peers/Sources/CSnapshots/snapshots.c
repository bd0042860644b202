#include <sqlite3.h>

// GRDB calls SQLite's snapshots, which many Linux systems build SQLite without: a program with GRDB does not link there.
// Only GRDB's observations and its snapshot pools use them. The works here have neither, so that nothing calls these.

int sqlite3_snapshot_get(sqlite3 *db, const char *schema, sqlite3_snapshot **snapshot) {
    (void)db, (void)schema, (void)snapshot;
    return SQLITE_ERROR;
}

int sqlite3_snapshot_open(sqlite3 *db, const char *schema, sqlite3_snapshot *snapshot) {
    (void)db, (void)schema, (void)snapshot;
    return SQLITE_ERROR;
}

int sqlite3_snapshot_cmp(sqlite3_snapshot *first, sqlite3_snapshot *second) {
    (void)first, (void)second;
    return 0;
}

void sqlite3_snapshot_free(sqlite3_snapshot *snapshot) {
    (void)snapshot;
}
