#ifndef OPENCOREDATA_CSQLITE_SHIM_H
#define OPENCOREDATA_CSQLITE_SHIM_H
#include <sqlite3.h>
#include <stddef.h>

/* sqlite3_db_config and sqlite3_mprintf take variable arguments; Swift cannot call such functions. */
static inline int opencoredata_db_config(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, NULL);
}
#endif
