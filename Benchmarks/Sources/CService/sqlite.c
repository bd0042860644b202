#include "books.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    BEGIN_READING,
    BEGIN_WRITING,
    COMMIT,
    ROLLBACK,
    SELECT_BOOK,
    SELECT_AUTHORS,
    SELECT_AUTHOR,
    INSERT_BOOK,
    INSERT_AUTHOR,
    UPDATE_BOOK,
    LINK,
    UNLINK,
    STATEMENTS
} statement;

#define COLUMNS "key, id, title, language, year, pages, version"

static const char *const sql[STATEMENTS] = {
    [BEGIN_READING] = "BEGIN",
    [BEGIN_WRITING] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [SELECT_BOOK] = "SELECT " COLUMNS " FROM book WHERE id = ?",
    [SELECT_AUTHORS] =
        "SELECT name FROM book_author JOIN author ON key = book_author.author WHERE book_author.book = ? ORDER BY name",
    [SELECT_AUTHOR] = "SELECT key FROM author WHERE name = ?",
    [INSERT_BOOK] = "INSERT INTO book(id, title, language, year, pages, version) VALUES (?, ?, ?, ?, ?, ?)",
    [INSERT_AUTHOR] = "INSERT INTO author(name) VALUES (?)",
    [UPDATE_BOOK] = "UPDATE book SET title = ?, language = ?, year = ?, pages = ?, version = ? WHERE key = ?",
    [LINK] = "INSERT OR IGNORE INTO book_author(book, author) VALUES (?, ?)",
    [UNLINK] = "DELETE FROM book_author WHERE book = ?",
};

static const char schema[] =
    "PRAGMA journal_mode = WAL;"
    "CREATE TABLE IF NOT EXISTS author(key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE IF NOT EXISTS book(key INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, title TEXT NOT NULL,"
    " language TEXT NOT NULL, year INTEGER NOT NULL, pages INTEGER NOT NULL, version INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS book_author(book INTEGER NOT NULL REFERENCES book, author INTEGER NOT NULL REFERENCES"
    " author, PRIMARY KEY(book, author)) WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS author_book ON book_author(author, book);";

// The statements of a query, by its attribute and comparison; those of all books are the last ones.
typedef struct {
    sqlite3_stmt *list;
    sqlite3_stmt *count;
} query_statements;

typedef struct {
    sqlite3 *db;
    sqlite3_stmt *statements[STATEMENTS];
    query_statements queries[BOOKS_ATTRIBUTES * BOOKS_COMPARISONS + 1];
} connection;

// SQLite lets only one connection write. Threads wait here, where they are woken in time.
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

static answer failed(sqlite3 *db) {
    return books_refuse(500, db ? sqlite3_errmsg(db) : "no memory");
}

// MARK: Connections

static sqlite3 *open_store(const char *path, int flags) {
    sqlite3 *db = NULL;
    int status = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | flags, NULL);
    if (status == SQLITE_OK) status = sqlite3_busy_timeout(db, 10000);
    // As the library sets up its connections.
    static const char pragmas[] = "PRAGMA cache_size = -32768; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY";
    if (status == SQLITE_OK) sqlite3_exec(db, pragmas, NULL, NULL, NULL);
    return db;
}

static char *prepare(const char *path) {
    sqlite3 *db = open_store(path, SQLITE_OPEN_CREATE);
    char *failure = NULL;
    if (!db || sqlite3_errcode(db) != SQLITE_OK || sqlite3_exec(db, schema, NULL, NULL, NULL) != SQLITE_OK) {
        failure = strdup(db ? sqlite3_errmsg(db) : "no memory");
    }
    sqlite3_close(db);
    return failure;
}

static void close_connection(void *argument) {
    connection *books = argument;
    for (size_t place = 0; place < STATEMENTS; place++) sqlite3_finalize(books->statements[place]);
    for (size_t place = 0; place < sizeof(books->queries) / sizeof(*books->queries); place++) {
        sqlite3_finalize(books->queries[place].list);
        sqlite3_finalize(books->queries[place].count);
    }
    sqlite3_close(books->db);
    free(books);
}

static void *open_connection(const char *path, answer *failure) {
    connection *books = calloc(1, sizeof(*books));
    if (!books) abort();
    books->db = open_store(path, 0);
    if (!books->db || sqlite3_errcode(books->db) != SQLITE_OK) {
        *failure = failed(books->db);
        close_connection(books);
        return NULL;
    }
    return books;
}

// MARK: Statements

// A statement, prepared at its first use. SQLite answers SQLITE_MISUSE to each call with NULL, so that only the step
// needs a check.
static sqlite3_stmt *prepared(connection *books, statement statement) {
    sqlite3_stmt **place = &books->statements[statement];
    if (!*place) sqlite3_prepare_v3(books->db, sql[statement], -1, SQLITE_PREPARE_PERSISTENT, place, NULL);
    return *place;
}

// Runs a statement without rows, and lets it be used again.
static bool run(sqlite3_stmt *statement) {
    bool is_done = sqlite3_step(statement) == SQLITE_DONE;
    return sqlite3_reset(statement) == SQLITE_OK && is_done;
}

static void bind_string(sqlite3_stmt *statement, int place, const char *string) {
    sqlite3_bind_text(statement, place, string, -1, SQLITE_STATIC);
}

// MARK: Reading

// The book in a row of COLUMNS. Its texts are those of the statement, until its next step.
static book row_of(sqlite3_stmt *statement) {
    book book = {
        .key = sqlite3_column_int64(statement, 0),
        .title = (char *)sqlite3_column_text(statement, 2),
        .language = (char *)sqlite3_column_text(statement, 3),
        .year = sqlite3_column_int64(statement, 4),
        .pages = sqlite3_column_int64(statement, 5),
        .version = sqlite3_column_int64(statement, 6),
    };
    const void *id = sqlite3_column_blob(statement, 1);
    if (id && sqlite3_column_bytes(statement, 1) == 16) id_write(id, book.id);
    return book;
}

// Adds a book with its authors. Returns false where SQLite has failed.
static bool add_book(connection *books, text *text, const book *book) {
    sqlite3_stmt *authors = prepared(books, SELECT_AUTHORS);
    sqlite3_bind_int64(authors, 1, book->key);
    book_add_start(text);
    int status;
    for (bool is_first = true; (status = sqlite3_step(authors)) == SQLITE_ROW; is_first = false) {
        if (!is_first) text_add(text, ",", 1);
        text_add_quoted(text, (const char *)sqlite3_column_text(authors, 0));
    }
    book_add_rest(text, book);
    return sqlite3_reset(authors) == SQLITE_OK && status == SQLITE_DONE;
}

// Answers with one book.
static answer show(connection *books, unsigned status, const book *book) {
    answer answer = {.status = status};
    if (!add_book(books, &answer.body, book)) {
        books_discard(&answer);
        return failed(books->db);
    }
    text_add_string(&answer.body, "\n");
    return answer;
}

// A transaction sees one state of the store, and takes SQLite's locks once.
static answer in_transaction(connection *books, statement begin, answer (*body)(connection *, const void *),
                             const void *argument) {
    if (!run(prepared(books, begin))) return failed(books->db);
    answer answer = body(books, argument);
    if (answer.status < 300 && !run(prepared(books, COMMIT))) {
        books_discard(&answer);
        answer = failed(books->db);
    }
    if (!sqlite3_get_autocommit(books->db)) run(prepared(books, ROLLBACK));
    return answer;
}

// Returns the statements of a query, prepared at their first use; NULL where it compares what cannot be compared.
static query_statements *statements_of(connection *books, const book_query *query) {
    size_t place = BOOKS_ATTRIBUTES * BOOKS_COMPARISONS;
    if (query->attribute) {
        size_t attribute, comparison;
        if (!books_can_compare(query, &attribute, &comparison)) return NULL;
        place = attribute * BOOKS_COMPARISONS + comparison;
    }
    query_statements *found = &books->queries[place];
    if (!found->list) {
        char condition[64] = "", text[256];
        if (query->attribute) {
            snprintf(condition, sizeof(condition), "WHERE %s %s ?3", query->attribute, query->comparison);
        }
        snprintf(text, sizeof(text), "SELECT " COLUMNS " FROM book %s ORDER BY title, id LIMIT ?1 OFFSET ?2",
                 condition);
        sqlite3_prepare_v3(books->db, text, -1, SQLITE_PREPARE_PERSISTENT, &found->list, NULL);
    }
    if (!found->count) {
        char text[128] = "SELECT count(*) FROM book";
        if (query->attribute) {
            snprintf(text, sizeof(text), "SELECT count(*) FROM book WHERE %s %s ?1", query->attribute,
                     query->comparison);
        }
        sqlite3_prepare_v3(books->db, text, -1, SQLITE_PREPARE_PERSISTENT, &found->count, NULL);
    }
    return found;
}

static answer list(connection *books, const void *argument) {
    const book_query *query = argument;
    query_statements *statements = statements_of(books, query);
    if (!statements) return books_refuse(400, "where: this service compares year, pages or version with an integer");
    sqlite3_stmt *rows = statements->list, *count = statements->count;
    sqlite3_bind_int64(rows, 1, query->limit);
    sqlite3_bind_int64(rows, 2, query->offset);
    if (query->attribute) {
        sqlite3_bind_int64(rows, 3, query->value);
        sqlite3_bind_int64(count, 1, query->value);
    }
    answer answer = {.status = 200};
    bool is_whole = true;
    int status = SQLITE_DONE;
    text_add_string(&answer.body, "{\"books\":[");
    for (bool is_first = true; is_whole && (status = sqlite3_step(rows)) == SQLITE_ROW; is_first = false) {
        if (!is_first) text_add(&answer.body, ",", 1);
        book book = row_of(rows);
        is_whole = add_book(books, &answer.body, &book);
    }
    is_whole = sqlite3_reset(rows) == SQLITE_OK && is_whole && status == SQLITE_DONE;
    if (is_whole) {
        is_whole = sqlite3_step(count) == SQLITE_ROW;
        text_add_string(&answer.body, "],\"count\":");
        text_add_number(&answer.body, sqlite3_column_int64(count, 0));
        text_add_string(&answer.body, "}\n");
        is_whole = sqlite3_reset(count) == SQLITE_OK && is_whole;
    }
    if (is_whole) return answer;
    books_discard(&answer);
    return failed(books->db);
}

static answer list_books(void *books, const book_query *query) {
    return in_transaction(books, BEGIN_READING, list, query);
}

// Finds a book. Returns SQLITE_ROW, SQLITE_DONE where there is none, or an error; the texts are to be freed.
static int find(connection *books, const char *string, book *book) {
    unsigned char id[16];
    if (!id_read(string, id)) return SQLITE_DONE;
    sqlite3_stmt *select = prepared(books, SELECT_BOOK);
    sqlite3_bind_blob(select, 1, id, 16, SQLITE_STATIC);
    int status = sqlite3_step(select);
    if (status == SQLITE_ROW) {
        *book = row_of(select);
        book->title = strdup(book->title);
        book->language = strdup(book->language);
    }
    sqlite3_reset(select);
    return status;
}

static void free_book(book *book) {
    free(book->title);
    free(book->language);
}

static answer get(connection *books, const void *id) {
    book book;
    int status = find(books, id, &book);
    if (status == SQLITE_DONE) return books_there_is_none();
    if (status != SQLITE_ROW) return failed(books->db);
    answer answer = show(books, 200, &book);
    free_book(&book);
    return answer;
}

static answer get_book(void *books, const char *id) {
    return in_transaction(books, BEGIN_READING, get, id);
}

// MARK: Writing

// Finds an author, or makes it; 0 where SQLite has failed.
static int64_t author_named(connection *books, const char *name) {
    sqlite3_stmt *select = prepared(books, SELECT_AUTHOR);
    bind_string(select, 1, name);
    int status = sqlite3_step(select);
    int64_t key = status == SQLITE_ROW ? sqlite3_column_int64(select, 0) : 0;
    sqlite3_reset(select);
    if (status != SQLITE_DONE) return key;
    sqlite3_stmt *insert = prepared(books, INSERT_AUTHOR);
    bind_string(insert, 1, name);
    return run(insert) ? sqlite3_last_insert_rowid(books->db) : 0;
}

static bool link_authors(connection *books, int64_t key, const book_change *change) {
    for (size_t place = 0; place < change->author_count; place++) {
        int64_t author = author_named(books, change->authors[place]);
        sqlite3_stmt *link = prepared(books, LINK);
        sqlite3_bind_int64(link, 1, key);
        sqlite3_bind_int64(link, 2, author);
        if (!author || !run(link)) return false;
    }
    return true;
}

static answer create(connection *books, const void *argument) {
    const book_change *change = argument;
    book book = {.language = (char *)"en", .version = 1};
    book_apply(&book, change);
    answer refusal = book_check(&book, change);
    if (refusal.status) return refusal;
    unsigned char id[16];
    if (!id_make(id)) return books_refuse(500, "the system gives no random numbers");
    sqlite3_stmt *insert = prepared(books, INSERT_BOOK);
    id_write(id, book.id);
    sqlite3_bind_blob(insert, 1, id, 16, SQLITE_STATIC);
    bind_string(insert, 2, book.title);
    bind_string(insert, 3, book.language);
    sqlite3_bind_int64(insert, 4, book.year);
    sqlite3_bind_int64(insert, 5, book.pages);
    sqlite3_bind_int64(insert, 6, book.version);
    if (!run(insert)) return failed(books->db);
    book.key = sqlite3_last_insert_rowid(books->db);
    if (!link_authors(books, book.key, change)) return failed(books->db);
    answer answer = show(books, 201, &book);
    memcpy(answer.id, book.id, sizeof(answer.id));
    return answer;
}

// Changes a book that was found. The texts in `changed` are those of the book or of the change.
static answer change_found(connection *books, const book *found, const book_change *change) {
    if (found->version != change->version.value) return books_has_version(found->version);
    book changed = *found;
    book_apply(&changed, change);
    changed.version += 1;
    answer refusal = book_check(&changed, change);
    if (refusal.status) return refusal;
    sqlite3_stmt *update = prepared(books, UPDATE_BOOK);
    bind_string(update, 1, changed.title);
    bind_string(update, 2, changed.language);
    sqlite3_bind_int64(update, 3, changed.year);
    sqlite3_bind_int64(update, 4, changed.pages);
    sqlite3_bind_int64(update, 5, changed.version);
    sqlite3_bind_int64(update, 6, changed.key);
    if (!run(update)) return failed(books->db);
    if (change->authors) {
        sqlite3_stmt *unlink = prepared(books, UNLINK);
        sqlite3_bind_int64(unlink, 1, changed.key);
        if (!run(unlink) || !link_authors(books, changed.key, change)) return failed(books->db);
    }
    return show(books, 200, &changed);
}

// A change and the book that it is meant for.
typedef struct {
    const char *id;
    const book_change *change;
} aimed_change;

static answer change(connection *books, const void *argument) {
    const aimed_change *aimed = argument;
    book book;
    int status = find(books, aimed->id, &book);
    if (status == SQLITE_DONE) return books_there_is_none();
    if (status != SQLITE_ROW) return failed(books->db);
    answer answer = change_found(books, &book, aimed->change);
    free_book(&book);
    return answer;
}

static answer write_alone(connection *books, answer (*body)(connection *, const void *), const void *argument) {
    pthread_mutex_lock(&writing);
    answer answer = in_transaction(books, BEGIN_WRITING, body, argument);
    pthread_mutex_unlock(&writing);
    return answer;
}

static answer create_book(void *books, const book_change *change) {
    return write_alone(books, create, change);
}

static answer change_book(void *books, const char *id, const book_change *wanted) {
    if (!wanted->version.is_there) return books_refuse(400, "version: say which one you have read");
    aimed_change aimed = {.id = id, .change = wanted};
    return write_alone(books, change, &aimed);
}

const book_store sqlite_store = {
    .prepare = prepare,
    .open = open_connection,
    .close = close_connection,
    .list = list_books,
    .get = get_book,
    .create = create_book,
    .change = change_book,
};
