import CoreData

/// Carries an object from one queue to another: its id, with the class it stands for.
///
/// A managed object belongs to the queue of its context; sending it elsewhere is an error of the compiler in Swift 6
/// mode, or a stop where the compiler cannot see it (`CoreDataManager` says where). A reference is a value that may go
/// anywhere; on the other side it becomes the object of that side's context.
///
/// ```swift
/// let reference = try ObjectReference(person)            // on the queue of person's context
/// try await manager.performBackground { context in
///     try reference.object(in: context).name = "Ada"     // another object, the same person
/// }
/// ```
// @unchecked Sendable: an object id never changes once it is permanent, and only permanent ones are kept.
public struct ObjectReference<Object: NSManagedObject>: Hashable, @unchecked Sendable {
    /// The permanent id.
    public let objectID: NSManagedObjectID

    /// Refers to an object. On the queue of its context.
    ///
    /// A new object gets its permanent id here, as every context needs it to find the object. Others find it when it
    /// has been saved as far as a context or store that they share.
    ///
    /// - Throws: `ObjectReferenceError.withoutContext` when the object belongs to no context, or Core Data's error when
    ///   no store takes it.
    public init(_ object: Object) throws {
        if object.objectID.isTemporaryID {
            guard let context = object.managedObjectContext else {
                throw ObjectReferenceError.withoutContext(entity: object.entity.name ?? "")
            }
            try context.obtainPermanentIDs(for: [object])
        }
        objectID = object.objectID
    }

    /// Refers to the object that a URI stands for, as `uri` gave it in this or an earlier run.
    ///
    /// - Throws: `ObjectReferenceError` when no open store of the context knows the URI, or its object is of another
    ///   class.
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

    /// The URI that stands for the object in files and in other processes.
    public var uri: URL { objectID.uriRepresentation() }

    /// The object of a context. On the context's queue.
    ///
    /// - Throws: Core Data's error when the object is not there (any more), `ObjectReferenceError.otherClass` when it
    ///   is of another class.
    public func object(in context: NSManagedObjectContext) throws -> Object {
        let found = try context.existingObject(with: objectID)
        guard let object = found as? Object else {
            throw ObjectReferenceError.otherClass(
                expected: String(describing: Object.self), found: String(describing: type(of: found)), uri: uri)
        }
        return object
    }
}

/// Why a reference leads to no object.
public enum ObjectReferenceError: Error, Sendable, Equatable {
    /// The object belongs to no context, so no store can give it an id.
    case withoutContext(entity: String)
    /// No open store knows the URI.
    case unknown(uri: URL)
    /// The object is of another class than the reference says.
    case otherClass(expected: String, found: String, uri: URL)
}

extension ObjectReferenceError: CustomStringConvertible, LocalizedError {
    /// The error in one sentence.
    public var description: String {
        switch self {
        case .withoutContext(let entity): "an object of \(entity) without a context cannot be referred to"
        case .unknown(let uri): "no open store knows \(uri.absoluteString)"
        case .otherClass(let expected, let found, let uri):
            "\(uri.absoluteString) is an object of class \(found), not \(expected)"
        }
    }

    /// The same sentence.
    public var errorDescription: String? { description }
}
