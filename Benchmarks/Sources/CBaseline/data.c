#include "CBaseline.h"

#include <malloc.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// splitmix64: a small generator whose sequence depends on the seed alone.
static uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

static const char *const words[] = {
    "amber", "basalt", "cedar", "dune", "ember", "fjord", "garnet", "harbour", "island", "juniper", "kestrel",
    "lantern", "meadow", "north", "orchard", "pebble", "quartz", "river", "summit", "thistle", "umbra", "valley",
    "willow", "yarrow", "zephyr", "harvest", "winter", "stone", "paper", "glass", "brücke", "éclair",
};
enum { word_count = sizeof(words) / sizeof(words[0]) };

static char *sentence(uint64_t *state, int minimum_length) {
    char text[256];
    size_t length = 0;
    while ((int)length < minimum_length) {
        const char *word = words[next_random(state) % word_count];
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s", length == 0 ? "" : " ", word);
    }
    if (text[0] >= 'a' && text[0] <= 'z') {
        text[0] = (char)(text[0] - 'a' + 'A');
    }
    return strdup(text);
}

baseline_data *baseline_data_make(int32_t author_count, int32_t book_count) {
    uint64_t state = 20010101;
    baseline_data *data = malloc(sizeof(*data));
    data->author_count = author_count;
    data->book_count = book_count;
    data->authors = calloc((size_t)author_count, sizeof(*data->authors));
    data->books = calloc((size_t)book_count, sizeof(*data->books));
    for (int32_t index = 0; index < author_count; index++) {
        baseline_author *author = &data->authors[index];
        author->name = sentence(&state, 10);
        author->joined = (double)(next_random(&state) % 700000000) + 0.25;
        author->active = (int)(next_random(&state) & 1);
    }
    for (int32_t index = 0; index < book_count; index++) {
        baseline_book *book = &data->books[index];
        char isbn[16];
        // A bijection on the index, so that numbers are unique and come in no order.
        uint64_t number = ((uint64_t)index * 2654435761ull) & 0xFFFFFFFFull;
        snprintf(isbn, sizeof(isbn), "978%010llu", (unsigned long long)number);
        book->isbn = strdup(isbn);
        book->title = sentence(&state, 22);
        book->note = (next_random(&state) & 1) ? sentence(&state, 75) : NULL;
        book->pages = (int64_t)(40 + next_random(&state) % 1200);
        book->price = (double)(next_random(&state) % 10000) / 100.0;
        book->published = (double)(next_random(&state) % 700000000) + 0.5;
        book->rating = (float)(next_random(&state) % 50) / 10.0f;
        book->author = (int32_t)(next_random(&state) % (uint64_t)author_count);
    }
    return data;
}

int64_t baseline_heap_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
}

int64_t baseline_sqlite_bytes(void) {
    return sqlite3_memory_used();
}

const char *baseline_sqlite_version(void) {
    return sqlite3_libversion();
}

double baseline_cpu_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}
