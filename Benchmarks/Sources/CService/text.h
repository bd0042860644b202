#ifndef OPENCOREDATA_BENCHMARKS_TEXT_H
#define OPENCOREDATA_BENCHMARKS_TEXT_H

#include <stddef.h>
#include <stdint.h>

// Bytes that grow at their end. All zeros are an empty text; `bytes` is to be freed.
typedef struct {
    char *bytes;
    size_t count;
    size_t capacity;
} text;

void text_add(text *text, const char *bytes, size_t count);
void text_add_string(text *text, const char *string);
void text_add_number(text *text, int64_t number);
// Adds a string of JSON.
void text_add_quoted(text *text, const char *string);

#endif
