import Foundation

/// One state of the stores of a coordinator.
final class QueryGeneration: Sendable {
    /// The views of the stores in that state, by number. Stores that cannot be read in a past state are missing.
    let views: [Int: any RowStore]
    /// Identifies the coordinator; never dereferenced.
    let coordinator: ObjectIdentifier
    let identifier = UUID()

    init(views: [Int: any RowStore], coordinator: NSPersistentStoreCoordinator) {
        self.views = views
        self.coordinator = ObjectIdentifier(coordinator)
        Self.registry.add(self)
    }

    deinit { Self.registry.remove(identifier) }

    private static let registry = Registry()

    /// The state with an identifier; nil if nothing holds it any more.
    static func living(_ identifier: UUID) -> QueryGeneration? { registry.find(identifier) }

    /// The states that are held.
    private final class Registry: @unchecked Sendable {  // mutable state is guarded by `lock`
        private struct Entry {
            weak var generation: QueryGeneration?
        }

        private let lock = NSLock()
        private var entries: [UUID: Entry] = [:]

        func add(_ generation: QueryGeneration) {
            lock.withLock { entries[generation.identifier] = Entry(generation: generation) }
        }

        func remove(_ identifier: UUID) { _ = lock.withLock { entries.removeValue(forKey: identifier) } }

        func find(_ identifier: UUID) -> QueryGeneration? { lock.withLock { entries[identifier]?.generation } }
    }
}
