#include "store.h"

#include <stdio.h>
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
    baseline_book values;   // its strings are copies of its own
    author_object *author;
} book_object;

static void write_author(baseline_result *result, sqlite3 *db, sqlite3_stmt *insert, int entity, int64_t key,
                         const char *name, double joined, int active) {
    sqlite3_bind_int64(insert, 1, key);
    sqlite3_bind_int(insert, 2, entity);
    sqlite3_bind_int(insert, 3, active);
    sqlite3_bind_double(insert, 4, joined);
    sqlite3_bind_text(insert, 5, name, -1, SQLITE_STATIC);
    if (sqlite3_step(insert) != SQLITE_DONE) {
        store_fail(result, db, "INSERT INTO ZAUTHOR");
    }
    sqlite3_reset(insert);
}

static void insert(baseline_result *result, sqlite3 *db, const void *input) {
    const baseline_data *data = input;
    author_object **authors = malloc(sizeof(*authors) * (size_t)data->author_count);
    for (int32_t index = 0; index < data->author_count; index++) {
        const baseline_author *source = &data->authors[index];
        author_object *author = malloc(sizeof(*author));
        author->name = store_copy_string(source->name);
        author->joined = source->joined;
        author->active = source->active;
        authors[index] = author;
    }
    book_object **books = malloc(sizeof(*books) * (size_t)data->book_count);
    for (int32_t index = 0; index < data->book_count; index++) {
        const baseline_book *source = &data->books[index];
        book_object *book = malloc(sizeof(*book));
        book->values = *source;
        book->values.title = store_copy_string(source->title);
        book->values.isbn = store_copy_string(source->isbn);
        book->values.note = store_copy_string(source->note);
        book->author = authors[source->author];
        books[index] = book;
    }

    store_run(result, db, "BEGIN IMMEDIATE");
    int author_entity = store_entity_number(result, db, "Author");
    int book_entity = store_entity_number(result, db, "Book");
    int64_t key = store_reserve_keys(result, db, "Author", data->author_count);
    sqlite3_stmt *insert = store_prepare(result, db, INSERT_AUTHOR);
    for (int32_t index = 0; index < data->author_count; index++, key++) {
        author_object *author = authors[index];
        author->key = key;
        write_author(result, db, insert, author_entity, key, author->name, author->joined, author->active);
    }
    sqlite3_finalize(insert);
    key = store_reserve_keys(result, db, "Book", data->book_count);
    insert = store_prepare(result, db, INSERT_BOOK);
    for (int32_t index = 0; index < data->book_count; index++, key++) {
        book_object *book = books[index];
        book->key = key;
        store_write_book(result, db, insert, book_entity, key, book->author->key, &book->values);
    }
    sqlite3_finalize(insert);
    store_run(result, db, "COMMIT");
    result->count = data->author_count + data->book_count;
}

baseline_result baseline_insert(const char *path, int64_t cache_size, const baseline_data *data) {
    return store_measure(path, cache_size, insert, data);
}

baseline_result baseline_fill(const char *path, const baseline_data *data) {
    baseline_result result = {0};
    sqlite3 *db = store_open(&result, path, -64000);
    if (!db) {
        return result;
    }
    store_run(&result, db, "BEGIN IMMEDIATE");
    int author_entity = store_entity_number(&result, db, "Author");
    int book_entity = store_entity_number(&result, db, "Book");
    int64_t first_author = store_reserve_keys(&result, db, "Author", data->author_count);
    int64_t first_book = store_reserve_keys(&result, db, "Book", data->book_count);
    sqlite3_stmt *insert_author = store_prepare(&result, db, INSERT_AUTHOR);
    sqlite3_stmt *insert_book = store_prepare(&result, db, INSERT_BOOK);
    for (int32_t index = 0; index < data->author_count; index++) {
        const baseline_author *author = &data->authors[index];
        write_author(&result, db, insert_author, author_entity, first_author + index, author->name, author->joined,
                     author->active);
    }
    for (int32_t index = 0; index < data->book_count; index++) {
        const baseline_book *book = &data->books[index];
        store_write_book(&result, db, insert_book, book_entity, first_book + index, first_author + book->author, book);
        if (index % 10000 == 9999) {
            store_run(&result, db, "COMMIT");
            store_run(&result, db, "BEGIN IMMEDIATE");
        }
    }
    sqlite3_finalize(insert_author);
    sqlite3_finalize(insert_book);
    store_run(&result, db, "COMMIT");
    store_run(&result, db, "PRAGMA wal_checkpoint(TRUNCATE)");
    result.count = data->author_count + data->book_count;
    sqlite3_close(db);
    return result;
}
