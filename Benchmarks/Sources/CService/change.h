#ifndef OPENCOREDATA_BENCHMARKS_CHANGE_H
#define OPENCOREDATA_BENCHMARKS_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An integer that may be absent.
typedef struct {
    bool is_there;
    int64_t value;
} change_number;

// The values that a client sends for a book. A value that is absent stays as it is.
typedef struct {
    char *title;
    char *language;
    change_number year;
    change_number pages;
    change_number version;
    // NULL where the client sends no authors.
    char **authors;
    size_t author_count;
    // What is wrong with the body; empty where nothing is.
    char mistake[128];
} book_change;

// Reads a body, which is an object of JSON.
book_change change_read(const char *body, size_t count);
void change_free(book_change *change);

#endif
