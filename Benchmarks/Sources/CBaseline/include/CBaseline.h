#ifndef OPENCOREDATA_BENCHMARKS_CBASELINE_H
#define OPENCOREDATA_BENCHMARKS_CBASELINE_H

#include <stdint.h>

// The benchmark's work in plain C over SQLite: what the machine can do without an object graph.
//
// Every function opens the store at `path`, prepares what a program would have ready, measures the work alone, and
// closes the store. The tables, indexes and pragmas are those of a store that Core Data made.

typedef struct {
    const char *name;
    double joined;
    int active;
} baseline_author;

typedef struct {
    const char *title;
    const char *isbn;
    const char *note;   // NULL for half of the books
    int64_t pages;
    double price;
    double published;   // seconds since 2001
    float rating;
    int32_t author;     // index into the authors
} baseline_book;

// The source data, the same for every contender: authors and books from a seeded generator.
typedef struct {
    int32_t author_count;
    int32_t book_count;
    baseline_author *authors;
    baseline_book *books;
} baseline_data;

baseline_data *baseline_data_make(int32_t author_count, int32_t book_count);

// What a measured piece of work says. `error` is empty when it went well.
typedef struct {
    double seconds;
    double cpu_seconds;
    double checksum;
    int64_t count;
    char error[256];
} baseline_result;

// W1: make a struct for every author and book, then write them in one transaction, primary keys reserved as Core
// Data does. `first_author_key`..: the keys start after those that the store has handed out.
baseline_result baseline_insert(const char *path, int64_t cache_size, const baseline_data *data);

// The same rows in transactions of 10,000, without structs: fills the template stores.
baseline_result baseline_fill(const char *path, const baseline_data *data);

// R1: read all books into structs, then read every field of each once.
baseline_result baseline_read_all(const char *path, int64_t cache_size);

// R3: one book by primary key, `count` times, inside one read transaction.
baseline_result baseline_read_by_key(const char *path, int64_t cache_size, const int64_t *keys, int64_t count);

// R3: one book by its unique isbn, `count` times, inside one read transaction. `books` are indexes into the data.
baseline_result baseline_read_by_isbn(const char *path, int64_t cache_size, const baseline_data *data,
                                      const int64_t *books, int64_t count);

// R1: the primary keys of all books.
baseline_result baseline_read_ids(const char *path, int64_t cache_size);

// How many books there are, `times` times.
baseline_result baseline_count_books(const char *path, int64_t cache_size, int64_t times);

// R2: books with more than so many pages whose title begins with a letter, the newest 100, `times` times with other
// values.
baseline_result baseline_query(const char *path, int64_t cache_size, int64_t times);

// R2 with an index: the newest 20 books of an author with more than so many pages, `times` times, one of `authors` after
// the other.
baseline_result baseline_query_by_author(const char *path, int64_t cache_size, int64_t authors, int64_t times);

// R4: the author's name of every book and the number of books of every author; with all authors read at once, or each
// when it is first asked for.
baseline_result baseline_read_authors(const char *path, int64_t cache_size, int is_lazy);

// A1: the average price by author, `times` times.
baseline_result baseline_average(const char *path, int64_t cache_size, int64_t times);

// Four values of every book.
baseline_result baseline_read_values(const char *path, int64_t cache_size);

// U1: read all books, change two of their values, write these.
baseline_result baseline_update(const char *path, int64_t cache_size);

// The first `wanted` books, one after the other: another value, in a transaction of its own.
baseline_result baseline_save_each(const char *path, int64_t cache_size, int64_t wanted);

// D1: delete the authors with an even key, and their books.
baseline_result baseline_delete_half(const char *path, int64_t cache_size);

// The rows of the books, without authors and structs, by one prepared statement.
baseline_result baseline_batch_insert(const char *path, int64_t cache_size, const baseline_data *data);

// The same rows, made as an array of structs with strings of their own first.
baseline_result baseline_batch_insert_array(const char *path, int64_t cache_size, const baseline_data *data);

// One more page for every book, and another note; all books of more than 640 pages deleted: one statement each.
baseline_result baseline_batch_update(const char *path, int64_t cache_size);
baseline_result baseline_batch_delete(const char *path, int64_t cache_size);

// The transactions and changes of the history, as structs.
baseline_result baseline_read_history(const char *path, int64_t cache_size);

// The books whose title contains each of the words, whatever the case and marks; by a registered function.
baseline_result baseline_search(const char *path, int64_t cache_size, const char *const *words, int64_t count);

// The books whose title contains each of the words as it is; by SQLite's instr.
baseline_result baseline_search_exactly(const char *path, int64_t cache_size, const char *const *words, int64_t count);

// All books sorted by rating and isbn, and how many ratings there are.
baseline_result baseline_fetch_results(const char *path, int64_t cache_size);

// Another rating for so many of these books, in memory; the list in order again.
baseline_result baseline_change_results(const char *path, int64_t cache_size, int64_t changes);

// Reads the changed value of the first `wanted` books anew, which are structs already.
baseline_result baseline_merge(const char *path, int64_t cache_size, int64_t wanted);

// One book by its isbn, `count` times. With a writer, another thread saves a hundred changed books at a time.
// `latencies` has room for `count` seconds; the result's count is how often the writer saved.
baseline_result baseline_read_single(const char *path, int64_t cache_size, const baseline_data *data,
                                     const int64_t *books, int64_t count, int has_writer, double *latencies);

// Under callgrind: counts the instructions of the calling thread from now on, or no longer. Otherwise nothing happens.
void baseline_count(int is_on);

// Whether this was compiled where valgrind's headers are; otherwise nothing is ever counted.
int baseline_can_count(void);

// Adds `count` nullable columns to ZBOOK by ALTER TABLE in one transaction.
baseline_result baseline_add_columns(const char *path, int32_t count);

// Gives ZBOOK another type of column the way SQL does it: a new table, INSERT ... SELECT, DROP, RENAME, indexes again; one
// transaction that reaches the disk.
baseline_result baseline_rewrite_table(const char *path);

// Copies authors and books row by row into a new store at `destination`, where each book has two more columns, one of them
// made of two existing ones: read, change a value, insert with a prepared statement.
baseline_result baseline_copy_rows(const char *source, const char *destination);

// Runs statements on a store, to prepare it for other works.
baseline_result baseline_execute(const char *path, const char *sql);

// Writes the model that a store keeps of itself, decompressed, into a file: a `.mom`.
baseline_result baseline_write_model(const char *store, const char *file);

// The version of the SQLite that all contenders work with.
const char *baseline_sqlite_version(void);

// Processor time that this process has used so far, in seconds.
double baseline_cpu_seconds(void);

// Bytes that this process has taken from the heap (all arenas), and the part of them that SQLite holds.
int64_t baseline_heap_bytes(void);
int64_t baseline_sqlite_bytes(void);

#endif
