/// The fetching methods that a context's class overrides.
///
/// On a Mac the generic `fetch(_:)` and `count(for:)` call the versions without a type, so that a program's tests
/// override those. The versions without a type return untyped results, so calling them for every fetch would cost a
/// cast of each result.
enum ContextOverrides {
    /// Whether a context's class overrides `fetch(_:)`.
    static func fetching(_ type: NSManagedObjectContext.Type) -> Bool {
        type != NSManagedObjectContext.self && fetching.isOverridden(by: type)
    }

    /// Whether a context's class overrides `count(for:)`.
    static func counting(_ type: NSManagedObjectContext.Type) -> Bool {
        type != NSManagedObjectContext.self && counting.isOverridden(by: type)
    }

    private static let fetching = VTableSlot(
        in: NSManagedObjectContext.self, same: NothingOverridden.self, other: FetchingOverridden.self)
    private static let counting = VTableSlot(
        in: NSManagedObjectContext.self, same: NothingOverridden.self, other: CountingOverridden.self)

    private final class NothingOverridden: NSManagedObjectContext, @unchecked Sendable {}
    private final class FetchingOverridden: NSManagedObjectContext, @unchecked Sendable {
        override func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] { [] }
    }
    private final class CountingOverridden: NSManagedObjectContext, @unchecked Sendable {
        override func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int { 0 }
    }
}

extension NSManagedObjectContext {
    /// Fetches by the `fetch(_:)` of a subclass that overrides it.
    final func overriddenFetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
        // The override's `super.fetch(request)` comes here as well: the compiler prefers the form with a type.
        if fetchState.isWithinOverride {
            fetchState.isWithinOverride = false
            defer { fetchState.isWithinOverride = true }
            return try _fetch(request)
        }
        fetchState.isWithinOverride = true
        defer { fetchState.isWithinOverride = false }
        let results = try (self as any UntypedFetching).fetch(request.ofAnyResults)
        if let typed = results as? [T] { return typed }
        // The framework cannot convert the results of the override. A Mac's cast stops the process here, too.
        fatalError("\(type(of: self)).fetch(_:) gave something other than \(T.self)")
    }
}

/// By this protocol the overridable `fetch(_:)` is called, where the compiler would choose the one with a type.
private protocol UntypedFetching {
    func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any]
}

extension NSManagedObjectContext: UntypedFetching {}
