#include "CPostgreSQLBaseline.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

// The program's own `send` and `recv`, which libpq calls in the place of the C library's. They read the messages that a
// client of PostgreSQL sends. A round trip is the first answer that is read after something was sent that the server answers at
// once: a simple query, a synchronisation, a request to flush, the end of a COPY. So many statements in a pipeline are one.

enum { sockets = 1024, header = 5 };

typedef struct {
    int is_postgresql;
    int has_asked;
    // What is left of the message that the last piece ended in, or the part of its header that is there.
    size_t left;
    unsigned char start[header];
    size_t started;
} conversation;

static conversation conversations[sockets];
static atomic_int is_counting;
static atomic_long trips;

void postgresql_count_round_trips(void) {
    atomic_store(&trips, 0);
    atomic_store(&is_counting, 1);
}

int64_t postgresql_round_trips(void) { return atomic_load(&trips); }

static uint32_t big(const unsigned char *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void look(conversation *talk, const unsigned char *bytes, size_t count) {
    while (count > 0) {
        size_t part;
        if (talk->left > 0) {
            part = talk->left < count ? talk->left : count;
            talk->left -= part;
        } else {
            part = header - talk->started < count ? header - talk->started : count;
            memcpy(talk->start + talk->started, bytes, part);
            talk->started += part;
            if (talk->started == header) {
                talk->started = 0;
                talk->left = big(talk->start + 1) - 4;
                if (strchr("QSHc", talk->start[0])) talk->has_asked = 1;
            }
        }
        bytes += part;
        count -= part;
    }
}

ssize_t send(int socket, const void *bytes, size_t count, int flags) {
    ssize_t sent = sendto(socket, bytes, count, flags, NULL, 0);
    if (sent <= 0 || socket < 0 || socket >= sockets) return sent;
    conversation *talk = &conversations[socket];
    const unsigned char *text = bytes;
    // The first message of a connection has no letter, and the number of the protocol behind its length.
    if (sent >= 8 && big(text) == (uint32_t)sent && big(text + 4) == 0x00030000) {
        *talk = (conversation){.is_postgresql = 1};
    } else if (talk->is_postgresql) {
        look(talk, text, (size_t)sent);
    }
    return sent;
}

ssize_t recv(int socket, void *bytes, size_t room, int flags) {
    ssize_t count = recvfrom(socket, bytes, room, flags, NULL, NULL);
    if (count > 0 && socket >= 0 && socket < sockets && conversations[socket].has_asked) {
        conversations[socket].has_asked = 0;
        if (atomic_load(&is_counting)) atomic_fetch_add(&trips, 1);
    }
    return count;
}
