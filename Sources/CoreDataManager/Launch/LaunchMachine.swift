import Foundation

/// The one readiness state of a manager: who waits for it, who watches it, who has to show a screen.
///
/// Every field is read and written with `lock` held; continuations and handlers run after it is released.
// @unchecked Sendable: all mutable state is guarded by `lock`.
final class LaunchMachine: @unchecked Sendable {
    typealias ProgressScreen = @MainActor @Sendable (any MigrationProgressReporting) -> Void
    typealias Completion = @MainActor @Sendable (Result<Void, any Error>) -> Void

    /// What is called to show a migration, and what at the end of a launch, before its completion handlers.
    private struct Screen {
        var show: ProgressScreen
        var hide: Completion?
    }

    private let lock = NSLock()
    private var current = LaunchState.idle
    private var hierarchy: ContextHierarchy?
    private var nextTicket = 0
    private var waiters: [Int: CheckedContinuation<Void, any Error>] = [:]
    private var observers: [Int: AsyncStream<LaunchState>.Continuation] = [:]
    private var completions: [Completion] = []
    private var screens: [Screen] = []
    /// The screens that were asked for in this launch; a retry asks for them again.
    private var shownScreens: [Screen] = []
    private var shownAt: DispatchTime?
    private weak var owner: CoreDataManager?
    private var isGraceOver = false
    private var reporter: (any MigrationProgressReporting)?

    /// Seconds that a screen stays at least.
    private let minimumScreenTime: TimeInterval

    init(minimumScreenTime: TimeInterval = 0) {
        self.minimumScreenTime = minimumScreenTime
    }

    /// Whose changes of state are posted as notifications.
    func belong(to owner: CoreDataManager) {
        lock.withLock { self.owner = owner }
    }

    var state: LaunchState { lock.withLock { current } }

    /// The contexts, once the state is `ready`.
    var contexts: ContextHierarchy? { lock.withLock { hierarchy } }

    // MARK: - Beginning and moving on

    /// Joins the launch that is under way, or begins one.
    ///
    /// - Parameters:
    ///   - hide: belongs to the progress screen, and is called on the main queue when the launch ends, shown or not.
    ///   - again: whether this is a retry, which only a failed launch begins, with the screens of the one before.
    /// - Returns: whether the caller has to start the work.
    func join(
        progressScreen: ProgressScreen?, hide: Completion? = nil, completion: Completion?,
        again: Bool = false
    ) -> Bool {
        let (begins, isOver) = lock.withLock { () -> (Bool, Bool) in
            if current.isReady {
                return (false, true)
            }
            if let progressScreen {
                screens.append(Screen(show: progressScreen, hide: hide))
            }
            if let completion {
                completions.append(completion)
            }
            guard !current.isUnderWay else { return (false, false) }
            isGraceOver = false
            reporter = nil
            shownAt = nil
            screens += again ? shownScreens : []
            shownScreens = []
            change(to: .checking)
            return (true, false)
        }
        if isOver, let completion {
            onMain { completion(.success(())) }
        }
        if !begins && !isOver {
            // A late joiner of a migration that already outlasted the grace delay is owed its screen too.
            showScreensIfDue()
        }
        return begins
    }

    /// Enters a step of the launch; a new progress of the same migration is a step as well.
    func move(to state: LaunchState) {
        lock.withLock { change(to: state) }
    }

    /// Enters the migration, with the object that tells its progress and can cancel it.
    func beginMigration(_ reporter: any MigrationProgressReporting) {
        lock.withLock {
            self.reporter = reporter
            change(to: .migrating(reporter.migrationStatus))
        }
        showScreensIfDue()
    }

    /// Reports a progress, unless the migration is over or the progress is old news.
    func updateMigration() {
        lock.withLock {
            guard case .migrating(let known) = current, let reporter else { return }
            let progress = reporter.migrationStatus
            if progress != known {
                change(to: .migrating(progress))
            }
        }
    }

    /// Ends the launch: with contexts it is ready, with an error it has failed. Everybody who waits is told.
    func finish(_ result: Result<ContextHierarchy, any Error>) {
        let (waiters, completions, ended, shownAt) = lock.withLock {
            () -> (
                [Int: CheckedContinuation<Void, any Error>], [Completion], [AsyncStream<LaunchState>.Continuation],
                DispatchTime?
            )
            in
            var ended: [AsyncStream<LaunchState>.Continuation] = []
            switch result {
            case .success(let contexts):
                hierarchy = contexts
                change(to: .ready)
                ended = Array(observers.values)
            case .failure(let error):
                change(to: .failed(error))
            }
            defer {
                self.waiters = [:]
                self.completions = []
                // Kept for a retry, whether they came up or not.
                self.shownScreens = self.hierarchy == nil ? self.shownScreens + self.screens : []
                self.screens = []
                self.reporter = nil
            }
            let hides = (self.shownScreens + self.screens).compactMap(\.hide)
            return (self.waiters, hides + self.completions, ended, self.shownAt)
        }
        // Outside the lock: the end of a stream calls back into `stopObserving`.
        for observer in ended {
            observer.finish()
        }
        let outcome = result.map { _ in () }
        for waiter in waiters.values {
            waiter.resume(with: outcome)
        }
        guard !completions.isEmpty else { return }
        onMain(after: shownAt.map { $0 + minimumScreenTime }) {
            for completion in completions {
                completion(outcome)
            }
        }
    }

    private func change(to state: LaunchState) {
        current = state
        for observer in observers.values {
            observer.yield(state)
        }
        // Still under the lock, so that the main queue gets them in their order.
        if let owner {
            onMain { [weak owner] in
                guard let owner else { return }
                NotificationCenter.default.post(
                    name: CoreDataManager.stateDidChangeNotification, object: owner,
                    userInfo: [CoreDataManager.stateKey: state])
            }
        }
    }

    // MARK: - The progress screen

    /// The grace delay has passed: a migration that still runs has to be shown.
    func endGrace() {
        lock.withLock { isGraceOver = true }
        showScreensIfDue()
    }

    private func showScreensIfDue() {
        let isDue = lock.withLock { isGraceOver && current.isMigrating && !screens.isEmpty }
        guard isDue else { return }
        onMain {
            // Asked again on the main queue: a migration that ended while the queue was busy needs no screen.
            let (screens, reporter) = self.lock.withLock {
                () -> ([Screen], (any MigrationProgressReporting)?) in
                guard self.current.isMigrating else { return ([], nil) }
                defer {
                    self.shownScreens += self.screens
                    self.screens = []
                    self.shownAt = self.shownAt ?? .now()
                }
                return (self.screens, self.reporter)
            }
            guard let reporter else { return }
            for screen in screens {
                screen.show(reporter)
            }
        }
    }

    private func onMain(after time: DispatchTime? = nil, _ work: @escaping @MainActor @Sendable () -> Void) {
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

    // MARK: - Waiting and watching

    /// Waits until the launch has ended; throws its error, or `CancellationError` when the waiting task is cancelled.
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
                    // The handler below may have run before there was anything to cancel.
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

    /// A stream of states that begins with the present one and ends with `ready`. A failure does not end it: the launch
    /// may be tried again.
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
