#ifndef OPENCOREDATA_CEXCHANGE_SHIM_H
#define OPENCOREDATA_CEXCHANGE_SHIM_H

#include <errno.h>

/* Exchanges two names of one volume in one step. 0, or -1 with errno: ENOSYS and EINVAL where the system or the volume
   cannot. Foundation's Glibc module does not offer the call, because its header hides it behind _GNU_SOURCE. */
#ifdef __linux__
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
static inline int opencoredata_exchange(const char *_Nonnull first, const char *_Nonnull second) {
    long syscall(long number, ...);
    return (int)syscall(SYS_renameat2, AT_FDCWD, first, AT_FDCWD, second, 2u /* RENAME_EXCHANGE */);
}

/* Writes a piece of a file to the disk, as far as it is not there yet, and waits for it. A hint: what it cannot do is left
   to the fsync that follows. */
static inline void opencoredata_write_out(int descriptor, long long offset, long long length) {
    int sync_file_range(int descriptor, long long offset, long long length, unsigned int flags);
    sync_file_range(descriptor, offset, length, 7u /* wait before, write, wait after */);
}
#else
static inline void opencoredata_write_out(int descriptor, long long offset, long long length) {
    (void)descriptor;
    (void)offset;
    (void)length;
}

static inline int opencoredata_exchange(const char *_Nonnull first, const char *_Nonnull second) {
    (void)first;
    (void)second;
    errno = ENOSYS;
    return -1;
}
#endif

#endif
