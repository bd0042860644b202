import CoreData

/// Remembers, without holding them, the contexts, coordinators, stores and objects that a test made.
public final class LiveInstances: @unchecked Sendable {  // `references` is used under `lock` only
    private struct Reference {
        let name: String
        weak var object: AnyObject?
    }

    private let lock = NSLock()
    private var references: [Reference] = []

    /// Who keeps the account of the running test; nil outside of tests that want it kept.
    @TaskLocal public static var current: LiveInstances?

    public init() {}

    /// Takes an instance into the account of the running test.
    public static func note(_ object: AnyObject, _ name: @autoclosure () -> String) {
        guard let current else { return }
        let reference = Reference(name: name(), object: object)
        current.lock.withLock { current.references.append(reference) }
    }

    /// How many instances were noted.
    public var noted: Int { lock.withLock { references.count } }

    /// The names of those that are still there.
    public var living: [String] { lock.withLock { references.filter { $0.object != nil }.map(\.name) } }
}
