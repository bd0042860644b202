/* Calls that libraries make: allocations of SQLite, zlib and libpq, and those of libpq on sockets. */
#include "faults.h"
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { RANGES = 16 };
static struct { uintptr_t start, end; } ranges[RANGES];
static int range_count;

static int add_range(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size;
    (void)unused;
    if (!info->dlpi_name) return 0;
    if (!strstr(info->dlpi_name, "libsqlite3") && !strstr(info->dlpi_name, "libz.") && !strstr(info->dlpi_name, "libpq."))
        return 0;
    for (int i = 0; i < info->dlpi_phnum && range_count < RANGES; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
        ranges[range_count].start = info->dlpi_addr + header->p_vaddr;
        ranges[range_count].end = info->dlpi_addr + header->p_vaddr + header->p_memsz;
        range_count++;
    }
    return 0;
}

void find_libraries(void) {
    if (!range_count) dl_iterate_phdr(add_range, NULL);
}

static int counts_for(void *caller) {
    if (!atomic_load(&armed)) return 0;
    for (int i = 0; i < range_count; i++)
        if ((uintptr_t)caller >= ranges[i].start && (uintptr_t)caller < ranges[i].end) return 1;
    return 0;
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

void *malloc(size_t size) {
    if (counts_for(__builtin_return_address(0)) && meet(ALLOCATION) == FAIL) return NULL;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    if (counts_for(__builtin_return_address(0)) && meet(ALLOCATION) == FAIL) return NULL;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    if (counts_for(__builtin_return_address(0)) && meet(ALLOCATION) == FAIL) return NULL;
    return __libc_realloc(old, size);
}

/* A connection that was reset stays so. libpq reads on when it cannot send, for what the server may have said last. */
static int lost(int socket) {
    int code = errno;
    if (code == ECONNRESET) shutdown(socket, SHUT_RDWR);
    errno = code;
    return -1;
}

/* Only libpq's sockets count: other parts of a program have connections, too. */
#define SOCKET(name, call, constness) \
    ssize_t name(int socket, constness void *bytes, size_t count, int flags) { \
        REAL(name); \
        if (!counts_for(__builtin_return_address(0))) return real_##name(socket, bytes, count, flags); \
        switch (meet(call)) { \
        case FAIL: return lost(socket); \
        case SHORT: count = (count + 1) / 2; break; \
        default: break; \
        } \
        return real_##name(socket, bytes, count, flags); \
    }

SOCKET(send, SEND, const)
SOCKET(recv, RECEIVE, )
