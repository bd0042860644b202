#ifndef OPENCOREDATA_BENCHMARKS_CPOSTGRESQLBASELINE_H
#define OPENCOREDATA_BENCHMARKS_CPOSTGRESQLBASELINE_H

#include "CBaseline.h"

// The benchmark's work in plain C over libpq, on the tables that Core Data made in a PostgreSQL database. libpq finds the
// server by its environment (PGHOST, PGUSER).
//
// Every function connects, measures the work alone, and disconnects.

typedef struct {
    double seconds;
    double client_seconds;  // processor time of this process
    double server_seconds;  // processor time of the server's processes that serve the database
    double checksum;
    int64_t count;
    char error[256];
} postgresql_result;

// Makes a struct for every author and book, then writes them in one transaction: by COPY in binary form, or by INSERT from
// arrays of 1,000 rows in one pipeline.
postgresql_result postgresql_insert(const char *database, const baseline_data *data, int by_copy);

// Reads all books into structs, then reads every field of each once.
postgresql_result postgresql_read_all(const char *database);

// One book by primary key, `count` times, by a prepared statement. The keys are those of the books at these indexes.
postgresql_result postgresql_read_by_key(const char *database, const int64_t *indexes, int64_t count);

// The author's name of every book and the number of books of every author: all books, the authors of all of them, and the
// books of all authors by three statements with `= ANY`.
postgresql_result postgresql_read_authors(const char *database);

// Reads all books into structs, changes two of their values, and writes these with the version that was read: by UPDATE
// from arrays of 1,000 rows in one pipeline.
postgresql_result postgresql_update(const char *database);

// Runs a statement in a database, to prepare it for other works.
postgresql_result postgresql_execute(const char *database, const char *sql);

// Processor time that the server's processes of a database have used so far, in seconds, as the kernel counted it in
// nanoseconds (/proc/PID/schedstat); found by their titles, which name the database.
double postgresql_server_seconds(const char *database);

// Counts from now on how often this process turns from sending to receiving; the second function returns the count.
// libpq's `send` and `recv` are those of this file; users of libpq need do nothing.
void postgresql_count_round_trips(void);
int64_t postgresql_round_trips(void);

#endif
