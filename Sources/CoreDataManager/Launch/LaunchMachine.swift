import Foundation

/// The one readiness state of a manager, with the callers that wait for it, those that watch it, and the screens.
///
/// Every field is read and written with `lock` held. No code of others runs under it. Handlers are called and
/// migrations are asked for their progress after it is released. A reference that may be the last one to an object of
/// the program is released then, too.
// @unchecked Sendable: all mutable state is guarded by `lock`.
final class LaunchMachine: @unchecked Sendable {
    typealias ProgressScreen = @MainActor @Sendable (any MigrationProgressReporting) -> Void
    typealias Completion = @MainActor @Sendable (Result<Void, any Error>) -> Void

    /// The handlers that show a migration, and that are called at the end of a launch, before its completion handlers.
    struct Screen {
        var show: ProgressScreen
        var hide: Completion?
    }

    /// The end of an attempt that its screens and completion handlers have not been told yet.
    struct Ending {
        var attempt: Int
        var time: DispatchTime
        var outcome: Result<Void, any Error>
        var handlers: [Completion]
    }

    /// Whose changes of state are posted as notifications.
    // @unchecked Sendable: set once, before anybody else knows the machine.
    private final class Owner: @unchecked Sendable {
        weak var manager: CoreDataManager?
    }

    let lock = NSLock()
    var current = LaunchState.idle
    private var hierarchy: ContextHierarchy?
    /// Grows with each launch that begins. Events of an earlier launch are ignored.
    var attempt = 0
    private var nextTicket = 0
    private var waiters: [Int: CheckedContinuation<Void, any Error>] = [:]
    private var observers: [Int: AsyncStream<LaunchState>.Continuation] = [:]
    private var completions: [Completion] = []
    var screens: [Screen] = []
    /// The screens that were asked for in this launch; a retry asks for them again.
    var shownScreens: [Screen] = []
    var shownAt: DispatchTime?
    /// In the order of their attempts.
    var endings: [Ending] = []
    /// Whether the grace delay of this attempt is over: see `beginGrace(_:ofAttempt:)`.
    var isGraceOver = false
    var reporter: (any MigrationProgressReporting)?
    /// Numbers of looks at the progress: the latest that began, and the latest whose finding became the state.
    private var looks = (begun: 0, taken: 0)
    private let owner = Owner()

    /// Seconds that a screen stays at least.
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

    // MARK: - Beginning and moving on

    /// Joins the launch that is under way, or begins one.
    ///
    /// - Parameters:
    ///   - hide: belongs to the progress screen, and is called on the main queue when the launch ends, shown or not.
    ///   - again: whether this is a retry, which only a failed launch begins, with the screens of the one before.
    /// - Returns: the number of the attempt that the caller has to start; nil when there is nothing to start.
    func join(
        progressScreen: ProgressScreen?, hide: Completion? = nil, completion: Completion?,
        again: Bool = false
    ) -> Int? {
        let (begun, isOver) = lock.withLock { () -> (Int?, Bool) in
            if current.isReady {
                guard let completion, let last = endings.indices.last else { return (nil, true) }
                // The screens still stay: nobody is told of the end before they are.
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
            // A late joiner of a migration that already outlasted the grace delay is owed its screen too.
            showScreensIfDue()
        }
        return begun
    }

    /// Enters a step of the launch; a new progress of the same migration is a step as well.
    func move(to state: LaunchState) {
        lock.withLock { change(to: state) }
    }

    /// Enters the migration, with the object that tells its progress and can cancel it.
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

    /// Reports a progress, unless the migration is over or the progress is old news.
    func updateMigration() {
        let (number, reporter) = lock.withLock { () -> (Int, (any MigrationProgressReporting)?) in
            looks.begun += 1
            return (looks.begun, self.reporter)
        }
        guard let reporter else { return }
        let progress = reporter.migrationStatus
        lock.withLock {
            // A later look has newer progress, and may have been faster.
            guard case .migrating(let known) = current, self.reporter === reporter, number > looks.taken else { return }
            looks.taken = number
            if progress != known {
                change(to: .migrating(progress))
            }
        }
    }

    /// Ends the launch: with contexts it is ready, with an error it has failed. Everybody who waits is told.
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
            // Not before the end of an earlier attempt whose screens still stay.
            let time = max(shownAt.map { $0 + minimumScreenTime } ?? now, endings.last?.time ?? now)
            let ending = Ending(
                attempt: attempt, time: time, outcome: outcome, handlers: screens.compactMap(\.hide) + completions)
            // Without handlers, too: a later completion handler must not overtake the screens.
            let isOwed = !ending.handlers.isEmpty || time > now
            if isOwed { endings.append(ending) }
            let leftovers = (self.screens, shownScreens, completions, reporter)
            defer {
                self.waiters = [:]
                completions = []
                // Kept for a retry, whether they came up or not.
                shownScreens = hierarchy == nil ? screens : []
                self.screens = []
                reporter = nil
            }
            return (self.waiters, ended, ending, isOwed, leftovers)
        }
        withExtendedLifetime(leftovers) {}
        // Outside the lock: the end of a stream calls back into `stopObserving`.
        for observer in observers {
            observer.finish()
        }
        for waiter in waiters.values {
            waiter.resume(with: outcome)
        }
        guard isOwed else { return }
        onMain(after: ending.time) { self.tellEndings(upTo: ending.attempt) }
    }

    /// The screens have stayed long enough: they and the completion handlers are told of the end, those of the earlier
    /// attempt first. The screens of a retry come up only now.
    @MainActor private func tellEndings(upTo attempt: Int) {
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
        // Still under the lock, so that the main queue gets them in their order.
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
