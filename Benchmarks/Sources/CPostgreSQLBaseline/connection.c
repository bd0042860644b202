#include "connection.h"

#if BASELINE_HAS_LIBPQ
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void pq_fail(postgresql_result *result, PGconn *connection, const char *what) {
    if (!result->error[0]) {
        snprintf(result->error, sizeof(result->error), "%s: %s", what, PQerrorMessage(connection));
    }
}

PGconn *pq_open(postgresql_result *result, const char *database) {
    const char *const keywords[] = {"dbname", "client_encoding", NULL};
    const char *const values[] = {database, "UTF8", NULL};
    PGconn *connection = PQconnectdbParams(keywords, values, 0);
    if (PQstatus(connection) != CONNECTION_OK) {
        pq_fail(result, connection, database);
        PQfinish(connection);
        return NULL;
    }
    return connection;
}

void pq_run(postgresql_result *result, PGconn *connection, const char *sql) {
    PGresult *answer = PQexec(connection, sql);
    ExecStatusType status = PQresultStatus(answer);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) pq_fail(result, connection, sql);
    PQclear(answer);
}

int64_t pq_end_pipeline(postgresql_result *result, PGconn *connection) {
    int64_t changed = 0;
    if (!PQpipelineSync(connection)) pq_fail(result, connection, "sync");
    for (;;) {
        PGresult *answer = PQgetResult(connection);
        // Between the results of two statements there is none.
        if (!answer) continue;
        ExecStatusType status = PQresultStatus(answer);
        if (status == PGRES_COMMAND_OK) {
            changed += atoll(PQcmdTuples(answer));
        } else if (status != PGRES_TUPLES_OK && status != PGRES_PIPELINE_SYNC) {
            pq_fail(result, connection, "pipeline");
        }
        PQclear(answer);
        if (status == PGRES_PIPELINE_SYNC || status == PGRES_FATAL_ERROR) break;
    }
    if (!PQexitPipelineMode(connection)) pq_fail(result, connection, "end of the pipeline");
    return changed;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

postgresql_result pq_measure(const char *database, pq_work work, const void *input) {
    postgresql_result result = {0};
    PGconn *connection = pq_open(&result, database);
    if (!connection) return result;
    double server = postgresql_server_seconds(database);
    double start = now();
    double client = baseline_cpu_seconds();
    work(&result, connection, input);
    result.client_seconds = baseline_cpu_seconds() - client;
    result.seconds = now() - start;
    result.server_seconds = postgresql_server_seconds(database) - server;
    PQfinish(connection);
    return result;
}

static void nothing(postgresql_result *result, PGconn *connection, const void *input) {
    pq_run(result, connection, input);
}

postgresql_result postgresql_execute(const char *database, const char *sql) {
    return pq_measure(database, nothing, sql);
}

// Values.

void pq_put(pq_buffer *buffer, const void *bytes, size_t count) {
    if (buffer->count + count > buffer->capacity) {
        buffer->capacity = (buffer->count + count) * 2;
        buffer->bytes = realloc(buffer->bytes, buffer->capacity);
    }
    memcpy(buffer->bytes + buffer->count, bytes, count);
    buffer->count += count;
}

void pq_put16(pq_buffer *buffer, int16_t value) {
    uint16_t big = htobe16((uint16_t)value);
    pq_put(buffer, &big, sizeof(big));
}

void pq_put32(pq_buffer *buffer, int32_t value) {
    uint32_t big = htobe32((uint32_t)value);
    pq_put(buffer, &big, sizeof(big));
}

static void word(pq_buffer *buffer, uint64_t value) {
    struct __attribute__((packed)) { uint32_t length; uint64_t word; } both = {htobe32(8), htobe64(value)};
    pq_put(buffer, &both, sizeof(both));
}

void pq_int64(pq_buffer *buffer, int64_t value) { word(buffer, (uint64_t)value); }

void pq_double(pq_buffer *buffer, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    word(buffer, bits);
}

void pq_float(pq_buffer *buffer, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    pq_put32(buffer, 4);
    pq_put32(buffer, (int32_t)bits);
}

void pq_bool(pq_buffer *buffer, int value) {
    char byte = value != 0;
    pq_put32(buffer, 1);
    pq_put(buffer, &byte, 1);
}

// Seconds since 2001 as microseconds since 2000, which had 366 days.
void pq_date(pq_buffer *buffer, double seconds) {
    word(buffer, (uint64_t)((int64_t)(seconds * 1e6) + 31622400000000));
}

void pq_text(pq_buffer *buffer, const char *text) {
    if (!text) {
        pq_put32(buffer, -1);
        return;
    }
    size_t length = strlen(text);
    pq_put32(buffer, (int32_t)length);
    pq_put(buffer, text, length);
}

void pq_begin_arrays(pq_arrays *arrays, int rows) {
    for (int column = 0; column < arrays->count; column++) {
        pq_buffer *buffer = &arrays->columns[column];
        buffer->count = 0;
        pq_put32(buffer, 1);
        pq_put32(buffer, 1);  // there may be NULLs
        pq_put32(buffer, (int32_t)arrays->elements[column]);
        pq_put32(buffer, rows);
        pq_put32(buffer, 1);
    }
}

void pq_send_arrays(postgresql_result *result, PGconn *connection, const char *name, const pq_arrays *arrays) {
    const char *values[pq_columns_at_most];
    int lengths[pq_columns_at_most], formats[pq_columns_at_most];
    for (int column = 0; column < arrays->count; column++) {
        values[column] = arrays->columns[column].bytes;
        lengths[column] = (int)arrays->columns[column].count;
        formats[column] = 1;
    }
    if (!PQsendQueryPrepared(connection, name, arrays->count, values, lengths, formats, 1)) {
        pq_fail(result, connection, name);
    }
}
#endif
