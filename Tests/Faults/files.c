/* Calls on files. */
#include "faults.h"
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2u
#endif

/* Which descriptors lead into the folder: the number of the opening, and 0 for all other ones. */
enum { DESCRIPTORS = 65536 };
static atomic_int inside[DESCRIPTORS];
/* Which of them are files that SQLite does not write: values, notes, journals of migrations. They are written rarely,
   and SQLite's files hundreds of times. */
static atomic_int is_own[DESCRIPTORS];
static atomic_int openings;

static int path_is_inside(int at, const char *path) {
    if (!folder_length || !path) return 0;
    if (path[0] == '/')
        return !strncmp(path, folder, folder_length) && (path[folder_length] == '/' || !path[folder_length]);
    return at >= 0 && at < DESCRIPTORS && atomic_load(&inside[at]) != 0;
}

static int path_is_own(const char *path) {
    static const char *const suffixes[] = {".sqlite", ".sqlite-wal", ".sqlite-shm", ".sqlite-journal"};
    size_t length = strlen(path);
    for (size_t number = 0; number < sizeof suffixes / sizeof *suffixes; number++) {
        size_t end = strlen(suffixes[number]);
        if (length >= end && !strcmp(path + length - end, suffixes[number])) return 0;
    }
    return 1;
}

static int opening_of(int descriptor) {
    return descriptor >= 0 && descriptor < DESCRIPTORS ? atomic_load(&inside[descriptor]) : 0;
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
    atomic_store(&is_own[descriptor], path_is_own(path));
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
        switch (meet(atomic_load(&is_own[descriptor]) ? PUT : WRITE)) { \
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
    if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && result >= 0 && result < DESCRIPTORS) {
        atomic_store(&is_own[result], atomic_load(&is_own[descriptor]));
        atomic_store(&inside[result], opening_of(descriptor));
    }
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
