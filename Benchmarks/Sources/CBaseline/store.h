#ifndef OPENCOREDATA_BENCHMARKS_STORE_H
#define OPENCOREDATA_BENCHMARKS_STORE_H

#include "CBaseline.h"

#include <sqlite3.h>
#include <stddef.h>

// What the pieces of work in C have in common: a connection, a clock, a book as a struct.

// Remembers the first failure.
void store_fail(baseline_result *result, sqlite3 *db, const char *what);
int store_run(baseline_result *result, sqlite3 *db, const char *sql);
sqlite3_stmt *store_prepare(baseline_result *result, sqlite3 *db, const char *sql);
sqlite3 *store_open(baseline_result *result, const char *path, int64_t cache_size);
char *store_copy_string(const char *text);
char *store_column_string(sqlite3_stmt *statement, int column);

// The time that a piece of work takes: `stop` writes it into the result.
typedef struct {
    double start;
    double cpu_start;
} store_clock;
store_clock store_clock_start(void);
void store_clock_stop(store_clock clock, baseline_result *result);

// Opens a store, measures a piece of work that gets the input, and closes the store.
typedef void (*store_work)(baseline_result *result, sqlite3 *db, const void *input);
baseline_result store_measure(const char *path, int64_t cache_size, store_work work, const void *input);

// Seconds by the clock, from any moment.
double store_now(void);

// Primary keys that are gathered.
typedef struct {
    int64_t *keys;
    size_t count;
    size_t capacity;
} store_keys;
void store_keys_add(store_keys *keys, int64_t key);

#define INSERT_AUTHOR "INSERT INTO ZAUTHOR(Z_PK,Z_ENT,Z_OPT,ZACTIVE,ZJOINED,ZNAME) VALUES(?,?,1,?,?,?)"
#define INSERT_BOOK \
    "INSERT INTO ZBOOK(Z_PK,Z_ENT,Z_OPT,ZPAGES,ZAUTHOR,ZPRICE,ZPUBLISHED,ZRATING,ZISBN,ZNOTE,ZTITLE) " \
    "VALUES(?,?,1,?,?,?,?,?,?,?,?)"
#define BOOK_COLUMNS "Z_PK,ZTITLE,ZISBN,ZPAGES,ZPRICE,ZPUBLISHED,ZRATING,ZNOTE,ZAUTHOR"

typedef struct {
    int64_t key;
    char *title;
    char *isbn;
    char *note;
    int64_t pages;
    double price;
    double published;
    float rating;
    int64_t author;
} fetched_book;

fetched_book *book_from_row(sqlite3_stmt *statement);

// All books as structs; `count` says how many.
fetched_book **store_all_books(baseline_result *result, sqlite3 *db, size_t *count);

// The books that a statement over BOOK_COLUMNS finds.
fetched_book **store_books(baseline_result *result, sqlite3 *db, const char *sql, size_t *count);

// Reads every field once.
double read_fields(const fetched_book *book);

// Takes `count` primary keys of an entity, as Core Data does; returns the first.
int64_t store_reserve_keys(baseline_result *result, sqlite3 *db, const char *entity, int64_t count);
int store_entity_number(baseline_result *result, sqlite3 *db, const char *entity);

// Runs INSERT_BOOK for a row of the source; `author` is a primary key, 0 for none.
void store_write_book(baseline_result *result, sqlite3 *db, sqlite3_stmt *insert, int entity, int64_t key,
                      int64_t author, const baseline_book *book);

#endif
