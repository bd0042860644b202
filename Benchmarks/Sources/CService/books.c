#include "books.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

// MARK: Answers

answer books_refuse(unsigned status, const char *reason) {
    answer answer = {.status = status};
    text_add_string(&answer.body, "{\"error\":");
    text_add_quoted(&answer.body, reason);
    text_add_string(&answer.body, "}\n");
    return answer;
}

answer books_there_is_none(void) {
    return books_refuse(404, "there is no such book");
}

answer books_has_version(int64_t version) {
    char reason[64];
    snprintf(reason, sizeof(reason), "the book has version %lld now", (long long)version);
    return books_refuse(409, reason);
}

void books_discard(answer *answer) {
    free(answer->body.bytes);
    answer->body = (text){0};
}

void book_add_start(text *text) {
    text_add_string(text, "{\"authors\":[");
}

void book_add_rest(text *text, const book *book) {
    text_add_string(text, "],\"id\":\"");
    text_add_string(text, book->id);
    text_add_string(text, "\",\"language\":");
    text_add_quoted(text, book->language);
    text_add_string(text, ",\"pages\":");
    text_add_number(text, book->pages);
    text_add_string(text, ",\"title\":");
    text_add_quoted(text, book->title);
    text_add_string(text, ",\"version\":");
    text_add_number(text, book->version);
    text_add_string(text, ",\"year\":");
    text_add_number(text, book->year);
    text_add_string(text, "}");
}

bool books_can_compare(const book_query *query, size_t *attribute, size_t *comparison) {
    static const char *const attributes[BOOKS_ATTRIBUTES] = {"year", "pages", "version"};
    static const char *const comparisons[BOOKS_COMPARISONS] = {"=", "!=", "<", "<=", ">", ">="};
    for (*attribute = 0; *attribute < BOOKS_ATTRIBUTES; ++*attribute) {
        if (strcmp(attributes[*attribute], query->attribute) != 0) continue;
        for (*comparison = 0; *comparison < BOOKS_COMPARISONS; ++*comparison) {
            if (strcmp(comparisons[*comparison], query->comparison) == 0) return true;
        }
    }
    return false;
}

// MARK: Identifiers

void id_write(const unsigned char id[16], char string[37]) {
    static const char digits[] = "0123456789ABCDEF";
    for (int place = 0; place < 16; place++) {
        *string++ = digits[id[place] >> 4];
        *string++ = digits[id[place] & 15];
        if (place == 3 || place == 5 || place == 7 || place == 9) *string++ = '-';
    }
    *string = 0;
}

bool id_read(const char *string, unsigned char id[16]) {
    for (int place = 0; place < 16; place++) {
        unsigned value = 0;
        for (int half = 0; half < 2; half++, string++) {
            char byte = *string;
            int digit = byte >= '0' && byte <= '9' ? byte - '0' : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 :
                byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
            if (digit < 0) return false;
            value = value * 16 + (unsigned)digit;
        }
        id[place] = (unsigned char)value;
        if ((place == 3 || place == 5 || place == 7 || place == 9) && *string++ != '-') return false;
    }
    return *string == 0;
}

bool id_make(unsigned char id[16]) {
    if (getrandom(id, 16, 0) != 16) return false;
    id[6] = (id[6] & 0x0F) | 0x40;
    id[8] = (id[8] & 0x3F) | 0x80;
    return true;
}

// MARK: Values

void book_apply(book *book, const book_change *change) {
    if (change->title) book->title = change->title;
    if (change->language) book->language = change->language;
    if (change->year.is_there) book->year = change->year.value;
    if (change->pages.is_there) book->pages = change->pages.value;
}

// The number of characters of a string.
static size_t length(const char *string) {
    size_t count = 0;
    for (; *string; string++) count += ((unsigned char)*string & 0xC0) != 0x80;
    return count;
}

// Adds a value that is not valid, with the code of the error that the library has for it.
static void add_field(text *fields, const char *field, int code, const char *reason) {
    text_add_string(fields, fields->count ? ",{\"code\":" : "{\"code\":");
    text_add_number(fields, code);
    text_add_string(fields, ",\"field\":");
    text_add_quoted(fields, field);
    text_add_string(fields, ",\"reason\":");
    text_add_quoted(fields, reason);
    text_add_string(fields, "}");
}

static void check_length(text *fields, const char *field, const char *value, size_t most) {
    if (!value) {
        add_field(fields, field, 1570, "it is missing");
    } else if (!*value) {
        add_field(fields, field, 1670, "it is too short");
    } else if (length(value) > most) {
        add_field(fields, field, 1660, "it is too long");
    }
}

static void check_range(text *fields, const char *field, int64_t value, int64_t least, int64_t most) {
    if (value > most) add_field(fields, field, 1610, "it is too large");
    if (value < least) add_field(fields, field, 1620, "it is too small");
}

answer book_check(const book *book, const book_change *change) {
    text fields = {0};
    answer answer = {0};
    const char *language = book->language;
    if (strlen(language) != 2 || language[0] < 'a' || language[0] > 'z' || language[1] < 'a' || language[1] > 'z') {
        add_field(&fields, "language", 1680, "it is no language");
    }
    for (size_t place = 0; place < change->author_count; place++) {
        check_length(&fields, "name", change->authors[place], 100);
    }
    check_range(&fields, "pages", book->pages, 0, 100000);
    check_length(&fields, "title", book->title, 200);
    check_range(&fields, "year", book->year, 1, 2100);
    if (fields.count) {
        answer.status = 422;
        text_add_string(&answer.body, "{\"error\":\"the book is not valid\",\"fields\":[");
        text_add(&answer.body, fields.bytes, fields.count);
        text_add_string(&answer.body, "]}\n");
    }
    free(fields.bytes);
    return answer;
}
