import Foundation

/// Reports to incremental stores which of their objects a context uses.
final class UsageObserver: Sendable {
    // Weak: an object may be released after the coordinator is gone. Set once; a weak reference is read atomically.
    nonisolated(unsafe) private weak var coordinator: NSPersistentStoreCoordinator?

    init(coordinator: NSPersistentStoreCoordinator) { self.coordinator = coordinator }

    /// Objects came into the context; keys of new objects do not count.
    func began(_ keys: [Int64]) {
        if keys.contains(where: { $0 > 0 }) { coordinator?.contextDidRegister(keys) }
    }

    /// Objects left the context.
    func ended(_ keys: [Int64]) {
        if keys.contains(where: { $0 > 0 }) { coordinator?.contextDidUnregister(keys) }
    }
}
