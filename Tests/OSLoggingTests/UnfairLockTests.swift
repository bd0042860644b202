import Foundation
import Testing
import os.lock

/// A count that only a lock protects.
private final class Counter: @unchecked Sendable {
    var count = 0
}

@Suite("Unfair locks")
struct UnfairLockTests {
    @Test("A lock lets one thread in at a time")
    func exclusion() {
        let allocated = OSAllocatedUnfairLock(initialState: 0)
        let counter = Counter()
        let lock = os_unfair_lock_t.allocate(capacity: 1)
        lock.initialize(to: os_unfair_lock_s())
        defer { lock.deallocate() }
        // nonisolated(unsafe): the lock is what the test is about.
        nonisolated(unsafe) let shared = lock
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<5_000 {
                allocated.withLock { $0 += 1 }
                os_unfair_lock_lock(shared)
                counter.count += 1
                os_unfair_lock_unlock(shared)
            }
        }
        let counts: [Int] = [allocated.withLock { $0 }, counter.count]
        #expect(counts == [40_000, 40_000])
    }

    @Test("A lock that another thread has is not available")
    func availability() {
        let lock = OSAllocatedUnfairLock(initialState: 1)
        let other = lock
        let results = OSAllocatedUnfairLock<[Int?]>(initialState: [])
        lock.withLockUnchecked { state in
            state = 2
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                let found = other.withLockIfAvailable { $0 }
                results.withLock { $0.append(found) }
                done.signal()
            }
            done.wait()
        }
        let found: [Int?] = results.withLock { $0 }
        #expect(found == [nil])
        let state: Int? = other.withLockIfAvailable { $0 }
        #expect(state == 2)
        let plain = OSAllocatedUnfairLock()
        plain.lock()
        plain.precondition(.owner)
        #expect(!plain.lockIfAvailable())
        plain.unlock()
        plain.precondition(.notOwner)
        #expect(plain.lockIfAvailable())
        plain.unlock()
        let result: Int = plain.withLock { 3 }
        #expect(result == 3)
        var lockOfFour = os_unfair_lock()
        #expect(os_unfair_lock_trylock(&lockOfFour))
        #expect(!os_unfair_lock_trylock(&lockOfFour))
        os_unfair_lock_unlock(&lockOfFour)
    }

    private static func unlockOnly() { OSAllocatedUnfairLock().unlock() }

    @Test("A thread that locks a lock twice, or unlocks one that it does not hold, stops the process")
    func misuse() async {
        let twice = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let lock = OSAllocatedUnfairLock()
            lock.withLock { lock.withLock {} }
        }
        let never = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Self.unlockOnly()
        }
        let texts = [twice, never].map { String(decoding: $0?.standardErrorContent ?? [], as: UTF8.self) }
        #expect(texts[0].contains("locked a lock that it holds already"))
        #expect(texts[1].contains("unlocked a lock that it does not hold"))
    }
}
