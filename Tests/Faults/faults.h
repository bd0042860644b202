/* What the parts of the library share: see faults.c. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/types.h>

enum call {
    OPEN, READ, WRITE, PUT, SYNC, TRUNCATE, RENAME, EXCHANGE, LINK, UNLINK, MAKE, LOCK, ALLOCATION, SEND, RECEIVE, ANY,
    CALLS
};
enum kind { NONE, FAIL, SHORT, DELAY, KILL, ROUGH };

/* The C library's own function, as real_NAME. */
#define REAL(name) \
    static __typeof__(name) *real_##name; \
    if (!real_##name) real_##name = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* Names of the library's own, which no program shall find. */
#pragma GCC visibility push(hidden)

extern atomic_int armed;
/* The folder whose files count. */
extern char folder[];
extern size_t folder_length;

/* Counts a call. The kind of fault that it meets: FAIL with errno set, or SHORT; what waits has waited, and what ends the
   process does not return. */
enum kind meet(enum call call);

/* Finds the libraries whose own calls count. */
void find_libraries(void);

/* The log of changes: one line a call, and the bytes of a write behind it. */
int logs(void);
void note(const char *format, ...);
void note_write(int opening, long long offset, const void *bytes, ssize_t count);
void lock_log(void);
void unlock_log(void);

#pragma GCC visibility pop
