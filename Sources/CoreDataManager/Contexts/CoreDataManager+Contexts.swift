import CoreData

extension CoreDataManager {
    /// The context of the main queue.
    ///
    /// The compiler refuses code that is not on the main actor; such code uses ``performMain(_:)``. The process stops
    /// if you use this property before the launch has ended. Await ``ready()`` first, or call ``readyOrThrow()``.
    @MainActor public var mainContext: NSManagedObjectContext {
        guard let contexts = machine.contexts else {
            fatalError(
                """
                CoreDataManager.mainContext was used while the stack of \(storeURL.lastPathComponent) is \(state); \
                await ready() or launch() first
                """)
        }
        return contexts.main
    }

    /// Makes a private-queue context: a child of the main context, or its sibling, by ``Configuration/layout``.
    ///
    /// The process stops if you call this before the launch has ended. Save the context with
    /// ``saveBackground(_:wait:)``.
    ///
    /// - Returns: A new context.
    public func newBackgroundContext() -> NSManagedObjectContext {
        guard let contexts = machine.contexts else {
            fatalError(
                """
                CoreDataManager.newBackgroundContext() was called while the stack of \
                \(storeURL.lastPathComponent) is \(state); await ready() or launch() first
                """)
        }
        return contexts.newBackgroundContext()
    }

    /// Waits for the launch, then runs a block on the queue of a new background context.
    ///
    /// - Parameters:
    ///   - saving: Whether to save when the block has returned. The manager then saves the changes of the block down to
    ///     the store, with the unsaved changes of the contexts in between. If the block throws, nothing more is saved.
    ///   - block: The work. The context and its objects must not leave the block.
    /// - Returns: The result of the block, after the save.
    /// - Throws: The error of the launch, of the block, or of the save of its changes, which are then lost. Or
    ///   ``CoreDataManagerError/notWritten(_:)`` if only a context above could not be saved: that context keeps the
    ///   changes, and a second run of the block would make them twice.
    public func performBackground<Result: Sendable>(
        saving: Bool = true, _ block: @escaping @Sendable (NSManagedObjectContext) throws -> Result
    ) async throws -> Result {
        let contexts = try await contextsWhenReady()
        let context = contexts.newBackgroundContext()
        // One turn of the queue does both, so that no merge comes between the block's reads and its save.
        let result = try await context.perform {
            let result = try block(context)
            if saving { try contexts.save(context) }
            return result
        }
        if saving { try await saveAbove(contexts, wait: true) }
        return result
    }

    /// Waits for the launch, then runs a block on the main queue with the main context. It does not save.
    ///
    /// - Parameter block: The work. The context and its objects must not leave the block.
    /// - Returns: The result of the block.
    /// - Throws: The error of the launch or of the block.
    public func performMain<Result: Sendable>(
        _ block: @escaping @Sendable (NSManagedObjectContext) throws -> Result
    ) async throws -> Result {
        let main = try await contextsWhenReady().main
        return try await main.perform { try block(main) }
    }

    /// Waits for the launch, then makes a reference to the object of a URI.
    ///
    /// Use it for links, user activities and intents that reach a program during its launch.
    ///
    /// - Parameters:
    ///   - type: The class of the object.
    ///   - uri: A URI that ``ObjectReference/uri`` returned, in this process or in an earlier one.
    /// - Returns: A reference to the object.
    /// - Throws: The error of the launch. ``ObjectReferenceError`` if the URI belongs to no open store, or if the
    ///   object is of another class. Core Data's error if the object no longer exists.
    public func reference<Object: NSManagedObject>(
        to type: Object.Type = Object.self, uri: URL
    ) async throws -> ObjectReference<Object> {
        try await performMain { context in try ObjectReference(uri: uri, in: context) }
    }

    /// Waits for the launch, then runs a block on the queue of a new background context, for callers that do not await.
    ///
    /// - Parameters:
    ///   - saving: Whether to save when the block has returned, as in ``performBackground(saving:_:)``.
    ///   - block: The work. The context and its objects must not leave the block.
    ///   - completion: Receives the result of the block or the error, on the main queue.
    public func performBackground<Result: Sendable>(
        saving: Bool = true, _ block: @escaping @Sendable (NSManagedObjectContext) throws -> Result,
        completion: @escaping @MainActor @Sendable (Swift.Result<Result, any Error>) -> Void
    ) {
        Task {
            let outcome: Swift.Result<Result, any Error>
            do {
                outcome = .success(try await performBackground(saving: saving, block))
            } catch {
                outcome = .failure(error)
            }
            await completion(outcome)
        }
    }
}
