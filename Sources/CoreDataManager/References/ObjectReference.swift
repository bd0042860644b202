import CoreData

/// A value that carries an object from one queue to another, as an ID with the class of the object.
///
/// A managed object belongs to the queue of its context. In Swift 6 mode the compiler refuses to send it elsewhere, or
/// the process stops if the compiler cannot detect it (see ``CoreDataManager/CoreDataManager``). A reference is a value
/// that you can send anywhere. On the other side it becomes the object of that side's context.
///
/// ```swift
/// let reference = try ObjectReference(person)            // on the queue of person's context
/// try await manager.performBackground { context in
///     try reference.object(in: context).name = "Ada"     // another object, the same person
/// }
/// ```
// @unchecked Sendable: an object id never changes once it is permanent, and only permanent ones are kept.
public struct ObjectReference<Object: NSManagedObject>: Hashable, @unchecked Sendable {
    /// The permanent ID of the object.
    public let objectID: NSManagedObjectID

    /// Makes a reference to an object. Call it on the queue of the object's context.
    ///
    /// A new object gets its permanent ID here, because every context needs it to find the object. Other contexts find
    /// the object after it was saved into a context or a store that they share.
    ///
    /// - Parameter object: The object.
    /// - Throws: ``ObjectReferenceError/withoutContext(entity:)`` if the object is new and belongs to no context, or
    ///   Core Data's error if no store takes it.
    public init(_ object: Object) throws {
        if object.objectID.isTemporaryID {
            guard let context = object.managedObjectContext else {
                throw ObjectReferenceError.withoutContext(entity: object.entity.name ?? "")
            }
            try context.obtainPermanentIDs(for: [object])
        }
        objectID = object.objectID
    }

    /// Makes a reference to the object of a URI. Call it on the queue of the context.
    ///
    /// - Parameters:
    ///   - uri: A URI that ``uri`` returned, in this process or in an earlier one.
    ///   - context: A context that can fetch the object.
    /// - Throws: ``ObjectReferenceError`` if the URI belongs to no open store of the context, or if the object is of
    ///   another class. Core Data's error if the object does not exist.
    public init(uri: URL, in context: NSManagedObjectContext) throws {
        var top = context
        while let parent = top.parent {
            top = parent
        }
        guard let id = top.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri) else {
            throw ObjectReferenceError.unknown(uri: uri)
        }
        objectID = id
        _ = try object(in: context)
    }

    /// The URI of the object, for files and other processes.
    public var uri: URL { objectID.uriRepresentation() }

    /// Fetches the object into a context. Call it on the queue of the context.
    ///
    /// - Parameter context: The context.
    /// - Returns: The context's object.
    /// - Throws: Core Data's error if the object does not exist or no longer exists.
    ///   ``ObjectReferenceError/otherClass(expected:found:uri:)`` if it is of another class.
    public func object(in context: NSManagedObjectContext) throws -> Object {
        let found = try context.existingObject(with: objectID)
        guard let object = found as? Object else {
            throw ObjectReferenceError.otherClass(
                expected: String(describing: Object.self), found: String(describing: type(of: found)), uri: uri)
        }
        return object
    }
}

/// The reason why a reference leads to no object.
public enum ObjectReferenceError: Error, Sendable, Equatable {
    /// The object belongs to no context, so no store can give it an ID.
    case withoutContext(entity: String)
    /// The URI belongs to no open store.
    case unknown(uri: URL)
    /// The object is of another class than the reference's.
    case otherClass(expected: String, found: String, uri: URL)
}

extension ObjectReferenceError: CustomStringConvertible, LocalizedError {
    /// A description of the error in one sentence.
    public var description: String {
        switch self {
        case .withoutContext(let entity): "an object of \(entity) without a context cannot be referred to"
        case .unknown(let uri): "\(uri.absoluteString) belongs to no open store"
        case .otherClass(let expected, let found, let uri):
            "\(uri.absoluteString) is an object of class \(found), not \(expected)"
        }
    }

    /// A description of the error in one sentence, for callers that show errors.
    public var errorDescription: String? { description }
}
