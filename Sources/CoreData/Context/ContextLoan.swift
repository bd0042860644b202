import Foundation

/// The contexts above another one that a thread holds and lends while it waits for that one.
///
/// The thread waits for the context's queue, or to read through the context. A block may be before it in the queue and
/// read through a context above, as a merge does. The block would wait for the holder of that context, and the holder
/// for the block. So the holder leaves the gates of private contexts, and lends the main queue.
struct ContextLoan {
    /// From child to parent. Nil stands for the main queue.
    private var lent: [ContextGate?] = []

    /// Lends the contexts above the given one that the caller holds, because it is about to wait. Nil if it holds none.
    init?(waitingFor context: NSManagedObjectContext) {
        var below = context
        while let parent = below.ownParent {
            if parent.isMain {
                if HeldContexts.isMainQueueHeld, MainLoan.shared.lend() { lent.append(nil) }
            } else if let gate = parent.gate, HeldContexts.contains(parent), !parent.isLending {
                gate.leave()
                lent.append(gate)
            }
            below = parent
        }
        if lent.isEmpty { return nil }
    }

    /// Waits until the last reader is done. The gate of the context itself comes first, then those above it in the
    /// order in which readers take them: another order, and a reader and the holder could wait for each other.
    func takeBack() {
        for gate in lent {
            if let gate { gate.enter() } else { MainLoan.shared.takeBack() }
        }
    }
}

/// The main queue, as long as its holder waits for a context below a main-queue context.
final class MainLoan: @unchecked Sendable {  // mutable state is guarded by `condition`
    static let shared = MainLoan()

    private let condition = NSCondition()
    private var isLent = false
    private var borrower: pthread_t?

    /// One reading, by the first of two: the main queue, or the reader itself while the main queue is lent.
    private final class Visit: @unchecked Sendable {  // `condition` decides who touches it
        let context: NSManagedObjectContext
        var work: (() -> Void)?
        var isClaimed = false
        var isDone = false

        init(_ context: NSManagedObjectContext, _ work: @escaping () -> Void) {
            self.context = context
            self.work = work
        }

        /// Runs the work and releases it before its caller learns that it is done, so that it does not outlive the
        /// caller.
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

    /// The caller, which holds the main queue, does not touch it until `takeBack`. False if the caller has the queue on
    /// loan itself.
    func lend() -> Bool {
        condition.lock()
        defer { condition.unlock() }
        if isLent || borrower.map({ pthread_equal($0, pthread_self()) != 0 }) ?? false { return false }
        isLent = true
        condition.broadcast()
        return true
    }

    func takeBack() {
        condition.lock()
        isLent = false
        while borrower != nil { condition.wait() }
        condition.unlock()
    }

    /// Runs a child's reading on the main queue, or on the caller's thread while the main queue is lent.
    ///
    /// - Parameter loan: The contexts that the caller has lent. It has them back when this returns, and before it reads
    ///   itself.
    func visit(
        _ context: NSManagedObjectContext, on queue: DispatchQueue, lending loan: ContextLoan?, _ work: () -> Void
    ) {
        withoutActuallyEscaping(work) { work in
            let visit = Visit(context, work)
            condition.lock()
            if !isFree { queue.async { self.receive(visit) } }
            while !visit.isClaimed, !isFree { condition.wait() }
            guard !visit.isClaimed else {
                while !visit.isDone { condition.wait() }
                condition.unlock()
                loan?.takeBack()
                return
            }
            visit.isClaimed = true
            borrower = pthread_self()
            condition.unlock()
            loan?.takeBack()
            visit.run()
            condition.lock()
            borrower = nil
            condition.broadcast()
            condition.unlock()
        }
    }

    private var isFree: Bool { isLent && borrower == nil }

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
