#ifndef OPENCOREDATA_COSLOCK_LOCK_H
#define OPENCOREDATA_COSLOCK_LOCK_H

/* A lock of four bytes, as programs for Apple's systems use it. The value is 0, or the id of the thread that holds the
   lock, with the highest bit set where another thread may wait. A thread waits in the kernel (futex). */

#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct os_unfair_lock_s {
    uint32_t _os_unfair_lock_opaque;
} os_unfair_lock;

typedef os_unfair_lock *_Nonnull os_unfair_lock_t;

#define OPENCOREDATA_LOCK_WAITERS 0x80000000u

static inline uint32_t opencoredata_lock_thread(void) {
    static __thread uint32_t thread;
    if (thread == 0) thread = (uint32_t)syscall(SYS_gettid);
    return thread;
}

static inline void opencoredata_lock_misused(const char *_Nonnull text) {
    fprintf(stderr, "os_unfair_lock: %s\n", text);
    abort();
}

static inline bool opencoredata_lock_take(os_unfair_lock_t lock, uint32_t *_Nonnull seen, uint32_t value) {
    return __atomic_compare_exchange_n(
        &lock->_os_unfair_lock_opaque, seen, value, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline bool os_unfair_lock_trylock(os_unfair_lock_t lock) {
    uint32_t seen = 0;
    return opencoredata_lock_take(lock, &seen, opencoredata_lock_thread());
}

static inline void os_unfair_lock_lock(os_unfair_lock_t lock) {
    uint32_t thread = opencoredata_lock_thread(), seen = 0;
    if (opencoredata_lock_take(lock, &seen, thread)) return;
    for (;;) {
        if (seen == 0) {
            /* Other threads may still wait, and only the holder of the lock knows to wake one. */
            if (opencoredata_lock_take(lock, &seen, thread | OPENCOREDATA_LOCK_WAITERS)) return;
            continue;
        }
        if ((seen & ~OPENCOREDATA_LOCK_WAITERS) == thread)
            opencoredata_lock_misused("a thread locked a lock that it holds already");
        if ((seen & OPENCOREDATA_LOCK_WAITERS) == 0) {
            uint32_t marked = seen | OPENCOREDATA_LOCK_WAITERS;
            if (!opencoredata_lock_take(lock, &seen, marked)) continue;
            seen = marked;
        }
        syscall(SYS_futex, &lock->_os_unfair_lock_opaque, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
        seen = __atomic_load_n(&lock->_os_unfair_lock_opaque, __ATOMIC_RELAXED);
    }
}

static inline void os_unfair_lock_unlock(os_unfair_lock_t lock) {
    uint32_t seen = __atomic_load_n(&lock->_os_unfair_lock_opaque, __ATOMIC_RELAXED);
    if ((seen & ~OPENCOREDATA_LOCK_WAITERS) != opencoredata_lock_thread())
        opencoredata_lock_misused("a thread unlocked a lock that it does not hold");
    seen = __atomic_exchange_n(&lock->_os_unfair_lock_opaque, 0, __ATOMIC_RELEASE);
    if (seen & OPENCOREDATA_LOCK_WAITERS)
        syscall(SYS_futex, &lock->_os_unfair_lock_opaque, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static inline bool opencoredata_lock_is_own(const os_unfair_lock *_Nonnull lock) {
    uint32_t seen = __atomic_load_n(&lock->_os_unfair_lock_opaque, __ATOMIC_RELAXED);
    return (seen & ~OPENCOREDATA_LOCK_WAITERS) == opencoredata_lock_thread();
}

static inline void os_unfair_lock_assert_owner(const os_unfair_lock *_Nonnull lock) {
    if (!opencoredata_lock_is_own(lock)) opencoredata_lock_misused("a thread does not hold a lock that it should hold");
}

static inline void os_unfair_lock_assert_not_owner(const os_unfair_lock *_Nonnull lock) {
    if (opencoredata_lock_is_own(lock)) opencoredata_lock_misused("a thread holds a lock that it should not hold");
}

#endif
