/* Stands between a program and the C library's calls on files, and has the n-th of one kind fail, fall short, wait or
   end the process. Tests build it as a library, and have the loader put it in front of all others (LD_PRELOAD).

   It counts from faults_arm() to faults_disarm(), which the program looks up by name, and only calls about files within
   one folder. Allocations count where SQLite, zlib or libpq asks.

   FAULTS_FOLDER  the folder, as realpath says it
   FAULTS_CALL    open, read, write, sync, truncate, rename, exchange, link, unlink, make, lock, allocation, or any
   FAULTS_N       which call of these, from 1
   FAULTS_KIND    an error number, or short, delay, kill
   FAULTS_COUNT   a file that gets how many calls of each name there were, and whether the fault came about
   FAULTS_LOG     a file that gets every call that changes something, for a simulated loss of power */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2u
#endif

enum call {
    OPEN, READ, WRITE, SYNC, TRUNCATE, RENAME, EXCHANGE, LINK, UNLINK, MAKE, LOCK, ALLOCATION, ANY, CALLS
};
static const char *const names[CALLS] = {
    "open", "read", "write", "sync", "truncate", "rename", "exchange", "link", "unlink", "make", "lock", "allocation",
    "any",
};

enum kind { NONE, FAIL, SHORT, DELAY, KILL };

static atomic_int armed;
static atomic_long counts[CALLS];
static atomic_int injected;
static int target_call = -1;
static long target_n;
static enum kind target_kind = NONE;
static int target_error;
static char folder[PATH_MAX];
static size_t folder_length;
static int log_descriptor = -1;
static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Which descriptors lead into the folder: the number of the opening, and 0 for all others. */
enum { DESCRIPTORS = 65536 };
static atomic_int inside[DESCRIPTORS];
static atomic_int openings;

/* The C library's own function, as real_NAME. */
#define REAL(name) \
    static __typeof__(name) *real_##name; \
    if (!real_##name) real_##name = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

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
        target_kind = !strcmp(text, "short") ? SHORT : !strcmp(text, "delay") ? DELAY : !strcmp(text, "kill") ? KILL
                                                                                                              : FAIL;
        target_error = atoi(text);
    }
}

static int path_is_inside(int at, const char *path) {
    if (!folder_length || !path) return 0;
    if (path[0] == '/')
        return !strncmp(path, folder, folder_length) && (path[folder_length] == '/' || !path[folder_length]);
    return at >= 0 && at < DESCRIPTORS && atomic_load(&inside[at]) != 0;
}

static int opening_of(int descriptor) {
    return descriptor >= 0 && descriptor < DESCRIPTORS ? atomic_load(&inside[descriptor]) : 0;
}

/* Counts a call. The kind of fault that it meets: FAIL with errno set, or SHORT; what waits has waited, and what ends the
   process does not return. */
static enum kind meet(enum call call) {
    if (!atomic_load(&armed)) return NONE;
    long number = atomic_fetch_add(&counts[call], 1) + 1;
    if (call != ALLOCATION) {
        long any = atomic_fetch_add(&counts[ANY], 1) + 1;
        if (target_call == ANY) number = any;
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

/* MARK: Whose allocations count */

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

/* MARK: The log of changes: one line a call, and the bytes of a write behind it */

static int logs(void) { return log_descriptor >= 0 && atomic_load(&armed); }

static void put(const void *bytes, size_t count) {
    REAL(write);
    while (count) {
        ssize_t done = real_write(log_descriptor, bytes, count);
        if (done <= 0) return;
        bytes = (const char *)bytes + done;
        count -= (size_t)done;
    }
}

static void note(const char *format, ...) {
    char line[2 * PATH_MAX + 64];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length > 0) put(line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

static void lock_log(void) { if (logs()) pthread_mutex_lock(&log_mutex); }
static void unlock_log(void) { if (logs()) pthread_mutex_unlock(&log_mutex); }

static void note_write(int opening, long long offset, const void *bytes, ssize_t count) {
    if (!logs() || count <= 0) return;
    note("write\t%d\t%lld\t%zd\n", opening, offset, count);
    put(bytes, (size_t)count);
    put("\n", 1);
}

void faults_arm(void) {
    if (!range_count) dl_iterate_phdr(add_range, NULL);
    const char *text = getenv("FAULTS_LOG");
    REAL(open);
    if (text && log_descriptor < 0) log_descriptor = real_open(text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    atomic_store(&armed, 1);
}

/* Says in the log that the operation has told its result. */
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

/* MARK: Opening and closing */

/* The path of a name in a folder that is open, for the log. */
static const char *absolute(int at, const char *path, char buffer[PATH_MAX]) {
    if (path[0] == '/') return path;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    ssize_t length = at == AT_FDCWD ? 0 : readlink(link, buffer, PATH_MAX - 1);
    if (length < 0) length = 0;
    snprintf(buffer + length, (size_t)(PATH_MAX - length), "/%s", path);
    return buffer;
}

static int opened(int descriptor, const char *path, int flags, int was_there) {
    if (descriptor < 0 || descriptor >= DESCRIPTORS) return descriptor;
    int opening = atomic_fetch_add(&openings, 1) + 1;
    atomic_store(&inside[descriptor], opening);
    if (logs())
        note("open\t%d\t%d\t%d\t%s\n", opening, (flags & O_CREAT) && !was_there, (flags & O_TRUNC) != 0, path);
    return descriptor;
}

static int open_one(int at, const char *path, int flags, mode_t mode) {
    REAL(openat);
    if (!path_is_inside(at, path)) {
        int descriptor = real_openat(at, path, flags, mode);
        if (descriptor >= 0 && descriptor < DESCRIPTORS) atomic_store(&inside[descriptor], 0);
        return descriptor;
    }
    if (meet(OPEN) == FAIL) return -1;
    char buffer[PATH_MAX];
    const char *full = absolute(at, path, buffer);
    lock_log();
    struct stat status;
    int was_there = !logs() || fstatat(at, path, &status, 0) == 0;
    int descriptor = opened(real_openat(at, path, flags, mode), full, flags, was_there);
    unlock_log();
    return descriptor;
}

#define MODE_OF(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { \
        va_list arguments; \
        va_start(arguments, flags); \
        mode = va_arg(arguments, mode_t); \
        va_end(arguments); \
    }

int open(const char *path, int flags, ...) {
    MODE_OF(flags);
    return open_one(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    MODE_OF(flags);
    return open_one(AT_FDCWD, path, flags, mode);
}
int openat(int at, const char *path, int flags, ...) {
    MODE_OF(flags);
    return open_one(at, path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) {
    MODE_OF(flags);
    return open_one(at, path, flags, mode);
}
int creat(const char *path, mode_t mode) { return open_one(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

/* SQLite closes a descriptor before its number can be another one's. */
int close(int descriptor) {
    REAL(close);
    if (descriptor >= 0 && descriptor < DESCRIPTORS) atomic_store(&inside[descriptor], 0);
    return real_close(descriptor);
}

/* MARK: Reading and writing */

#define READING(type, name, parameters, given) \
    type name parameters { \
        REAL(name); \
        if (!opening_of(descriptor)) return real_##name given; \
        switch (meet(READ)) { \
        case FAIL: return -1; \
        case SHORT: count = (count + 1) / 2; break; \
        default: break; \
        } \
        return real_##name given; \
    }

READING(ssize_t, read, (int descriptor, void *bytes, size_t count), (descriptor, bytes, count))
READING(ssize_t, pread, (int descriptor, void *bytes, size_t count, off_t offset), (descriptor, bytes, count, offset))
READING(ssize_t, pread64, (int descriptor, void *bytes, size_t count, off64_t offset), (descriptor, bytes, count, offset))

ssize_t readv(int descriptor, const struct iovec *pieces, int count) {
    REAL(readv);
    if (opening_of(descriptor) && meet(READ) == FAIL) return -1;
    return real_readv(descriptor, pieces, count);
}

/* Where a write goes that names no place. */
static long long position(int descriptor) {
    struct stat status;
    int flags = fcntl(descriptor, F_GETFL);
    if (flags >= 0 && (flags & O_APPEND) && fstat(descriptor, &status) == 0) return status.st_size;
    return lseek(descriptor, 0, SEEK_CUR);
}

#define WRITING(name, parameters, given, place) \
    ssize_t name parameters { \
        REAL(name); \
        int opening = opening_of(descriptor); \
        if (!opening) return real_##name given; \
        switch (meet(WRITE)) { \
        case FAIL: return -1; \
        case SHORT: count = (count + 1) / 2; break; \
        default: break; \
        } \
        lock_log(); \
        long long at = logs() ? (place) : 0; \
        ssize_t done = real_##name given; \
        int code = errno; \
        note_write(opening, at, bytes, done); \
        unlock_log(); \
        errno = code; \
        return done; \
    }

WRITING(write, (int descriptor, const void *bytes, size_t count), (descriptor, bytes, count), position(descriptor))
WRITING(pwrite, (int descriptor, const void *bytes, size_t count, off_t offset), (descriptor, bytes, count, offset), offset)
WRITING(pwrite64, (int descriptor, const void *bytes, size_t count, off64_t offset), (descriptor, bytes, count, offset),
        offset)

/* Whoever copies within the kernel can do without it, and so every byte that is written is seen here. */
ssize_t sendfile(int target, int source, off_t *offset, size_t count) {
    REAL(sendfile);
    if (!opening_of(target)) return real_sendfile(target, source, offset, count);
    errno = EINVAL;
    return -1;
}
ssize_t sendfile64(int target, int source, off64_t *offset, size_t count) {
    REAL(sendfile64);
    if (!opening_of(target)) return real_sendfile64(target, source, offset, count);
    errno = EINVAL;
    return -1;
}
ssize_t copy_file_range(int source, off64_t *from, int target, off64_t *to, size_t count, unsigned flags) {
    REAL(copy_file_range);
    if (!opening_of(target)) return real_copy_file_range(source, from, target, to, count, flags);
    errno = EXDEV;
    return -1;
}

/* MARK: Syncing and truncating */

#define SYNCING(name) \
    int name(int descriptor) { \
        REAL(name); \
        int opening = opening_of(descriptor); \
        if (opening && meet(SYNC) == FAIL) return -1; \
        lock_log(); \
        int result = real_##name(descriptor); \
        if (opening && !result && logs()) note("sync\t%d\n", opening); \
        unlock_log(); \
        return result; \
    }

SYNCING(fsync)
SYNCING(fdatasync)

#define TRUNCATING(name, type) \
    int name(int descriptor, type size) { \
        REAL(name); \
        int opening = opening_of(descriptor); \
        if (opening && meet(TRUNCATE) == FAIL) return -1; \
        lock_log(); \
        int result = real_##name(descriptor, size); \
        if (opening && !result && logs()) note("truncate\t%d\t%lld\n", opening, (long long)size); \
        unlock_log(); \
        return result; \
    }

TRUNCATING(ftruncate, off_t)
TRUNCATING(ftruncate64, off64_t)

/* MARK: Names */

#define NAMING(result_type, name, parameters, given, call, at_first, first, at_second, second, line) \
    result_type name parameters { \
        REAL(name); \
        if (!path_is_inside(at_first, first) && !path_is_inside(at_second, second)) return real_##name given; \
        if (meet(call) == FAIL) return -1; \
        char one[PATH_MAX], two[PATH_MAX]; \
        const char *from = absolute(at_first, first, one), *to = absolute(at_second, second, two); \
        lock_log(); \
        result_type result = real_##name given; \
        int code = errno; \
        if (!result && logs()) note("%s\t%s\t%s\n", line, from, to); \
        unlock_log(); \
        errno = code; \
        return result; \
    }

NAMING(int, rename, (const char *source, const char *target), (source, target), RENAME, AT_FDCWD, source, AT_FDCWD,
       target, "rename")
NAMING(int, renameat, (int at, const char *source, int into, const char *target), (at, source, into, target), RENAME, at,
       source, into, target, "rename")
NAMING(int, renameat2, (int at, const char *source, int into, const char *target, unsigned flags),
       (at, source, into, target, flags), (flags & RENAME_EXCHANGE ? EXCHANGE : RENAME), at, source, into, target,
       (flags & RENAME_EXCHANGE ? "exchange" : "rename"))
NAMING(int, link, (const char *source, const char *target), (source, target), LINK, AT_FDCWD, source, AT_FDCWD, target,
       "link")
NAMING(int, linkat, (int at, const char *source, int into, const char *target, int flags),
       (at, source, into, target, flags), LINK, at, source, into, target, "link")
NAMING(int, unlink, (const char *path), (path), UNLINK, AT_FDCWD, path, AT_FDCWD, path, "unlink")
NAMING(int, unlinkat, (int at, const char *path, int flags), (at, path, flags), UNLINK, at, path, at, path, "unlink")
NAMING(int, rmdir, (const char *path), (path), UNLINK, AT_FDCWD, path, AT_FDCWD, path, "unlink")
NAMING(int, remove, (const char *path), (path), UNLINK, AT_FDCWD, path, AT_FDCWD, path, "unlink")
NAMING(int, mkdir, (const char *path, mode_t mode), (path, mode), MAKE, AT_FDCWD, path, AT_FDCWD, path, "folder")
NAMING(int, mknod, (const char *path, mode_t mode, dev_t device), (path, mode, device), MAKE, AT_FDCWD, path, AT_FDCWD,
       path, "file")

/* The exchange of two names is called by its number. */
long syscall(long number, ...) {
    REAL(syscall);
    va_list arguments;
    va_start(arguments, number);
    long a = va_arg(arguments, long), b = va_arg(arguments, long), c = va_arg(arguments, long);
    long d = va_arg(arguments, long), e = va_arg(arguments, long), f = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_renameat2)
        return renameat2((int)a, (const char *)b, (int)c, (const char *)d, (unsigned)e);
    return real_syscall(number, a, b, c, d, e, f);
}

/* MARK: Locks */

static int control(int (*real)(int, int, ...), int descriptor, int command, void *argument) {
    int takes = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
    /* No system refuses to give a lock back. */
    if (takes && ((struct flock *)argument)->l_type == F_UNLCK) takes = 0;
    if (takes && opening_of(descriptor) && meet(LOCK) == FAIL) return -1;
    int result = real(descriptor, command, argument);
    if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && result >= 0 && result < DESCRIPTORS)
        atomic_store(&inside[result], opening_of(descriptor));
    return result;
}

#define CONTROL(name) \
    int name(int descriptor, int command, ...) { \
        REAL(name); \
        va_list arguments; \
        va_start(arguments, command); \
        void *argument = va_arg(arguments, void *); \
        va_end(arguments); \
        return control(real_##name, descriptor, command, argument); \
    }

CONTROL(fcntl)
CONTROL(fcntl64)

int flock(int descriptor, int operation) {
    REAL(flock);
    if (!(operation & LOCK_UN) && opening_of(descriptor) && meet(LOCK) == FAIL) return -1;
    return real_flock(descriptor, operation);
}
