#include "connection.h"

#if BASELINE_HAS_LIBPQ
#include <endian.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t key;
    int64_t version;
    char *title;
    char *isbn;
    char *note;
    int64_t pages;
    double price;
    double published;
    float rating;
    int64_t author;
} fetched_book;

#define SELECT_BOOK \
    "SELECT id, version, title, isbn, note, pages, price, published, rating, author_id FROM book"

static int64_t int64_at(PGresult *rows, int row, int column) {
    uint64_t value;
    memcpy(&value, PQgetvalue(rows, row, column), sizeof(value));
    return (int64_t)be64toh(value);
}

static double double_at(PGresult *rows, int row, int column) {
    int64_t bits = int64_at(rows, row, column);
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static char *text_at(PGresult *rows, int row, int column) {
    if (PQgetisnull(rows, row, column)) return NULL;
    size_t length = (size_t)PQgetlength(rows, row, column);
    char *text = malloc(length + 1);
    memcpy(text, PQgetvalue(rows, row, column), length);
    text[length] = 0;
    return text;
}

static fetched_book *book_at(PGresult *rows, int row) {
    fetched_book *book = malloc(sizeof(*book));
    uint32_t rating;
    memcpy(&rating, PQgetvalue(rows, row, 8), sizeof(rating));
    rating = be32toh(rating);
    book->key = int64_at(rows, row, 0);
    book->version = int64_at(rows, row, 1);
    book->title = text_at(rows, row, 2);
    book->isbn = text_at(rows, row, 3);
    book->note = text_at(rows, row, 4);
    book->pages = int64_at(rows, row, 5);
    book->price = double_at(rows, row, 6);
    book->published = (double)(int64_at(rows, row, 7) - 31622400000000) / 1e6;
    memcpy(&book->rating, &rating, sizeof(rating));
    book->author = PQgetisnull(rows, row, 9) ? 0 : int64_at(rows, row, 9);
    return book;
}

static double read_fields(const fetched_book *book) {
    double sum = (double)book->pages + book->price + book->published + (double)book->rating;
    sum += (double)(strlen(book->title) + strlen(book->isbn));
    sum += book->note ? (double)strlen(book->note) : 0;
    return sum + (book->author ? 1 : 0);
}

typedef struct {
    fetched_book **books;
    size_t count;
} fetched_books;

static fetched_books all_books(postgresql_result *result, PGconn *connection) {
    PGresult *rows = PQexecParams(connection, SELECT_BOOK, 0, NULL, NULL, NULL, NULL, 1);
    if (PQresultStatus(rows) != PGRES_TUPLES_OK) pq_fail(result, connection, "SELECT");
    fetched_books all = {NULL, (size_t)PQntuples(rows)};
    all.books = malloc(sizeof(*all.books) * (all.count + 1));
    for (size_t index = 0; index < all.count; index++) all.books[index] = book_at(rows, (int)index);
    PQclear(rows);
    return all;
}

static void read_all(postgresql_result *result, PGconn *connection, const void *input) {
    (void)input;
    fetched_books all = all_books(result, connection);
    for (size_t index = 0; index < all.count; index++) result->checksum += read_fields(all.books[index]);
    result->count = (int64_t)all.count;
}

postgresql_result postgresql_read_all(const char *database) { return pq_measure(database, read_all, NULL); }

// One by one.

typedef struct {
    const int64_t *keys;
    int64_t count;
} key_request;

static void read_by_key(postgresql_result *result, PGconn *connection, const void *input) {
    const key_request *request = input;
    const Oid type = pq_type_int8;
    PQclear(PQprepare(connection, "book", SELECT_BOOK " WHERE id = $1", 1, &type));
    for (int64_t index = 0; index < request->count; index++) {
        uint64_t key = htobe64((uint64_t)request->keys[index]);
        const char *value = (const char *)&key;
        const int length = sizeof(key), format = 1;
        PGresult *rows = PQexecPrepared(connection, "book", 1, &value, &length, &format, 1);
        if (PQresultStatus(rows) != PGRES_TUPLES_OK) pq_fail(result, connection, "SELECT");
        if (PQntuples(rows) == 1) {
            result->checksum += read_fields(book_at(rows, 0));
            result->count++;
        }
        PQclear(rows);
    }
}

postgresql_result postgresql_read_by_key(const char *database, const int64_t *indexes, int64_t count) {
    postgresql_result result = {0};
    PGconn *connection = pq_open(&result, database);
    if (!connection) return result;
    PGresult *rows = PQexecParams(connection, "SELECT id FROM book", 0, NULL, NULL, NULL, NULL, 1);
    int64_t *keys = malloc(sizeof(*keys) * (size_t)count);
    for (int64_t index = 0; index < count; index++) {
        keys[index] = indexes[index] < PQntuples(rows) ? int64_at(rows, (int)indexes[index], 0) : 0;
    }
    PQclear(rows);
    PQfinish(connection);
    result = pq_measure(database, read_by_key, &(key_request){keys, count});
    free(keys);
    return result;
}

// Relationships.

typedef struct {
    int64_t key;
    char *name;
    double joined;
    int active;
    int64_t books;
} fetched_author;

static int by_key(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

// Runs a statement with a list of keys.
static PGresult *with_keys(postgresql_result *result, PGconn *connection, const char *sql, const int64_t *keys, size_t count) {
    pq_arrays list = {1, {pq_type_int8}, {{0}}};
    pq_begin_arrays(&list, (int)count);
    for (size_t index = 0; index < count; index++) pq_int64(&list.columns[0], keys[index]);
    const char *value = list.columns[0].bytes;
    const int length = (int)list.columns[0].count, format = 1;
    const Oid type = pq_type_int8_array;
    PGresult *rows = PQexecParams(connection, sql, 1, &type, &value, &length, &format, 1);
    if (PQresultStatus(rows) != PGRES_TUPLES_OK) pq_fail(result, connection, sql);
    free(list.columns[0].bytes);
    return rows;
}

// Authors are found by a search in the ordered array of their keys.
static void read_authors(postgresql_result *result, PGconn *connection, const void *input) {
    (void)input;
    fetched_books all = all_books(result, connection);
    int64_t *keys = malloc(sizeof(*keys) * (all.count + 1));
    for (size_t index = 0; index < all.count; index++) keys[index] = all.books[index]->author;
    qsort(keys, all.count, sizeof(*keys), by_key);
    size_t count = 0;
    for (size_t index = 0; index < all.count; index++) {
        if (keys[index] && (count == 0 || keys[count - 1] != keys[index])) keys[count++] = keys[index];
    }
    PGresult *rows = with_keys(
        result, connection, "SELECT id, name, joined, active FROM author WHERE id = ANY($1) ORDER BY id", keys, count);
    size_t found = (size_t)PQntuples(rows);
    fetched_author *authors = calloc(found + 1, sizeof(*authors));
    for (size_t index = 0; index < found; index++) {
        authors[index] = (fetched_author){
            int64_at(rows, (int)index, 0), text_at(rows, (int)index, 1),
            (double)(int64_at(rows, (int)index, 2) - 31622400000000) / 1e6, PQgetvalue(rows, (int)index, 3)[0], 0};
    }
    PQclear(rows);
    for (size_t index = 0; index < all.count; index++) {
        fetched_author *author = bsearch(&all.books[index]->author, authors, found, sizeof(*authors), by_key);
        if (author) result->checksum += (double)strlen(author->name);
    }
    rows = with_keys(result, connection, "SELECT author_id, id FROM book WHERE author_id = ANY($1)", keys, count);
    int members = PQntuples(rows);
    for (int row = 0; row < members; row++) {
        int64_t key = int64_at(rows, row, 0);
        fetched_author *author = bsearch(&key, authors, found, sizeof(*authors), by_key);
        if (author && int64_at(rows, row, 1) > 0) author->books++;
    }
    PQclear(rows);
    for (size_t index = 0; index < found; index++) {
        result->checksum += (double)authors[index].books;
        result->count += authors[index].books > 0;
    }
    free(keys);
}

postgresql_result postgresql_read_authors(const char *database) { return pq_measure(database, read_authors, NULL); }

// Changing.

static void update(postgresql_result *result, PGconn *connection, const void *input) {
    (void)input;
    fetched_books all = all_books(result, connection);
    for (size_t index = 0; index < all.count; index++) {
        all.books[index]->pages += 1;
        all.books[index]->price += 0.25;
    }
    pq_arrays rows = {4, {pq_type_int8, pq_type_int8, pq_type_int8, pq_type_float8}, {{0}}};
    if (!PQenterPipelineMode(connection)) pq_fail(result, connection, "pipeline");
    PQsendQueryParams(connection, "BEGIN", 0, NULL, NULL, NULL, NULL, 0);
    PQsendPrepare(connection, "books",
                  "UPDATE book b SET version = b.version + 1, pages = v.pages, price = v.price FROM unnest($1::int8[], "
                  "$2::int8[], $3::int8[], $4::float8[]) v(id, version, pages, price) "
                  "WHERE b.id = v.id AND b.version = v.version",
                  0, NULL);
    for (size_t start = 0; start < all.count; start += pq_rows_together) {
        size_t end = start + pq_rows_together < all.count ? start + pq_rows_together : all.count;
        pq_begin_arrays(&rows, (int)(end - start));
        for (size_t index = start; index < end; index++) {
            pq_int64(&rows.columns[0], all.books[index]->key);
            pq_int64(&rows.columns[1], all.books[index]->version);
            pq_int64(&rows.columns[2], all.books[index]->pages);
            pq_double(&rows.columns[3], all.books[index]->price);
        }
        pq_send_arrays(result, connection, "books", &rows);
    }
    PQsendQueryParams(connection, "COMMIT", 0, NULL, NULL, NULL, NULL, 0);
    if (pq_end_pipeline(result, connection) != (int64_t)all.count) {
        pq_fail(result, connection, "not all books were changed");
    }
    result->count = (int64_t)all.count;
}

postgresql_result postgresql_update(const char *database) { return pq_measure(database, update, NULL); }
#endif
