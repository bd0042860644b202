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
#else
static inline int opencoredata_exchange(const char *_Nonnull first, const char *_Nonnull second) {
    (void)first;
    (void)second;
    errno = ENOSYS;
    return -1;
}
#endif

#endif
