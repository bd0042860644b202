import CoreData
import Foundation

/// The contexts of a container. Each merges the saves of all other ones.
///
/// A context merges when it is next used: before a fetch, a save, and `model(for:)`. So a fetch never shows older
/// values than the store has. The main context merges by itself, on the main queue.
final class Siblings: Sendable {
    /// The changes that wait for one context.
    final class Box: Sendable {
        let waiting = Locked<[SavedObjectIDs]>([])
    }

    private struct Weak {
        weak var box: Box?
    }

    private let boxes = Locked<[Weak]>([])

    func add(_ box: Box) {
        boxes.withLock { boxes in
            boxes.removeAll { $0.box == nil }
            boxes.append(Weak(box: box))
        }
    }

    /// Gives the changes of a save to the other contexts.
    func announce(_ changes: SavedObjectIDs, from saver: Box) {
        for box in boxes.withLock({ $0.compactMap(\.box) }) where box !== saver {
            box.waiting.withLock { $0.append(changes) }
        }
    }
}

extension ModelContext {
    /// Merges what other contexts of the container have saved.
    func mergeSiblings() {
        let waiting = box.waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for changes in waiting {
            var data: [AnyHashable: Any] = [:]
            if !changes.inserted.isEmpty { data[NSInsertedObjectIDsKey] = changes.inserted }
            if !changes.updated.isEmpty { data[NSUpdatedObjectIDsKey] = changes.updated }
            if !changes.deleted.isEmpty { data[NSDeletedObjectIDsKey] = changes.deleted }
            NSManagedObjectContext.mergeChanges(fromRemoteContextSave: data, into: [managed])
        }
    }
}
