/* Stands between a program and the C library's calls on files, and has the n-th of one kind fail, fall short, wait or
   end the process. Tests build it as a library, and have the loader put it in front of all other libraries (LD_PRELOAD).

   It counts from faults_arm() to faults_disarm(), which the program looks up by name, and only calls about files within
   one folder (files.c). Allocations count where SQLite, zlib or libpq asks, and calls on sockets where libpq does
   (libraries.c).

   FAULTS_FOLDER  the folder, as realpath says it
   FAULTS_CALL    open, read, write, put (a write into a file that SQLite does not write), sync, truncate, rename,
                  exchange, link, unlink, make, lock, allocation, send, receive, or any
   FAULTS_N       which call of these, from 1
   FAULTS_KIND    an error number, or short, delay, kill; or rough: each second reading or writing call of all is
                  interrupted, and the rest fall short
   FAULTS_COUNT   a file that gets how many calls of each name there were, and whether the fault came about
   FAULTS_LOG     a file that gets every call that changes something, for a simulated loss of power */
#include "faults.h"
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char *const names[CALLS] = {
    "open", "read", "write", "put", "sync", "truncate", "rename", "exchange", "link", "unlink", "make", "lock",
    "allocation", "send", "receive", "any",
};

atomic_int armed;
static atomic_long counts[CALLS];
static atomic_int injected;
static int target_call = -1;
static long target_n;
static enum kind target_kind = NONE;
static int target_error;
char folder[PATH_MAX];
size_t folder_length;
static int log_descriptor = -1;
static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;

/* MARK: What is to happen */

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("FAULTS_FOLDER");
    if (text) {
        folder_length = strlen(text);
        if (folder_length < sizeof folder) memcpy(folder, text, folder_length + 1);
    }
    if ((text = getenv("FAULTS_CALL")))
        for (int call = 0; call < CALLS; call++)
            if (!strcmp(text, names[call])) target_call = call;
    if ((text = getenv("FAULTS_N"))) target_n = atol(text);
    if ((text = getenv("FAULTS_KIND"))) {
        target_kind = !strcmp(text, "short")   ? SHORT
                      : !strcmp(text, "delay") ? DELAY
                      : !strcmp(text, "kill")  ? KILL
                      : !strcmp(text, "rough") ? ROUGH
                                               : FAIL;
        target_error = atoi(text);
    }
}

enum kind meet(enum call call) {
    if (!atomic_load(&armed)) return NONE;
    long number = atomic_fetch_add(&counts[call], 1) + 1;
    if (call != ALLOCATION) {
        long any = atomic_fetch_add(&counts[ANY], 1) + 1;
        if (target_call == ANY) number = any;
    }
    if (target_kind == ROUGH) {
        if (call != READ && call != WRITE && call != PUT) return NONE;
        atomic_store(&injected, 1);
        errno = EINTR;
        return number % 2 ? FAIL : SHORT;
    }
    if ((int)call != target_call && (target_call != ANY || call == ALLOCATION)) return NONE;
    if (number != target_n) return NONE;
    atomic_store(&injected, 1);
    switch (target_kind) {
    case FAIL: errno = target_error; return FAIL;
    case DELAY: {
        struct timespec time = {0, 30 * 1000 * 1000};
        nanosleep(&time, NULL);
        return NONE;
    }
    case KILL: syscall(SYS_kill, (long)getpid(), (long)SIGKILL, 0L, 0L, 0L, 0L); return NONE;
    default: return target_kind;
    }
}

/* MARK: The log of changes: one line a call, and the bytes of a write behind it */

int logs(void) { return log_descriptor >= 0 && atomic_load(&armed); }

static void put(const void *bytes, size_t count) {
    REAL(write);
    while (count) {
        ssize_t done = real_write(log_descriptor, bytes, count);
        if (done <= 0) return;
        bytes = (const char *)bytes + done;
        count -= (size_t)done;
    }
}

void note(const char *format, ...) {
    char line[2 * PATH_MAX + 64];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length > 0) put(line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

void lock_log(void) { if (logs()) pthread_mutex_lock(&log_mutex); }
void unlock_log(void) { if (logs()) pthread_mutex_unlock(&log_mutex); }

void note_write(int opening, long long offset, const void *bytes, ssize_t count) {
    if (!logs() || count <= 0) return;
    note("write\t%d\t%lld\t%zd\n", opening, offset, count);
    put(bytes, (size_t)count);
    put("\n", 1);
}

void faults_arm(void) {
    find_libraries();
    const char *text = getenv("FAULTS_LOG");
    REAL(open);
    if (text && log_descriptor < 0) log_descriptor = real_open(text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    atomic_store(&armed, 1);
}

/* Writes to the log that the operation has reported its result. */
void faults_mark(void) {
    lock_log();
    if (logs()) note("done\n");
    unlock_log();
}

void faults_disarm(void) {
    atomic_store(&armed, 0);
    const char *text = getenv("FAULTS_COUNT");
    if (!text) return;
    REAL(open);
    REAL(write);
    REAL(close);
    int file = real_open(text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return;
    char line[64];
    for (int call = 0; call < CALLS; call++) {
        int length = snprintf(line, sizeof line, "%s %ld\n", names[call], atomic_load(&counts[call]));
        if (real_write(file, line, (size_t)length) < 0) break;
    }
    int length = snprintf(line, sizeof line, "injected %d\n", atomic_load(&injected));
    if (real_write(file, line, (size_t)length) < 0) length = 0;
    real_close(file);
}
