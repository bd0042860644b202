#include "change.h"

#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reads a body from its beginning to its end. After a mistake `next` is the end, so that all that follows fails, too.
typedef struct {
    const char *next;
    const char *end;
    book_change *change;
} reader;

static bool wrong(reader *reader, const char *where, const char *what) {
    if (!reader->change->mistake[0]) {
        snprintf(reader->change->mistake, sizeof(reader->change->mistake), "%.60s: %s", where, what);
    }
    reader->next = reader->end;
    return false;
}

// The next byte that is no space; 0 at the end.
static char peek(reader *reader) {
    while (reader->next < reader->end && strchr(" \t\r\n", *reader->next) && *reader->next) reader->next++;
    return reader->next < reader->end ? *reader->next : 0;
}

static bool take(reader *reader, char wanted) {
    if (peek(reader) != wanted || reader->next == reader->end) return false;
    reader->next++;
    return true;
}

static bool take_word(reader *reader, const char *word) {
    size_t count = strlen(word);
    peek(reader);
    if ((size_t)(reader->end - reader->next) < count || memcmp(reader->next, word, count) != 0) return false;
    reader->next += count;
    return true;
}

// The four digits behind \u; -1 where there are none.
static int32_t code_unit(reader *reader) {
    int32_t unit = 0;
    if (reader->end - reader->next < 4) return -1;
    for (int digit = 0; digit < 4; digit++) {
        char byte = *reader->next++;
        int value = byte >= '0' && byte <= '9' ? byte - '0' : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 :
            byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
        if (value < 0) return -1;
        unit = unit * 16 + value;
    }
    return unit;
}

// Adds a character that is written as \uXXXX, or as two of them.
static bool add_escaped(reader *reader, text *text) {
    int32_t code = code_unit(reader);
    if (code >= 0xD800 && code < 0xDC00) {
        if (!take_word(reader, "\\u")) return false;
        int32_t low = code_unit(reader);
        if (low < 0xDC00 || low > 0xDFFF) return false;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code <= 0 || (code >= 0xDC00 && code <= 0xDFFF)) {
        return false;
    }
    char bytes[4];
    size_t count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t place = count - 1; place > 0; place--, code >>= 6) bytes[place] = (char)(0x80 | (code & 0x3F));
    bytes[0] = (char)(first[count] | code);
    text_add(text, bytes, count);
    return true;
}

// A string, which is to be freed; NULL after a mistake.
static char *string(reader *reader, const char *where) {
    text text = {0};
    if (!take(reader, '"')) {
        wrong(reader, where, "a string is expected");
        return NULL;
    }
    while (reader->next < reader->end && *reader->next != '"') {
        char byte = *reader->next++;
        bool is_read = (unsigned char)byte >= 0x20;
        if (byte == '\\' && reader->next < reader->end) {
            static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
            char escape = *reader->next++;
            const char *place = escape ? strchr(escapes, escape) : NULL;
            if (place) {
                text_add(&text, &meanings[place - escapes], 1);
            } else {
                is_read = escape == 'u' && add_escaped(reader, &text);
            }
        } else if (is_read) {
            text_add(&text, &byte, 1);
        }
        if (!is_read) wrong(reader, where, "the string is not valid");
    }
    if (!take(reader, '"')) {
        wrong(reader, where, "the string has no end");
        free(text.bytes);
        return NULL;
    }
    text_add(&text, "", 1);
    return text.bytes;
}

static bool number(reader *reader, const char *where, change_number *number) {
    bool is_negative = take(reader, '-');
    const char *start = reader->next;
    int64_t value = 0;
    while (reader->next < reader->end && *reader->next >= '0' && *reader->next <= '9') {
        if (reader->next - start == 18) return wrong(reader, where, "the number is too large");
        value = value * 10 + (*reader->next++ - '0');
    }
    if (reader->next == start) return wrong(reader, where, "an integer is expected");
    *number = (change_number){.is_there = true, .value = is_negative ? -value : value};
    return true;
}

static bool number_of_32_bits(reader *reader, const char *where, change_number *result) {
    if (!number(reader, where, result)) return false;
    if (result->value == (int32_t)result->value) return true;
    return wrong(reader, where, "the number is too large");
}

static bool authors(reader *reader, book_change *change) {
    size_t capacity = 4;
    if (!take(reader, '[')) return wrong(reader, "authors", "an array is expected");
    // A key that comes twice counts with its last value.
    for (size_t place = 0; place < change->author_count; place++) free(change->authors[place]);
    change->author_count = 0;
    change->authors = realloc(change->authors, sizeof(char *) * capacity);
    if (take(reader, ']')) return true;
    do {
        char *name = string(reader, "authors");
        if (!name) return false;
        if (change->author_count == capacity) {
            capacity *= 2;
            change->authors = realloc(change->authors, sizeof(char *) * capacity);
        }
        change->authors[change->author_count++] = name;
    } while (take(reader, ','));
    return take(reader, ']') || wrong(reader, "authors", "the array has no end");
}

// Reads over a value of a key that means nothing here.
static bool skip(reader *reader, int depth) {
    change_number ignored;
    if (depth > 100) return wrong(reader, "body", "it is too deep");
    switch (peek(reader)) {
    case '"': {
        char *value = string(reader, "body");
        free(value);
        return value != NULL;
    }
    case '[':
    case '{': {
        char end = *reader->next++ == '[' ? ']' : '}';
        if (take(reader, end)) return true;
        do {
            if (end == '}') {
                char *key = string(reader, "body");
                free(key);
                if (!key || !take(reader, ':')) return wrong(reader, "body", "it is no JSON");
            }
            if (!skip(reader, depth + 1)) return false;
        } while (take(reader, ','));
        return take(reader, end) || wrong(reader, "body", "it is no JSON");
    }
    default:
        return take_word(reader, "null") || take_word(reader, "true") || take_word(reader, "false") ||
            number(reader, "body", &ignored);
    }
}

static bool read_string(reader *reader, const char *key, char **value) {
    free(*value);
    return (*value = string(reader, key)) != NULL;
}

static bool value(reader *reader, const char *key) {
    book_change *change = reader->change;
    if (take_word(reader, "null")) return true;
    if (strcmp(key, "title") == 0) return read_string(reader, key, &change->title);
    if (strcmp(key, "language") == 0) return read_string(reader, key, &change->language);
    if (strcmp(key, "year") == 0) return number_of_32_bits(reader, key, &change->year);
    if (strcmp(key, "pages") == 0) return number_of_32_bits(reader, key, &change->pages);
    if (strcmp(key, "version") == 0) return number(reader, key, &change->version);
    if (strcmp(key, "authors") == 0) return authors(reader, change);
    return skip(reader, 0);
}

book_change change_read(const char *body, size_t count) {
    book_change change = {0};
    reader reader = {.next = body, .end = body + count, .change = &change};
    if (!take(&reader, '{')) {
        wrong(&reader, "body", "an object is expected");
        return change;
    }
    if (!take(&reader, '}')) {
        do {
            char *key = string(&reader, "body");
            bool is_read = key && take(&reader, ':') ? value(&reader, key) : wrong(&reader, "body", "it is no JSON");
            free(key);
            if (!is_read) return change;
        } while (take(&reader, ','));
        if (!take(&reader, '}')) wrong(&reader, "body", "the object has no end");
    }
    peek(&reader);
    if (reader.next != reader.end) wrong(&reader, "body", "the object is followed by something");
    return change;
}

void change_free(book_change *change) {
    for (size_t place = 0; place < change->author_count; place++) free(change->authors[place]);
    free(change->authors);
    free(change->title);
    free(change->language);
}
