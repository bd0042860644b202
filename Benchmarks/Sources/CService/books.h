#ifndef OPENCOREDATA_BENCHMARKS_BOOKS_H
#define OPENCOREDATA_BENCHMARKS_BOOKS_H

#include "change.h"
#include "text.h"

// Status and body of an answer. `id` is that of a new book.
typedef struct {
    unsigned status;
    text body;
    char id[37];
} answer;

// A comparison of an attribute with an integer; both are NULL where all books are wanted.
typedef struct {
    const char *attribute;
    const char *comparison;
    int64_t value;
    int64_t limit;
    int64_t offset;
} book_query;

// A book without its authors.
typedef struct {
    int64_t key;
    char id[37];
    char *title;
    char *language;
    int64_t year;
    int64_t pages;
    int64_t version;
} book;

// What a kind of store does. A connection is for one thread.
typedef struct {
    // Makes the tables where there are none. Returns what has failed, to be freed; NULL where nothing has.
    char *(*prepare)(const char *address);
    // Opens a connection. Returns NULL where that fails, and what has failed.
    void *(*open)(const char *address, answer *failure);
    void (*close)(void *connection);
    answer (*list)(void *connection, const book_query *query);
    answer (*get)(void *connection, const char *id);
    answer (*create)(void *connection, const book_change *change);
    answer (*change)(void *connection, const char *id, const book_change *change);
} book_store;

extern const book_store sqlite_store;
#ifdef SERVICE_HAS_LIBPQ
extern const book_store postgresql_store;
#endif

// Answers with a status and {"error": …}.
answer books_refuse(unsigned status, const char *reason);
answer books_there_is_none(void);
answer books_has_version(int64_t version);

// Frees the body of an answer that is not sent.
void books_discard(answer *answer);

// Adds the object of a book, with its keys in alphabetical order: first this, then its authors, then the rest.
void book_add_start(text *text);
void book_add_rest(text *text, const book *book);

// Whether both are known; both have places in the lists of those that are.
bool books_can_compare(const book_query *query, size_t *attribute, size_t *comparison);
#define BOOKS_ATTRIBUTES 3
#define BOOKS_COMPARISONS 6

// Takes over the values that a client sends.
void book_apply(book *book, const book_change *change);
// Checks the values of a book as the model does. The status is 0 where all are valid.
answer book_check(const book *book, const book_change *change);

// An identifier as its bytes and as text.
void id_write(const unsigned char id[16], char string[37]);
bool id_read(const char *string, unsigned char id[16]);
// A new random identifier, of the version 4.
bool id_make(unsigned char id[16]);

#endif
