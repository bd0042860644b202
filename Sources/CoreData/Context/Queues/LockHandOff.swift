import Foundation

/// A lock hand-off: the contexts above another context that a thread holds, and whose locks it releases while it waits
/// for that context.
///
/// The thread waits for the context's queue, or to read through the context. A block that stands before the thread in
/// the queue may read through a context above, as a merge does. The block would wait for the holder of that context,
/// and the holder for the block. So the holder releases the FIFO locks of private contexts, and hands off the main
/// queue.
struct LockHandOff {
    /// From child to parent. Nil stands for the main queue.
    private var handedOff: [FIFOLock?] = []

    /// Releases the locks of the contexts above the given one that the caller holds, because the caller is about to
    /// wait. Nil if the caller holds none.
    init?(waitingFor context: NSManagedObjectContext) {
        var below = context
        while let parent = below.ownParent {
            if parent.isMain {
                if HeldContexts.isMainQueueHeld, MainQueueHandOff.shared.handOff() { handedOff.append(nil) }
            } else if let fifoLock = parent.fifoLock, HeldContexts.contains(parent), !parent.childSaves.isHandedOff {
                fifoLock.leave()
                handedOff.append(fifoLock)
            }
            below = parent
        }
        if handedOff.isEmpty { return nil }
    }

    /// Takes the locks back, which waits until the last reader is done. The lock of the context itself comes first,
    /// then those above it in the order in which readers take them. In another order a reader and the holder could wait
    /// for each other.
    func takeBack() {
        for fifoLock in handedOff {
            if let fifoLock { fifoLock.enter() } else { MainQueueHandOff.shared.takeBack() }
        }
    }
}

/// The hand-off of the main queue, as long as its holder waits for a context below a main-queue context.
final class MainQueueHandOff: @unchecked Sendable {  // mutable state is guarded by `condition`
    static let shared = MainQueueHandOff()

    private let condition = NSCondition()
    private var isHandedOff = false
    private var borrower: pthread_t?

    /// One reading. It runs on the main queue, or on the reader's thread while the main queue is handed off, whichever
    /// claims it first.
    private final class Visit: @unchecked Sendable {  // `condition` decides who touches it
        let context: NSManagedObjectContext
        var work: (() -> Void)?
        var isClaimed = false
        var isDone = false

        init(_ context: NSManagedObjectContext, _ work: @escaping () -> Void) {
            self.context = context
            self.work = work
        }

        /// Runs the work and releases it before the caller continues, so that the work does not outlive the caller.
        @inline(never)
        func run() {
            HeldContexts.run(holding: context, holdsMain: true) {
                context.takeOverIncoming()
                work?()
                context.forgetWhatBlockLeft()
            }
            work = nil
        }
    }

    /// Hands off the main queue, which the caller holds and does not touch until `takeBack`. False if the queue was
    /// handed off to the caller.
    func handOff() -> Bool {
        condition.lock()
        defer { condition.unlock() }
        if isHandedOff || borrower.map({ pthread_equal($0, pthread_self()) != 0 }) ?? false { return false }
        isHandedOff = true
        condition.broadcast()
        return true
    }

    func takeBack() {
        condition.lock()
        isHandedOff = false
        while borrower != nil { condition.wait() }
        condition.unlock()
    }

    /// Runs a child's reading on the main queue, or on the caller's thread while the main queue is handed off.
    ///
    /// - Parameter handOff: The locks that the caller has released. The caller holds them again before it reads, and
    ///   when this method returns.
    func visit(
        _ context: NSManagedObjectContext, on queue: DispatchQueue, handingOff handOff: LockHandOff?, _ work: () -> Void
    ) {
        withoutActuallyEscaping(work) { work in
            let visit = Visit(context, work)
            condition.lock()
            if !isFree { queue.async { self.receive(visit) } }
            while !visit.isClaimed, !isFree { condition.wait() }
            guard !visit.isClaimed else {
                while !visit.isDone { condition.wait() }
                condition.unlock()
                handOff?.takeBack()
                return
            }
            visit.isClaimed = true
            borrower = pthread_self()
            condition.unlock()
            handOff?.takeBack()
            visit.run()
            condition.lock()
            borrower = nil
            condition.broadcast()
            condition.unlock()
        }
    }

    private var isFree: Bool { isHandedOff && borrower == nil }

    private func receive(_ visit: Visit) {
        condition.lock()
        let isMine = !visit.isClaimed
        visit.isClaimed = true
        condition.unlock()
        if !isMine { return }
        visit.run()
        condition.lock()
        visit.isDone = true
        condition.broadcast()
        condition.unlock()
    }
}
