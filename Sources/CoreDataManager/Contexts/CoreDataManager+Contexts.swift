import CoreData

extension CoreDataManager {
    /// The context of the main queue, child of the private root that writes to the store.
    ///
    /// Code that is not on the main actor is refused by the compiler; it takes `performMain(_:)`. Using it before the
    /// launch has ended is a programmer's error and stops the process: `await ready()` first, or ask `readyOrThrow()`.
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

    /// A new private-queue context: below the main one, or beside it, as `Configuration.layout` says.
    ///
    /// Stops the process before the launch has ended, as `mainContext` does. Save it with `saveBackground(_:wait:)`.
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

    /// Waits for the launch, then runs the block on the queue of a new background context.
    ///
    /// - Parameters:
    ///   - saving: whether the changes that the block leaves, and those it pushed into the main context itself, are
    ///     saved down the whole chain to the store when it has returned, with what the main context has to save. A
    ///     block that throws saves nothing more.
    ///   - block: the work. The context and its objects must not leave it.
    /// - Returns: what the block returns, after the save.
    /// - Throws: the error of the launch, of the block, or of the save of its changes, of which nothing is left then;
    ///   or `CoreDataManagerError.notWritten` when only the contexts above could not be saved: the changes are kept
    ///   there, and to run the block again would make them twice.
    public func performBackground<Result: Sendable>(
        saving: Bool = true, _ block: @escaping @Sendable (NSManagedObjectContext) throws -> Result
    ) async throws -> Result {
        let contexts = try await contextsWhenReady()
        let context = contexts.newBackgroundContext()
        // In one turn of the queue: no merge comes between what the block has read and its save.
        let result = try await context.perform {
            let result = try block(context)
            if saving { try contexts.save(context) }
            return result
        }
        if saving { try await saveAbove(contexts, wait: true) }
        return result
    }

    /// Waits for the launch, then runs the block on the main queue with the main context. It saves nothing.
    ///
    /// - Returns: what the block returns.
    /// - Throws: the error of the launch or of the block.
    public func performMain<Result: Sendable>(
        _ block: @escaping @Sendable (NSManagedObjectContext) throws -> Result
    ) async throws -> Result {
        let main = try await contextsWhenReady().main
        return try await main.perform { try block(main) }
    }

    /// Waits for the launch, then refers to the object that a URI stands for: the door for links, user activities and
    /// intents that reach a program while it is being launched.
    ///
    /// - Throws: the error of the launch; `ObjectReferenceError` when the store does not know the URI or its object is
    ///   of another class, Core Data's error when the object is not there any more.
    public func reference<Object: NSManagedObject>(
        to type: Object.Type = Object.self, uri: URL
    ) async throws -> ObjectReference<Object> {
        try await performMain { context in try ObjectReference(uri: uri, in: context) }
    }

    /// The same background work for callers that do not await: the outcome comes by a handler on the main queue.
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
