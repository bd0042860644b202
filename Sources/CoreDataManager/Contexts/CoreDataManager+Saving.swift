import CoreData

extension CoreDataManager {
    /// Saves the main context into the root, and the root into the store. Among siblings, into the store at once.
    ///
    /// - Parameters:
    ///   - wait: whether to return only when the store has written. Otherwise the root saves on its own queue after
    ///     this has returned: the main thread does not wait for the disk.
    ///   - completion: receives the outcome of the whole chain: on the calling thread, before this returns, when the
    ///     store is waited for, among siblings, and when the main context cannot be saved; otherwise on the root's
    ///     queue. Without it the error of a root that nobody waits for goes to `Configuration.unattendedErrorHandler`.
    /// - Throws: `CoreDataManagerError.notReady` before the launch has ended; otherwise the error of a save that was
    ///   waited for. The changes that could not be saved stay where they are: in the context whose save failed.
    public func save(
        wait: Bool, completion: (@Sendable (Result<Void, any Error>) -> Void)? = nil
    ) throws {
        let contexts = try contextsOrThrow()
        do {
            try contexts.main.performAndWait { try contexts.save(contexts.main) }
            if wait, let root = contexts.root {
                try root.performAndWait { try contexts.save(root) }
            }
        } catch {
            completion?(.failure(error))
            throw error
        }
        if wait {
            completion?(.success(()))
        } else {
            saveRootUnattended(contexts, completion: completion)
        }
    }

    /// Waits for the launch, then saves the main context into the root, and the root into the store.
    ///
    /// - Parameter wait: whether to return only when the store has written. Otherwise an error of the root goes to
    ///   `Configuration.unattendedErrorHandler`.
    /// - Throws: the error of the launch or of a save that was waited for.
    public func saveMain(wait: Bool = true) async throws {
        let contexts = try await contextsWhenReady()
        try await contexts.main.perform { try contexts.save(contexts.main) }
        if wait {
            if let root = contexts.root {
                try await root.perform { try contexts.save(root) }
            }
        } else {
            saveRootUnattended(contexts, completion: nil)
        }
    }

    /// Saves a background context into the main one, and that down to the store. Among siblings, into the store; the
    /// main context has taken it in when this returns.
    ///
    /// - Parameters:
    ///   - context: a context of `newBackgroundContext()`.
    ///   - wait: as for `saveMain(wait:)`.
    /// - Throws: the error of the launch or of the context's own save, whose changes stay in it then; or
    ///   `CoreDataManagerError.notWritten` with the error of the context above that could not be saved: an edit in the
    ///   main context that is not valid yet holds up what is saved through it. The changes are there, and are written
    ///   when it is saved the next time.
    public func saveBackground(_ context: NSManagedObjectContext, wait: Bool = true) async throws {
        let contexts = try await contextsWhenReady()
        try await context.perform { try contexts.save(context) }
        try await saveAbove(contexts, wait: wait)
    }

    /// Brings what a background context has saved down to the store, or waits until the main context has merged it.
    func saveAbove(_ contexts: ContextHierarchy, wait: Bool) async throws {
        if contexts.root == nil {
            // The merge was put on the main queue before this.
            await contexts.main.perform {}
        } else {
            do {
                try await saveMain(wait: wait)
            } catch {
                throw CoreDataManagerError.notWritten(error)
            }
        }
    }

    private func saveRootUnattended(
        _ contexts: ContextHierarchy, completion: (@Sendable (Result<Void, any Error>) -> Void)?
    ) {
        guard let root = contexts.root else {
            completion?(.success(()))
            return
        }
        let report = configuration.unattendedErrorHandler
        root.perform {
            let outcome = Result { try contexts.save(root) }
            if let completion {
                completion(outcome)
            } else if case .failure(let error) = outcome {
                report(error)
            }
        }
    }
}
