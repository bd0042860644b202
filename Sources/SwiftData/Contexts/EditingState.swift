import CoreData
import Foundation

/// The identity of a context for its stores, and the author of its changes.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/editingstate)
public struct EditingState: Hashable, Identifiable, Sendable {
    /// The identity, which no other living context has.
    public struct ID: Hashable, Sendable {
        fileprivate let context: ObjectIdentifier
    }

    /// The identity.
    public let id: ID
    /// The author that the history notes for the context's saves.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/editingstate/author)
    public var author: String?

    /// The state of a context of the framework, or of a store itself.
    init(of context: AnyObject, author: String?) {
        id = ID(context: ObjectIdentifier(context))
        self.author = author
    }
}

extension ModelContext {
    /// The identity and the author of the context. Setting it sets the author.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/editingstate)
    public var editingState: EditingState {
        get { EditingState(of: self, author: author) }
        set { author = newValue.author }
    }
}

extension ModelContext: CustomDebugStringConvertible {
    /// The stores, and the numbers of unsaved changes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/debugdescription)
    public var debugDescription: String {
        let stores = container.configurations.map { "'\($0.name)' at \($0.url.absoluteString)" }.sorted()
        return """
            ModelContext(\(stores.joined(separator: ", ")); inserted: \(managed.insertedObjects.count), \
            changed: \(managed.updatedObjects.count), deleted: \(managed.deletedObjects.count))
            """
    }
}
