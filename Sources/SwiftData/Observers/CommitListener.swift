import CoreData
import Foundation

/// A weak reference to an object that one isolation uses, for code that comes back to this isolation.
struct UncheckedReference<Object: AnyObject>: @unchecked Sendable {
    private(set) weak var object: Object?

    init(_ object: Object) { self.object = object }
}

/// Waits for commits to the stores of a context by other contexts and processes, as long as it is retained.
final class CommitListener {
    private let task: Task<Void, Never>
    private let observers: [any NSObjectProtocol]

    /// - Parameters:
    ///   - context: The context.
    ///   - isolation: The isolation that uses the context, in which the body is called; nil if none is known.
    ///   - body: Called after commits. Its argument is whether the isolation is there.
    init(of context: ModelContext, isolation: isolated (any Actor)?, _ body: @escaping (Bool) -> Void) {
        let (events, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let coordinator = context.parts.coordinator
        let own = ObjectIdentifier(context.managed)
        observers = [
            NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSaveObjectIDs, object: nil, queue: nil
            ) { [weak coordinator] notification in
                guard let saver = notification.object as? NSManagedObjectContext, ObjectIdentifier(saver) != own,
                    let coordinator, saver.persistentStoreCoordinator === coordinator
                else { return }
                continuation.yield()
            },
            NotificationCenter.default.addObserver(
                forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
            ) { _ in continuation.yield() },
        ]
        let call = UncheckedCall(body)
        if isolation != nil {
            task = Task {
                // The closure runs in the isolation if it captures the parameter itself.
                _ = isolation
                for await _ in events { call.body(true) }
            }
        } else {
            task = Task.detached {
                for await _ in events { call.body(false) }
            }
        }
    }

    deinit {
        task.cancel()
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
    }
}

/// A function that is called in the isolation from which it comes.
private struct UncheckedCall: @unchecked Sendable {
    let body: (Bool) -> Void

    init(_ body: @escaping (Bool) -> Void) { self.body = body }
}
