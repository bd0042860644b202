#include "connection.h"

#if BASELINE_HAS_LIBPQ
#include <endian.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t key;
    char *name;
    double joined;
    int active;
} author_object;

typedef struct {
    int64_t key;
    baseline_book values;  // its strings are copies of its own
    author_object *author;
} book_object;

typedef struct {
    author_object **authors;
    book_object **books;
} objects;

typedef struct {
    const baseline_data *data;
    int by_copy;
} insertion;

static char *copy(const char *text) { return text ? strdup(text) : NULL; }

static objects make_objects(const baseline_data *data) {
    objects all = {
        malloc(sizeof(*all.authors) * (size_t)data->author_count),
        malloc(sizeof(*all.books) * (size_t)data->book_count),
    };
    for (int32_t index = 0; index < data->author_count; index++) {
        const baseline_author *source = &data->authors[index];
        author_object *author = malloc(sizeof(*author));
        *author = (author_object){0, copy(source->name), source->joined, source->active};
        all.authors[index] = author;
    }
    for (int32_t index = 0; index < data->book_count; index++) {
        const baseline_book *source = &data->books[index];
        book_object *book = malloc(sizeof(*book));
        book->values = *source;
        book->values.title = copy(source->title);
        book->values.isbn = copy(source->isbn);
        book->values.note = copy(source->note);
        book->author = all.authors[source->author];
        all.books[index] = book;
    }
    return all;
}

// Takes keys from the sequence of a table, a block of 64 with each call, as the store does. The caller frees them.
static int64_t *reserve(postgresql_result *result, PGconn *connection, const char *table, int32_t count) {
    enum { block = 64 };
    uint64_t calls = htobe64((uint64_t)(count + block - 1) / block);
    const char *values[] = {table, (const char *)&calls};
    int lengths[] = {0, 8}, formats[] = {0, 1};
    const Oid types[] = {pq_type_text, pq_type_int8};
    PGresult *answer = PQexecParams(
        connection, "SELECT nextval(pg_get_serial_sequence($1, 'id')) FROM generate_series(1, $2)", 2, types, values,
        lengths, formats, 1);
    int64_t *keys = malloc(sizeof(*keys) * (size_t)count);
    if (PQresultStatus(answer) != PGRES_TUPLES_OK) {
        pq_fail(result, connection, "reserving keys");
        memset(keys, 0, sizeof(*keys) * (size_t)count);
    } else {
        for (int32_t index = 0; index < count; index++) {
            uint64_t start;
            memcpy(&start, PQgetvalue(answer, index / block, 0), sizeof(start));
            keys[index] = (int64_t)be64toh(start) + index % block;
        }
    }
    PQclear(answer);
    return keys;
}

#define AUTHOR_COLUMNS "id, entity, version, name, joined, active"
#define BOOK_COLUMNS "id, entity, version, title, isbn, pages, price, published, rating, note, author_id"

// COPY in binary form, sent in pieces of 64 KB.

enum { piece = 65536 };

static void begin_copy(postgresql_result *result, PGconn *connection, const char *sql, pq_buffer *buffer) {
    PGresult *answer = PQexec(connection, sql);
    if (PQresultStatus(answer) != PGRES_COPY_IN) pq_fail(result, connection, sql);
    PQclear(answer);
    buffer->count = 0;
    pq_put(buffer, "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
}

static void send_piece(postgresql_result *result, PGconn *connection, pq_buffer *buffer, size_t limit) {
    if (buffer->count < limit) return;
    if (PQputCopyData(connection, buffer->bytes, (int)buffer->count) != 1) pq_fail(result, connection, "COPY");
    buffer->count = 0;
}

static void end_copy(postgresql_result *result, PGconn *connection, pq_buffer *buffer) {
    pq_put16(buffer, -1);
    send_piece(result, connection, buffer, 0);
    if (PQputCopyEnd(connection, NULL) != 1) pq_fail(result, connection, "COPY");
    PGresult *answer;
    while ((answer = PQgetResult(connection))) {
        if (PQresultStatus(answer) != PGRES_COMMAND_OK) pq_fail(result, connection, "COPY");
        PQclear(answer);
    }
}

static void insert_by_copy(postgresql_result *result, PGconn *connection, objects all, const baseline_data *data) {
    pq_buffer buffer = {0};
    pq_run(result, connection, "BEGIN");
    begin_copy(result, connection, "COPY author (" AUTHOR_COLUMNS ") FROM STDIN (FORMAT binary)", &buffer);
    for (int32_t index = 0; index < data->author_count; index++) {
        const author_object *author = all.authors[index];
        pq_put16(&buffer, 6);
        pq_int64(&buffer, author->key);
        pq_text(&buffer, "Author");
        pq_int64(&buffer, 1);
        pq_text(&buffer, author->name);
        pq_date(&buffer, author->joined);
        pq_bool(&buffer, author->active);
        send_piece(result, connection, &buffer, piece);
    }
    end_copy(result, connection, &buffer);
    begin_copy(result, connection, "COPY book (" BOOK_COLUMNS ") FROM STDIN (FORMAT binary)", &buffer);
    for (int32_t index = 0; index < data->book_count; index++) {
        const book_object *book = all.books[index];
        pq_put16(&buffer, 11);
        pq_int64(&buffer, book->key);
        pq_text(&buffer, "Book");
        pq_int64(&buffer, 1);
        pq_text(&buffer, book->values.title);
        pq_text(&buffer, book->values.isbn);
        pq_int64(&buffer, book->values.pages);
        pq_double(&buffer, book->values.price);
        pq_date(&buffer, book->values.published);
        pq_float(&buffer, book->values.rating);
        pq_text(&buffer, book->values.note);
        pq_int64(&buffer, book->author->key);
        send_piece(result, connection, &buffer, piece);
    }
    end_copy(result, connection, &buffer);
    pq_run(result, connection, "COMMIT");
    free(buffer.bytes);
}

// INSERT from arrays, all in one pipeline. The answers are short: the server can send them before the client reads.

static void insert_by_arrays(postgresql_result *result, PGconn *connection, objects all, const baseline_data *data) {
    pq_arrays authors = {
        6, {pq_type_int8, pq_type_text, pq_type_int8, pq_type_text, pq_type_timestamptz, pq_type_bool}, {{0}}};
    pq_arrays books = {
        11,
        {pq_type_int8, pq_type_text, pq_type_int8, pq_type_text, pq_type_text, pq_type_int8, pq_type_float8,
         pq_type_timestamptz, pq_type_float4, pq_type_text, pq_type_int8},
        {{0}}};
    if (!PQenterPipelineMode(connection)) pq_fail(result, connection, "pipeline");
    PQsendQueryParams(connection, "BEGIN", 0, NULL, NULL, NULL, NULL, 0);
    PQsendPrepare(connection, "authors",
                  "INSERT INTO author (" AUTHOR_COLUMNS ") SELECT * FROM unnest($1::int8[], $2::text[], $3::int8[], "
                  "$4::text[], $5::timestamptz[], $6::bool[])",
                  0, NULL);
    for (int32_t start = 0; start < data->author_count; start += pq_rows_together) {
        int32_t end = start + pq_rows_together < data->author_count ? start + pq_rows_together : data->author_count;
        pq_begin_arrays(&authors, end - start);
        for (int32_t index = start; index < end; index++) {
            const author_object *author = all.authors[index];
            pq_int64(&authors.columns[0], author->key);
            pq_text(&authors.columns[1], "Author");
            pq_int64(&authors.columns[2], 1);
            pq_text(&authors.columns[3], author->name);
            pq_date(&authors.columns[4], author->joined);
            pq_bool(&authors.columns[5], author->active);
        }
        pq_send_arrays(result, connection, "authors", &authors);
    }
    PQsendPrepare(connection, "books",
                  "INSERT INTO book (" BOOK_COLUMNS ") SELECT * FROM unnest($1::int8[], $2::text[], $3::int8[], "
                  "$4::text[], $5::text[], $6::int8[], $7::float8[], $8::timestamptz[], $9::float4[], $10::text[], "
                  "$11::int8[])",
                  0, NULL);
    for (int32_t start = 0; start < data->book_count; start += pq_rows_together) {
        int32_t end = start + pq_rows_together < data->book_count ? start + pq_rows_together : data->book_count;
        pq_begin_arrays(&books, end - start);
        for (int32_t index = start; index < end; index++) {
            const book_object *book = all.books[index];
            pq_int64(&books.columns[0], book->key);
            pq_text(&books.columns[1], "Book");
            pq_int64(&books.columns[2], 1);
            pq_text(&books.columns[3], book->values.title);
            pq_text(&books.columns[4], book->values.isbn);
            pq_int64(&books.columns[5], book->values.pages);
            pq_double(&books.columns[6], book->values.price);
            pq_date(&books.columns[7], book->values.published);
            pq_float(&books.columns[8], book->values.rating);
            pq_text(&books.columns[9], book->values.note);
            pq_int64(&books.columns[10], book->author->key);
        }
        pq_send_arrays(result, connection, "books", &books);
    }
    PQsendQueryParams(connection, "COMMIT", 0, NULL, NULL, NULL, NULL, 0);
    if (pq_end_pipeline(result, connection) != data->author_count + data->book_count) {
        pq_fail(result, connection, "not all rows were inserted");
    }
}

static void insert(postgresql_result *result, PGconn *connection, const void *input) {
    const insertion *what = input;
    const baseline_data *data = what->data;
    objects all = make_objects(data);
    int64_t *keys = reserve(result, connection, "author", data->author_count);
    for (int32_t index = 0; index < data->author_count; index++) all.authors[index]->key = keys[index];
    free(keys);
    keys = reserve(result, connection, "book", data->book_count);
    for (int32_t index = 0; index < data->book_count; index++) all.books[index]->key = keys[index];
    free(keys);
    if (what->by_copy) {
        insert_by_copy(result, connection, all, data);
    } else {
        insert_by_arrays(result, connection, all, data);
    }
    result->count = data->author_count + data->book_count;
}

postgresql_result postgresql_insert(const char *database, const baseline_data *data, int by_copy) {
    return pq_measure(database, insert, &(insertion){data, by_copy});
}
#endif
