import Foundation

/// The one readiness state of a manager, with its waiting callers, its observers, and the screens.
///
/// Every field is read and written with `lock` held. No code of the program runs under it: handlers are called, and the
/// progress of migrations is read, after the lock is released. A reference that may be the last one to an object of the
/// program is released then, too.
// @unchecked Sendable: all mutable state is guarded by `lock`.
final class LaunchMachine: @unchecked Sendable {
    typealias ProgressScreen = @MainActor @Sendable (any MigrationProgressReporting) -> Void
    typealias Completion = @MainActor @Sendable (Result<Void, any Error>) -> Void

    /// The handlers that show a migration, and those that are called at the end of a launch, before its completion
    /// handlers.
    struct Screen {
        var show: ProgressScreen
        var hide: Completion?
    }

    /// The end of an attempt that has not been reported to its screens and completion handlers yet.
    struct Ending {
        var attempt: Int
        var time: DispatchTime
        var outcome: Result<Void, any Error>
        var handlers: [Completion]
    }

    /// The manager whose changes of state are posted as notifications.
    // @unchecked Sendable: set once, before any other code has a reference to the machine.
    private final class Owner: @unchecked Sendable {
        weak var manager: CoreDataManager?
    }

    let lock = NSLock()
    var current = LaunchState.idle
    private var hierarchy: ContextHierarchy?
    /// The number of the attempt, which grows with each launch that begins. Events of an earlier launch are ignored.
    var attempt = 0
    private var nextTicket = 0
    private var waiters: [Int: CheckedContinuation<Void, any Error>] = [:]
    private var observers: [Int: AsyncStream<LaunchState>.Continuation] = [:]
    private var completions: [Completion] = []
    var screens: [Screen] = []
    /// The screens of this launch; a retry shows them again.
    var shownScreens: [Screen] = []
    var shownAt: DispatchTime?
    /// The ends of attempts, in their order.
    var endings: [Ending] = []
    /// Whether the grace delay of this attempt is over; see `beginGrace(_:ofAttempt:)`.
    var isGraceOver = false
    var reporter: (any MigrationProgressReporting)?
    /// The numbers of readings of the progress: the latest that began, and the latest whose result became the state.
    private var progressReads = (begun: 0, applied: 0)
    private let owner = Owner()

    /// The number of seconds that a screen stays at least.
    private let minimumScreenTime: TimeInterval

    init(minimumScreenTime: TimeInterval = 0) {
        self.minimumScreenTime = minimumScreenTime
    }

    deinit {
        for observer in observers.values {
            observer.finish()
        }
    }

    func belong(to manager: CoreDataManager) {
        owner.manager = manager
    }

    var state: LaunchState { lock.withLock { current } }

    /// The contexts, once the state is `ready`.
    var contexts: ContextHierarchy? { lock.withLock { hierarchy } }

    // MARK: - Beginning and steps

    /// Joins the launch that is under way, or begins one.
    ///
    /// - Parameters:
    ///   - hide: the handler that belongs to the progress screen, and is called on the main queue when the launch ends,
    ///     even if the screen was not shown.
    ///   - again: whether this is a retry, which only a failed launch begins, with the screens of the one before.
    /// - Returns: the number of the attempt that the caller has to start; nil if no attempt has to start.
    func join(
        progressScreen: ProgressScreen?, hide: Completion? = nil, completion: Completion?,
        again: Bool = false
    ) -> Int? {
        let (begun, isOver) = lock.withLock { () -> (Int?, Bool) in
            if current.isReady {
                guard let completion, let last = endings.indices.last else { return (nil, true) }
                // The screens still stay. The end is not reported to any handler before their time is over.
                endings[last].handlers.append { _ in completion(.success(())) }
                return (nil, false)
            }
            if let progressScreen {
                screens.append(Screen(show: progressScreen, hide: hide))
            }
            if let completion {
                completions.append(completion)
            }
            guard !current.isUnderWay else { return (nil, false) }
            attempt += 1
            isGraceOver = false
            shownAt = nil
            screens += again ? shownScreens : []
            shownScreens = []
            change(to: .checking)
            return (attempt, false)
        }
        if isOver, let completion {
            onMain { completion(.success(())) }
        }
        if begun == nil && !isOver {
            // A caller that joins a migration which already outlasted the grace delay gets its screen too.
            showScreensIfDue()
        }
        return begun
    }

    /// Enters a step of the launch. A new progress of the same migration is a step as well.
    func move(to state: LaunchState) {
        lock.withLock { change(to: state) }
    }

    /// Enters the migration, with the object that has its progress and can cancel it.
    func beginMigration(_ reporter: any MigrationProgressReporting) {
        let progress = reporter.migrationStatus
        let before = lock.withLock {
            defer { self.reporter = reporter }
            change(to: .migrating(progress))
            return self.reporter
        }
        withExtendedLifetime(before) {}
        showScreensIfDue()
    }

    /// Reports a progress, unless the migration is over or a newer progress was reported.
    func updateMigration() {
        let (number, reporter) = lock.withLock { () -> (Int, (any MigrationProgressReporting)?) in
            progressReads.begun += 1
            return (progressReads.begun, self.reporter)
        }
        guard let reporter else { return }
        let progress = reporter.migrationStatus
        lock.withLock {
            // A reading that began later has newer progress, and may have finished before this one.
            guard case .migrating(let known) = current, self.reporter === reporter, number > progressReads.applied
            else { return }
            progressReads.applied = number
            if progress != known {
                change(to: .migrating(progress))
            }
        }
    }

    /// Ends the launch: with contexts it is ready, with an error it has failed. All waiting callers and observers are
    /// resumed.
    func finish(_ result: Result<ContextHierarchy, any Error>) {
        let outcome = result.map { _ in () }
        let now = DispatchTime.now()
        let (waiters, observers, ending, isOwed, leftovers) = lock.withLock {
            var ended: [AsyncStream<LaunchState>.Continuation] = []
            switch result {
            case .success(let contexts):
                hierarchy = contexts
                change(to: .ready)
                ended = Array(self.observers.values)
            case .failure(let error):
                change(to: .failed(error))
            }
            let screens = shownScreens + self.screens
            // The time is not before the end of an earlier attempt whose screens still stay.
            let time = max(shownAt.map { $0 + minimumScreenTime } ?? now, endings.last?.time ?? now)
            let ending = Ending(
                attempt: attempt, time: time, outcome: outcome, handlers: screens.compactMap(\.hide) + completions)
            // An ending without handlers is kept, too, because a later completion handler must not overtake the
            // screens.
            let isOwed = !ending.handlers.isEmpty || time > now
            if isOwed { endings.append(ending) }
            let leftovers = (self.screens, shownScreens, completions, reporter)
            defer {
                self.waiters = [:]
                completions = []
                // A retry needs the screens, whether they were shown or not.
                shownScreens = hierarchy == nil ? screens : []
                self.screens = []
                reporter = nil
            }
            return (self.waiters, ended, ending, isOwed, leftovers)
        }
        withExtendedLifetime(leftovers) {}
        // This is outside the lock, because the end of a stream calls back into `stopObserving`.
        for observer in observers {
            observer.finish()
        }
        for waiter in waiters.values {
            waiter.resume(with: outcome)
        }
        guard isOwed else { return }
        onMain(after: ending.time) { self.reportEndings(upTo: ending.attempt) }
    }

    /// Calls the handlers of the screens and the completion handlers once the screens have stayed long enough, those of
    /// the earlier attempt first. The screens of a retry are shown only now.
    @MainActor private func reportEndings(upTo attempt: Int) {
        while let ending = lock.withLock({
            endings.first.map { $0.attempt <= attempt } == true ? endings.removeFirst() : nil
        }) {
            for handler in ending.handlers {
                handler(ending.outcome)
            }
        }
        showScreensIfDue()
    }

    private func change(to state: LaunchState) {
        current = state
        for observer in observers.values {
            observer.yield(state)
        }
        // This is still under the lock, so that the main queue gets the notifications in their order.
        onMain { [owner] in
            guard let manager = owner.manager else { return }
            NotificationCenter.default.post(
                name: CoreDataManager.stateDidChangeNotification, object: manager,
                userInfo: [CoreDataManager.stateKey: state])
        }
    }

    func onMain(after time: DispatchTime? = nil, _ work: @escaping @MainActor @Sendable () -> Void) {
        guard let time, time > .now() else {
            DispatchQueue.main.async {
                MainActor.assumeIsolated { work() }
            }
            return
        }
        DispatchQueue.main.asyncAfter(deadline: time) {
            MainActor.assumeIsolated { work() }
        }
    }

    // MARK: - Waiting and observing

    /// Waits until the launch has ended; throws its error, or `CancellationError` if the waiting task is cancelled.
    func wait() async throws {
        let ticket = lock.withLock { takeTicket() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let outcome = lock.withLock { () -> Result<Void, any Error>? in
                    switch current {
                    case .ready: return .success(())
                    case .failed(let error): return .failure(error)
                    case .idle, .checking, .migrating, .opening: break
                    }
                    // The cancellation handler below may have run before the continuation was stored.
                    if Task.isCancelled {
                        return .failure(CancellationError())
                    }
                    waiters[ticket] = continuation
                    return nil
                }
                if let outcome {
                    continuation.resume(with: outcome)
                }
            }
        } onCancel: {
            let waiter = lock.withLock { waiters.removeValue(forKey: ticket) }
            waiter?.resume(throwing: CancellationError())
        }
    }

    /// A stream of states that begins with the present one and ends with `ready`. A failure does not end it, because
    /// the launch may be retried.
    func observe() -> AsyncStream<LaunchState> {
        let (stream, continuation) = AsyncStream.makeStream(of: LaunchState.self)
        let (ticket, isOver) = lock.withLock { () -> (Int, Bool) in
            let ticket = takeTicket()
            continuation.yield(current)
            if !current.isReady {
                observers[ticket] = continuation
            }
            return (ticket, current.isReady)
        }
        if isOver {
            continuation.finish()
        } else {
            continuation.onTermination = { [weak self] _ in
                self?.stopObserving(ticket)
            }
        }
        return stream
    }

    private func stopObserving(_ ticket: Int) {
        _ = lock.withLock { observers.removeValue(forKey: ticket) }
    }

    private func takeTicket() -> Int {
        nextTicket += 1
        return nextTicket
    }
}
