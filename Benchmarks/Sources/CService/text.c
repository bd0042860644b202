#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_add(text *text, const char *bytes, size_t count) {
    if (text->count + count > text->capacity) {
        size_t capacity = text->capacity ? text->capacity : 256;
        while (capacity < text->count + count) capacity *= 2;
        char *larger = realloc(text->bytes, capacity);
        if (!larger) abort();
        text->bytes = larger;
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->count, bytes, count);
    text->count += count;
}

void text_add_string(text *text, const char *string) {
    text_add(text, string, strlen(string));
}

void text_add_number(text *text, int64_t number) {
    char digits[24];
    int count = snprintf(digits, sizeof(digits), "%" PRId64, number);
    text_add(text, digits, (size_t)count);
}

void text_add_quoted(text *text, const char *string) {
    text_add(text, "\"", 1);
    const char *start = string;
    for (const char *next = string;; next++) {
        unsigned char byte = (unsigned char)*next;
        if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
        text_add(text, start, (size_t)(next - start));
        if (byte == 0) break;
        start = next + 1;
        char escape[8];
        switch (byte) {
        case '"': strcpy(escape, "\\\""); break;
        case '\\': strcpy(escape, "\\\\"); break;
        case '\b': strcpy(escape, "\\b"); break;
        case '\f': strcpy(escape, "\\f"); break;
        case '\n': strcpy(escape, "\\n"); break;
        case '\r': strcpy(escape, "\\r"); break;
        case '\t': strcpy(escape, "\\t"); break;
        default: snprintf(escape, sizeof(escape), "\\u%04x", byte);
        }
        text_add_string(text, escape);
    }
    text_add(text, "\"", 1);
}
