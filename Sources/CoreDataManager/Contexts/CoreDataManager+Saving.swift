import CoreData

extension CoreDataManager {
    /// Saves the main context, and the root into the store.
    ///
    /// In the layout ``ContextLayout/siblings`` the main context saves into the store directly.
    ///
    /// - Parameters:
    ///   - wait: Whether to return only when the store is written. Otherwise the root saves on its own queue after this
    ///     method has returned, and the main thread does not wait for the disk.
    ///   - completion: Receives the outcome of all saves. The root's queue calls it if you do not wait. The calling
    ///     thread calls it before this method returns in three cases: you wait, the contexts are siblings, or the main
    ///     context cannot be saved. Without a handler, ``Configuration/unattendedErrorHandler`` receives the error of a
    ///     root for which the caller does not wait.
    /// - Throws: ``CoreDataManagerError/notReady(_:)`` before the launch has ended. Otherwise the error of a save that
    ///   you wait for; the context whose save failed keeps its changes.
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

    /// Waits for the launch, then saves the main context, and the root into the store.
    ///
    /// - Parameter wait: Whether to return only when the store is written. Otherwise
    ///   ``Configuration/unattendedErrorHandler`` receives an error of the root.
    /// - Throws: The error of the launch, or of a save that you wait for.
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

    /// Waits for the launch, then saves a background context, and the contexts above it down to the store.
    ///
    /// In the layout ``ContextLayout/siblings`` the context saves into the store directly. The main context has merged
    /// the changes when this method returns.
    ///
    /// - Parameters:
    ///   - context: A context that ``newBackgroundContext()`` made.
    ///   - wait: Whether to return only when the store is written, as in ``saveMain(wait:)``.
    /// - Throws: The error of the launch. Or the error of the context's own save; the context then keeps its changes.
    ///   Or ``CoreDataManagerError/notWritten(_:)`` if a context above could not be saved, for example because of an
    ///   edit in the main context that is not valid yet. That context keeps the changes, and its next save writes them.
    public func saveBackground(_ context: NSManagedObjectContext, wait: Bool = true) async throws {
        let contexts = try await contextsWhenReady()
        try await context.perform { try contexts.save(context) }
        try await saveAbove(contexts, wait: wait)
    }

    /// Writes the changes that a background context has saved to the store, or waits until the main context has merged
    /// them.
    func saveAbove(_ contexts: ContextHierarchy, wait: Bool) async throws {
        if contexts.root == nil {
            // The merge was put on the main queue before this block.
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
