#ifndef OPENCOREDATA_COSLOCK_LOCK_H
#define OPENCOREDATA_COSLOCK_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/* A lock of four bytes, as programs for Apple's systems use it. The value is 0, or the id of the thread that holds the
   lock, with the highest bit set where another thread may wait. A thread waits in the kernel (futex).

   The Swift module `os` declares these functions itself and does not import this module. Whoever imports `os` would have
   to find this module otherwise, and packages that do not depend on the product cannot. */

void opencoredata_lock_lock(uint32_t *lock);
bool opencoredata_lock_try(uint32_t *lock);
void opencoredata_lock_unlock(uint32_t *lock);
void opencoredata_lock_assert_owner(const uint32_t *lock);
void opencoredata_lock_assert_not_owner(const uint32_t *lock);

#endif
