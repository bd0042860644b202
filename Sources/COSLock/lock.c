#define _GNU_SOURCE
#include "lock.h"

#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OPENCOREDATA_LOCK_WAITERS 0x80000000u

static uint32_t opencoredata_lock_thread(void) {
    static __thread uint32_t thread;
    if (thread == 0) thread = (uint32_t)syscall(SYS_gettid);
    return thread;
}

static void opencoredata_lock_misused(const char *text) {
    fprintf(stderr, "os_unfair_lock: %s\n", text);
    abort();
}

static bool opencoredata_lock_take(uint32_t *lock, uint32_t *seen, uint32_t value) {
    return __atomic_compare_exchange_n(
        lock, seen, value, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

bool opencoredata_lock_try(uint32_t *lock) {
    uint32_t seen = 0;
    return opencoredata_lock_take(lock, &seen, opencoredata_lock_thread());
}

void opencoredata_lock_lock(uint32_t *lock) {
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
        syscall(SYS_futex, lock, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
        seen = __atomic_load_n(lock, __ATOMIC_RELAXED);
    }
}

void opencoredata_lock_unlock(uint32_t *lock) {
    uint32_t seen = __atomic_load_n(lock, __ATOMIC_RELAXED);
    if ((seen & ~OPENCOREDATA_LOCK_WAITERS) != opencoredata_lock_thread())
        opencoredata_lock_misused("a thread unlocked a lock that it does not hold");
    seen = __atomic_exchange_n(lock, 0, __ATOMIC_RELEASE);
    if (seen & OPENCOREDATA_LOCK_WAITERS)
        syscall(SYS_futex, lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static bool opencoredata_lock_is_own(const uint32_t *lock) {
    uint32_t seen = __atomic_load_n(lock, __ATOMIC_RELAXED);
    return (seen & ~OPENCOREDATA_LOCK_WAITERS) == opencoredata_lock_thread();
}

void opencoredata_lock_assert_owner(const uint32_t *lock) {
    if (!opencoredata_lock_is_own(lock)) opencoredata_lock_misused("a thread does not hold a lock that it should hold");
}

void opencoredata_lock_assert_not_owner(const uint32_t *lock) {
    if (opencoredata_lock_is_own(lock)) opencoredata_lock_misused("a thread holds a lock that it should not hold");
}
