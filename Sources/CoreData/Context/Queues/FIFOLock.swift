import Foundation

/// A FIFO lock that admits one user of a private context's objects at a time: the block that runs on its queue, or a
/// child that reads.
///
/// A context that is saving needs its objects for itself only until the writing begins and from the commit on. In
/// between it releases the lock, and its children read through it without waiting for the disk. The lock admits callers
/// in the order of their arrival.
final class FIFOLock: @unchecked Sendable {  // mutable state is guarded by `condition`
    private let condition = NSCondition()
    private var nextTicket = 0
    private var served = 0

    /// Waits until it is the caller's turn.
    func enter() {
        condition.lock()
        let ticket = nextTicket
        nextTicket += 1
        while served != ticket { condition.wait() }
        condition.unlock()
    }

    /// Takes the lock if it is free and no caller waits for it.
    func tryEnter() -> Bool {
        condition.lock()
        defer { condition.unlock() }
        if served != nextTicket { return false }
        nextTicket += 1
        return true
    }

    /// Admits the caller that has waited longest.
    func leave() {
        condition.lock()
        served += 1
        if served != nextTicket { condition.broadcast() }
        condition.unlock()
    }
}

extension NSManagedObjectContext {
    /// Runs a child's reading while no other thread touches this context's objects. The body runs on the caller's
    /// thread, which counts as holding this context's queue until the body returns. The method also runs a body while
    /// this context writes a save.
    final func reading<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let fifoLock else { return try readingOnQueue(body) }
        if HeldContexts.contains(self) { return try body() }
        let holdsMain = HeldContexts.isMainQueueHeld
        if !fifoLock.tryEnter() {
            // The thread that holds the lock may be waiting for the main queue, which the caller may hold.
            let handOff = LockHandOff(waitingFor: self)
            fifoLock.enter()
            handOff?.takeBack()
        }
        defer { fifoLock.leave() }
        return try HeldContexts.run(holding: self, holdsMain: holdsMain) {
            takeOverIncoming()
            return try body()
        }
    }

    /// Runs a child's reading through a context without a FIFO lock: on the main queue, or on the caller's thread as
    /// soon as the holder of the main queue hands it off.
    private func readingOnQueue<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard isMain, let queue, !isHeldByCaller else { return try performAndWait(body) }
        // A block on the main queue may be waiting for the FIFO lock of a context above, which the caller may hold.
        let handOff = LockHandOff(waitingFor: self)
        return try returning(body, rescue: { throw $0 }) {
            MainQueueHandOff.shared.visit(self, on: queue, handingOff: handOff, $0)
        }
    }

    /// Runs the writing of a save without the FIFO lock. Children may read until the body calls its argument, which
    /// takes the lock back. The body does so before other contexts can see any of the writing. A caller that uses this
    /// context off its queue does not have the lock, and so cannot release it.
    ///
    /// - Parameter isKept: Whether this context keeps the lock, so that children cannot read during the writing.
    final func handingOff<Result>(
        unless isKept: Bool = false, _ body: (_ takeBack: () -> Void) throws -> Result
    ) rethrows -> Result {
        guard !isKept, let fifoLock, !livingChildren.isEmpty, HeldContexts.contains(self) else { return try body({}) }
        childSaves.isHandedOff = true
        fifoLock.leave()
        var isTakenBack = false
        func takeBack() {
            if isTakenBack { return }
            isTakenBack = true
            fifoLock.enter()
            childSaves.isHandedOff = false
        }
        defer { takeBack() }
        return try body(takeBack)
    }
}
