// The bookshop of Examples/WebService in plain C over the same libraries:
//
//   c-service STORE
//
// STORE is a file of SQLite, or the address of a PostgreSQL database (postgresql:///NAME). The program has the requests
// that `bin/bench server` measures. `where` is one comparison of an attribute with an integer, and books are sorted by
// title. The program prints its address, as the example does.

#include "books.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_BODY (1 << 20)

static const book_store *store;
static const char *address_of_store;
// The connection of a thread, which is closed when the thread ends.
static pthread_key_t connections;

// MARK: Requests

static int64_t number_of(struct MHD_Connection *connection, const char *name, int64_t absent, int64_t least,
                         int64_t most) {
    const char *value = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
    int64_t number = value ? strtoll(value, NULL, 10) : absent;
    return number < least ? least : number > most ? most : number;
}

static answer list(void *books, struct MHD_Connection *connection) {
    book_query query = {
        .limit = number_of(connection, "limit", 20, 1, 100),
        .offset = number_of(connection, "offset", 0, 0, INT64_MAX),
    };
    const char *condition = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "where");
    const char *sort = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "sort");
    if (sort && strcmp(sort, "title") != 0) return books_refuse(400, "sort: this service sorts by title");
    char attribute[16], comparison[3];
    if (condition) {
        long long value;
        int end = 0;
        if (sscanf(condition, " %15[a-z] %2[=!<>] %lld %n", attribute, comparison, &value, &end) != 3 ||
            condition[end]) {
            return books_refuse(400, "where: this service takes an attribute, a comparison and an integer");
        }
        query.attribute = attribute;
        query.comparison = strcmp(comparison, "==") == 0 ? "=" : comparison;
        query.value = value;
    }
    return store->list(books, &query);
}

static answer write_book(void *books, const char *id, const text *body) {
    book_change change = change_read(body->bytes ? body->bytes : "", body->count);
    answer answer = change.mistake[0] ? books_refuse(400, change.mistake) :
        id ? store->change(books, id, &change) : store->create(books, &change);
    change_free(&change);
    return answer;
}

static answer answer_to(struct MHD_Connection *connection, const char *method, const char *path, const text *body) {
    bool is_reading = strcmp(method, "GET") == 0;
    if (is_reading && strcmp(path, "/health") == 0) {
        answer answer = {.status = 200};
        text_add_string(&answer.body, "{\"state\":\"ready\"}\n");
        return answer;
    }
    bool are_books = strcmp(path, "/books") == 0;
    const char *id = strncmp(path, "/books/", 7) == 0 && path[7] ? path + 7 : NULL;
    if (!are_books && !id) return books_refuse(404, "there is nothing here");
    void *books = pthread_getspecific(connections);
    if (!books) {
        answer failure;
        books = store->open(address_of_store, &failure);
        if (!books) return failure;
        pthread_setspecific(connections, books);
    }
    if (is_reading) return id ? store->get(books, id) : list(books, connection);
    if (are_books && strcmp(method, "POST") == 0) return write_book(books, NULL, body);
    if (id && strcmp(method, "PATCH") == 0) return write_book(books, id, body);
    return books_refuse(405, "this is not possible here");
}

// MARK: HTTP

static enum MHD_Result send_answer(struct MHD_Connection *connection, answer *answer) {
    struct MHD_Response *response =
        MHD_create_response_from_buffer(answer->body.count, answer->body.bytes, MHD_RESPMEM_MUST_FREE);
    if (!response) return MHD_NO;
    MHD_add_response_header(response, "Content-Type", "application/json");
    if (answer->id[0]) {
        char location[64];
        snprintf(location, sizeof(location), "/books/%s", answer->id);
        MHD_add_response_header(response, "Location", location);
    }
    enum MHD_Result result = MHD_queue_response(connection, answer->status, response);
    MHD_destroy_response(response);
    return result;
}

// The library calls this once for the headers, then for each part of the body, and at last without a part.
static enum MHD_Result accept_request(
    void *context, struct MHD_Connection *connection, const char *path, const char *method, const char *version,
    const char *data, size_t *size, void **state) {
    (void)context, (void)version;
    text *body = *state;
    if (!body) {
        const char *length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
        if (length && strtoull(length, NULL, 10) > LONGEST_BODY) {
            answer answer = {.status = 413};
            return send_answer(connection, &answer);
        }
        *state = calloc(1, sizeof(text));
        return *state ? MHD_YES : MHD_NO;
    }
    if (*size) {
        if (body->count + *size > LONGEST_BODY) return MHD_NO;
        text_add(body, data, *size);
        *size = 0;
        return MHD_YES;
    }
    answer answer = answer_to(connection, method, path, body);
    return send_answer(connection, &answer);
}

static void request_ended(void *context, struct MHD_Connection *connection, void **state,
                          enum MHD_RequestTerminationCode code) {
    (void)context, (void)connection, (void)code;
    text *body = *state;
    if (body) free(body->bytes);
    free(body);
    *state = NULL;
}

// The flags and limits of the example's server.
static struct MHD_Daemon *listen_on_loopback(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ITC, 0, NULL, NULL, accept_request,
        NULL, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_NOTIFY_COMPLETED, request_ended, NULL,
        MHD_OPTION_CONNECTION_LIMIT, 64u, MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_END);
}

static int stop(const char *message) {
    fprintf(stderr, "c-service: %s\n", message);
    return 1;
}

int main(int count, char **arguments) {
    if (count != 2) return stop("usage: c-service STORE");
    address_of_store = arguments[1];
    store = &sqlite_store;
#ifdef SERVICE_HAS_LIBPQ
    if (strncmp(address_of_store, "postgresql:", 11) == 0) store = &postgresql_store;
#endif
    char *failure = store->prepare(address_of_store);
    if (failure) return stop(failure);
    if (pthread_key_create(&connections, store->close) != 0) return stop("no memory");
    // All threads inherit the mask, so that only this one takes the signals.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    struct MHD_Daemon *daemon = listen_on_loopback();
    const union MHD_DaemonInfo *info = daemon ? MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!info) return stop("it cannot listen");
    printf("http://127.0.0.1:%u\n", (unsigned)info->port);
    fflush(stdout);
    int signal;
    sigwait(&signals, &signal);
    MHD_stop_daemon(daemon);
    return 0;
}
