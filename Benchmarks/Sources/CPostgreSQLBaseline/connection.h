#ifndef OPENCOREDATA_BENCHMARKS_CONNECTION_H
#define OPENCOREDATA_BENCHMARKS_CONNECTION_H

#include "CPostgreSQLBaseline.h"

#if BASELINE_HAS_LIBPQ
#include <libpq-fe.h>
#include <stddef.h>

// What the pieces of work have in common: a connection, a clock, values in PostgreSQL's binary form.

// Remembers the first failure.
void pq_fail(postgresql_result *result, PGconn *connection, const char *what);
PGconn *pq_open(postgresql_result *result, const char *database);
// Runs a statement that gives no rows.
void pq_run(postgresql_result *result, PGconn *connection, const char *sql);
// Ends a pipeline: all its results have to be good. Returns how many rows its statements changed.
int64_t pq_end_pipeline(postgresql_result *result, PGconn *connection);

// Opens a database, measures a piece of work that gets the input, and closes it.
typedef void (*pq_work)(postgresql_result *result, PGconn *connection, const void *input);
postgresql_result pq_measure(const char *database, pq_work work, const void *input);

// Bytes that grow.
typedef struct {
    char *bytes;
    size_t count;
    size_t capacity;
} pq_buffer;
void pq_put(pq_buffer *buffer, const void *bytes, size_t count);
void pq_put16(pq_buffer *buffer, int16_t value);
void pq_put32(pq_buffer *buffer, int32_t value);

// Values with their lengths before them, as rows of COPY and arrays have them.
void pq_int64(pq_buffer *buffer, int64_t value);
void pq_double(pq_buffer *buffer, double value);
void pq_float(pq_buffer *buffer, float value);
void pq_bool(pq_buffer *buffer, int value);
void pq_date(pq_buffer *buffer, double seconds);
void pq_text(pq_buffer *buffer, const char *text);

// Arrays, a column of a set of rows each.
enum { pq_rows_together = 1000, pq_columns_at_most = 16 };
typedef struct {
    int count;
    Oid elements[pq_columns_at_most];
    pq_buffer columns[pq_columns_at_most];
} pq_arrays;
void pq_begin_arrays(pq_arrays *arrays, int rows);
// Sends a prepared statement with the arrays, and waits for nothing.
void pq_send_arrays(postgresql_result *result, PGconn *connection, const char *name, const pq_arrays *arrays);

// Types as the server numbers them.
enum { pq_type_bool = 16, pq_type_int8 = 20, pq_type_text = 25, pq_type_float4 = 700, pq_type_float8 = 701,
       pq_type_timestamptz = 1184, pq_type_int8_array = 1016 };

#endif
#endif
