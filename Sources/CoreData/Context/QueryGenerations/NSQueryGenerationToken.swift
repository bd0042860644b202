import Foundation

/// A state of the stores that contexts can be pinned to: they go on reading it, whatever is saved meanwhile.
///
/// A token holds its state as long as anybody holds the token, and what was written since then cannot go from the -wal
/// into the store's main file so long. May be passed between threads.
open class NSQueryGenerationToken: NSObject, NSCopying, @unchecked Sendable {  // every stored property is a `let`
    /// Nil for the token that stands for the present.
    let generation: QueryGeneration?

    init(_ generation: QueryGeneration?) {
        self.generation = generation
        super.init()
    }

    private static let present = NSQueryGenerationToken(nil)

    /// Stands for whatever state the stores are in when a context that is pinned to it next reads.
    open class var current: NSQueryGenerationToken { present }

    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSQueryGenerationToken).map { $0.generation === generation } ?? false
    }

    open override var hash: Int { generation.map { ObjectIdentifier($0).hashValue } ?? 0 }

    open override var description: String {
        generation.map { "<NSQueryGenerationToken: \(UInt(bitPattern: ObjectIdentifier($0).hashValue))>" }
            ?? "<NSQueryGenerationToken: current>"
    }

    public func copy(with zone: NSZone? = nil) -> Any { self }
}

/// One state of the stores of a coordinator.
final class QueryGeneration: Sendable {
    /// The stores as they were, by number; those that cannot be read as they were are missing.
    let views: [Int: any RowStore]
    /// Tells the coordinator; not followed.
    let coordinator: ObjectIdentifier

    init(views: [Int: any RowStore], coordinator: NSPersistentStoreCoordinator) {
        self.views = views
        self.coordinator = ObjectIdentifier(coordinator)
    }
}
