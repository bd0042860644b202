import Foundation

/// One state of the stores of a coordinator.
final class QueryGeneration: Sendable {
    /// The stores as they were, by number; those that cannot be read as they were are missing.
    let views: [Int: any RowStore]
    /// Tells the coordinator; not followed.
    let coordinator: ObjectIdentifier
    let identifier = UUID()

    init(views: [Int: any RowStore], coordinator: NSPersistentStoreCoordinator) {
        self.views = views
        self.coordinator = ObjectIdentifier(coordinator)
        Self.registry.add(self)
    }

    deinit { Self.registry.remove(identifier) }

    private static let registry = Registry()

    /// The state with an identifier, if anybody holds it.
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
