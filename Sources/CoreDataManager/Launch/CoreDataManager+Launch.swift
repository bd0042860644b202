import CoreData

extension CoreDataManager {
    /// How far the launch is.
    public var state: LaunchState { machine.state }

    /// Every state from the present one on, in order. Ends after `ready`, or when the manager goes away; a failure does
    /// not end it, for a launch may be tried again.
    public var states: AsyncStream<LaunchState> { machine.observe() }

    /// Begins the launch in the background, or joins the one under way; after a failure it begins anew.
    ///
    /// - Parameters:
    ///   - progressScreen: asked for on the main queue when a migration outlasts `Configuration.graceDelay`, counted
    ///     from here, and never otherwise. It receives the migration: it can show the progress and cancel.
    ///   - completion: called on the main queue when the contexts may be used, or with the error that ended the launch.
    public func launch(
        progressScreen: (@MainActor @Sendable (any MigrationProgressReporting) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (Result<Void, any Error>) -> Void
    ) {
        begin(progressScreen: progressScreen, completion: completion)
    }

    func begin(
        progressScreen: LaunchMachine.ProgressScreen?, hide: LaunchMachine.Completion? = nil,
        completion: LaunchMachine.Completion?, again: Bool = false
    ) {
        let begun = machine.join(progressScreen: progressScreen, hide: hide, completion: completion, again: again)
        guard let attempt = begun else { return }
        let machine = machine
        machine.beginGrace(configuration.graceDelay, ofAttempt: attempt)
        queue.async {
            machine.finish(Result { try self.prepare() })
        }
    }

    /// Launches in the background and returns when the contexts may be used.
    ///
    /// - Throws: the error that ended the launch, or `CancellationError` when the calling task is cancelled; the launch
    ///   itself goes on then.
    public func launch() async throws {
        begin(progressScreen: nil, completion: nil)
        try await machine.wait()
    }

    /// The gate before every asynchronous use: returns when the contexts may be used.
    ///
    /// A launch that has not begun begins here, so that no part of a program can wait for ever because another one
    /// forgot; whoever calls `launch(progressScreen:completion:)` later joins it.
    ///
    /// - Throws: the error that ended the launch. It is not tried again from here: that is `launch`'s decision.
    public func ready() async throws {
        if case .idle = machine.state {
            begin(progressScreen: nil, completion: nil)
        }
        try await machine.wait()
    }

    /// The gate for callers that cannot wait.
    ///
    /// - Throws: `CoreDataManagerError.notReady` with the present state, unless that is `ready`.
    public func readyOrThrow() throws {
        _ = try contextsOrThrow()
    }

    /// The contexts, or an error that says what the launch is doing.
    func contextsOrThrow() throws -> ContextHierarchy {
        guard let contexts = machine.contexts else { throw CoreDataManagerError.notReady(machine.state) }
        return contexts
    }

    /// The contexts after `ready()` has returned.
    func contextsWhenReady() async throws -> ContextHierarchy {
        try await ready()
        return try contextsOrThrow()
    }

    /// The whole of a launch, on the manager's queue: read the model, compare, migrate if needed, open.
    private func prepare() throws -> ContextHierarchy {
        let model = try loadModel()
        if try isMigrationRequired(to: model) {
            try migrate(
                to: model, begun: { machine.beginMigration($0) }, progressed: { [machine] in machine.updateMigration() }
            )
        } else {
            configuration.adapter.cleanUp(after: job(to: model))
        }
        machine.move(to: .opening)
        return try ContextHierarchy(model: model, storeURL: storeURL, configuration: configuration)
    }
}
