// For memmem.
#define _GNU_SOURCE

#include "store.h"

#include <string.h>

// What a letter of the second block of Unicode (bytes C3 80 to C3 BF) is without its mark, in lower case; 0 for itself.
static const char marked[64] =
    "aaaaaa\0ceeeeiiii\0nooooo\0\0uuuuy\0\0"
    "aaaaaa\0ceeeeiiii\0nooooo\0\0uuuuy\0y";

// Brings a text to lower case without marks; other letters than those of ASCII and the second block stay.
static size_t fold(const unsigned char *text, size_t count, char *folded, size_t capacity) {
    size_t made = 0;
    for (size_t index = 0; index < count && made + 2 < capacity; index++) {
        unsigned char byte = text[index];
        if (byte >= 'A' && byte <= 'Z') {
            folded[made++] = (char)(byte + 32);
        } else if (byte == 0xC3 && index + 1 < count && marked[text[index + 1] & 63]) {
            folded[made++] = marked[text[++index] & 63];
        } else {
            folded[made++] = (char)byte;
        }
    }
    return made;
}

typedef struct {
    char text[64];
    size_t count;
} needle;

static void contains(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    const needle *wanted = sqlite3_user_data(context);
    char folded[1024];
    size_t length = fold(sqlite3_value_text(values[0]), (size_t)sqlite3_value_bytes(values[0]), folded, sizeof(folded));
    sqlite3_result_int(context, memmem(folded, length, wanted->text, wanted->count) != NULL);
}

// Adds up the books that a statement over BOOK_COLUMNS finds.
static void read_found(baseline_result *result, sqlite3_stmt *select) {
    while (sqlite3_step(select) == SQLITE_ROW) {
        result->checksum += read_fields(book_from_row(select));
        result->count++;
    }
    sqlite3_reset(select);
}

baseline_result baseline_search(const char *path, int64_t cache_size, const char *const *words, int64_t count) {
    baseline_result result = {0};
    sqlite3 *db = store_open(&result, path, cache_size);
    if (!db) {
        return result;
    }
    needle wanted = {{0}, 0};
    sqlite3_create_function_v2(db, "folded_contains", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, &wanted, contains, NULL,
                               NULL, NULL);
    store_clock clock = store_clock_start();
    store_run(&result, db, "BEGIN");
    sqlite3_stmt *select =
        store_prepare(&result, db, "SELECT " BOOK_COLUMNS " FROM ZBOOK WHERE folded_contains(ZTITLE)");
    for (int64_t index = 0; index < count; index++) {
        const char *word = words[index];
        wanted.count = fold((const unsigned char *)word, strlen(word), wanted.text, sizeof(wanted.text));
        read_found(&result, select);
    }
    sqlite3_finalize(select);
    store_run(&result, db, "COMMIT");
    store_clock_stop(clock, &result);
    sqlite3_close(db);
    return result;
}

typedef struct {
    const char *const *words;
    int64_t count;
} word_list;

static void search_exactly(baseline_result *result, sqlite3 *db, const void *input) {
    const word_list *list = input;
    store_run(result, db, "BEGIN");
    sqlite3_stmt *select = store_prepare(result, db, "SELECT " BOOK_COLUMNS " FROM ZBOOK WHERE instr(ZTITLE,?)>0");
    for (int64_t index = 0; index < list->count; index++) {
        sqlite3_bind_text(select, 1, list->words[index], -1, SQLITE_STATIC);
        read_found(result, select);
    }
    sqlite3_finalize(select);
    store_run(result, db, "COMMIT");
}

baseline_result baseline_search_exactly(const char *path, int64_t cache_size, const char *const *words, int64_t count) {
    return store_measure(path, cache_size, search_exactly, &(word_list){words, count});
}
