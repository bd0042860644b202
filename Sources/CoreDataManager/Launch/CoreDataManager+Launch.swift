import CoreData

extension CoreDataManager {
    /// The current state of the launch.
    public var state: LaunchState { machine.state }

    /// The states of the launch in order, beginning with the current one.
    ///
    /// The sequence ends after ``LaunchState/ready``, or when the manager is released. A failure does not end it,
    /// because you may retry the launch.
    public var states: AsyncStream<LaunchState> { machine.observe() }

    /// Begins the launch in the background, or joins the one under way. After a failure it begins anew.
    ///
    /// - Parameters:
    ///   - progressScreen: Shows the progress of a migration, and can cancel it. The manager calls it on the main queue
    ///     if a migration is still running ``Configuration/graceDelay`` seconds after this call, and never otherwise.
    ///   - completion: Receives the outcome on the main queue: the contexts may be used, or an error ended the launch.
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
            machine.finish(Result { try self.carryOutLaunch() })
        }
    }

    /// Launches in the background and returns when the contexts may be used.
    ///
    /// - Throws: The error that ended the launch. Or `CancellationError` if the calling task is cancelled; the launch
    ///   itself continues.
    public func launch() async throws {
        begin(progressScreen: nil, completion: nil)
        try await machine.wait()
    }

    /// Returns when the contexts may be used. Call it before every asynchronous use.
    ///
    /// If no launch has begun, this method begins one, so that no part of a program waits for ever. A later
    /// ``launch(progressScreen:completion:)`` joins that launch.
    ///
    /// - Throws: The error that ended the launch. This method does not retry a failed launch.
    public func ready() async throws {
        if case .idle = machine.state {
            begin(progressScreen: nil, completion: nil)
        }
        try await machine.wait()
    }

    /// Throws unless the contexts may be used. Call it where you cannot wait.
    ///
    /// - Throws: ``CoreDataManagerError/notReady(_:)`` with the current state, unless that is ``LaunchState/ready``.
    public func readyOrThrow() throws {
        _ = try contextsOrThrow()
    }

    /// The contexts, or an error with the state of the launch.
    func contextsOrThrow() throws -> ContextHierarchy {
        guard let contexts = machine.contexts else { throw CoreDataManagerError.notReady(machine.state) }
        return contexts
    }

    /// The contexts after `ready()` has returned.
    func contextsWhenReady() async throws -> ContextHierarchy {
        try await ready()
        return try contextsOrThrow()
    }

    /// Carries out a whole launch on the manager's queue: reads the model, compares, migrates if needed, opens.
    private func carryOutLaunch() throws -> ContextHierarchy {
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
