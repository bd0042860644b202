import Foundation

/// The protocol of all contexts.
///
/// The generic members of contexts are members of this protocol's extension, so that they yield to members of the same
/// form that another module adds to ``NSManagedObjectContext``. Many programs have such members from the time before
/// Apple's framework had them.
///
/// OpenCoreData only.
public protocol ManagedObjectContextClass: AnyObject {}

extension NSManagedObjectContext: ManagedObjectContextClass {}

extension ManagedObjectContextClass where Self: NSManagedObjectContext {
    /// Runs the block while the context's queue is held, and returns the block's result.
    ///
    /// The block of a main-queue context runs on the main queue. A caller that holds the main queue runs it directly,
    /// also inside a block of a private context. Any other caller waits. Calls may be nested. The call goes through the
    /// form without a result, which a subclass may override.
    ///
    /// Any thread may call it. A confinement context has no queue, so the call stops the process.
    ///
    /// - Parameter block: The work to do on the context's queue.
    /// - Returns: The block's result.
    /// - Throws: The block's error.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/performandwait(_:)-6aaf1)
    public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        try returning(block, rescue: { throw $0 }, by: performAndWait(_:))
    }

    /// Runs the block on the context's queue and returns its result; the caller is suspended until then.
    ///
    /// The block may capture values that are not `Sendable`: the compiler treats it as code of the caller. It must not
    /// read or change the state of an actor that calls it, because it runs on the context's queue.
    ///
    /// Pending changes are processed after the block. A confinement context has no queue, so the call stops the
    /// process.
    ///
    /// - Parameters:
    ///   - schedule: Whether the block may run at once if the caller is on the context's queue already.
    ///   - block: The work to do on the context's queue.
    /// - Returns: The block's result.
    /// - Throws: The block's error.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/perform(schedule:_:))
    nonisolated(nonsending) public func perform<T>(
        schedule: NSManagedObjectContext.ScheduledTaskType = .immediate, _ block: @escaping () throws -> T
    ) async rethrows -> T {
        try await _perform(schedule: schedule, block)
    }

    /// Fetches objects, ids, dictionaries or a count, as the request says.
    ///
    /// Unsaved changes of this context and its parents count, unless the request's `includesPendingChanges` is false.
    /// Dictionaries show saved values only.
    ///
    /// If a subclass overrides the form without a type parameter, the fetch goes through that method. The process stops
    /// if a result is not a `T`.
    ///
    /// - Parameter request: The entity, predicate, order and result type.
    /// - Returns: The results, in the order of the request's sort descriptors.
    /// - Throws:
    ///   - `NSCoreDataError` (134060) if the context has neither a coordinator nor a parent, the coordinator has no
    ///     stores, or the model does not have the entity.
    ///   - `NSCoreDataError` (134060) if the store cannot carry out the predicate or the order.
    ///   - The store's error if it cannot be read, and the error of a fault that has to be read and cannot be.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/fetch(_:)-4xeoz)
    public func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
        guard ContextOverrides.fetching(type(of: self)) else { return try _fetch(request) }
        return try overriddenFetch(request)
    }

    /// Counts the results that a fetch would give.
    ///
    /// Unsaved changes count as in `fetch(_:)`. If a subclass overrides the form without a type parameter, the count
    /// goes through that method.
    ///
    /// - Parameter request: The request to count for.
    /// - Returns: The number of results, which respects the request's limit and offset.
    /// - Throws: The same errors as `fetch(_:)`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/count(for:)-3r91z)
    public func count<T>(for request: NSFetchRequest<T>) throws -> Int {
        guard ContextOverrides.counting(type(of: self)) else { return try _count(for: request) }
        return try count(for: request.ofAnyResults)
    }

    /// Counts the results of a request whose result type only this call determines.
    ///
    /// - Parameter request: The request to count for.
    /// - Returns: The number of results, which respects the request's limit and offset.
    /// - Throws: The same errors as `fetch(_:)`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/count(for:)-3r91z)
    @_disfavoredOverload
    public func count(for request: NSFetchRequest<NSManagedObject>) throws -> Int {
        try count(for: request.ofAnyResults)
    }
}
