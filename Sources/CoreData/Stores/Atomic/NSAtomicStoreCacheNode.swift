import Foundation

/// One record of an atomic store, in memory.
///
/// Read and set its values by property name. Attributes have values of their types. To-one relationships have nodes.
/// To-many relationships have sets of nodes, or ordered sets or arrays of them. Change a node only in calls of the
/// framework to its store, while the store loads and saves.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstorecachenode)
open class NSAtomicStoreCacheNode: NSObject, @unchecked Sendable {  // written under the store's lock only
    /// The id of the record.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstorecachenode/objectid)
    open var objectID: NSManagedObjectID { givenObjectID }
    private let givenObjectID: NSManagedObjectID

    /// Creates a node without values.
    ///
    /// - Parameter moid: The id of the record.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstorecachenode/init(objectid:))
    public init(objectID moid: NSManagedObjectID) {
        givenObjectID = moid
        super.init()
    }

    /// The values by property name; nil until one is set.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstorecachenode/propertycache)
    open var propertyCache: NSMutableDictionary?

    /// Returns the value of a property, or of the keys `objectID` and `entity`.
    ///
    /// Stops the process if the entity has no such property.
    ///
    /// - Parameter key: The name of the property.
    /// - Returns: The value; nil if it has none.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstorecachenode/value(forkey:))
    open func value(forKey key: String) -> Any? {
        if let value = heldValue(forKey: key) { return value is NSNull ? nil : value }
        switch key {
        case _ where objectID.layout.access[key] != nil: return nil
        case "objectID": return objectID
        case "entity": return objectID.entity
        default:
            return UndecidedPredicate.noValue(
                "the entity \(objectID.layout.name) is not key value coding-compliant for the key \"\(key)\".")
        }
    }

    /// The value that is held for a property, which may be `NSNull`.
    func heldValue(forKey key: String) -> Any? { propertyCache?.object(forKey: key) }

    /// A function that sets the values back to the present ones.
    func restoration() -> () -> Void {
        let values = propertyCache?.mutableCopy() as? NSMutableDictionary
        return { self.propertyCache = values }
    }

    /// Sets the value of a property.
    ///
    /// - Parameters:
    ///   - value: The value; nil removes it.
    ///   - key: The name of the property.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstorecachenode/setvalue(_:forkey:))
    open func setValue(_ value: Any?, forKey key: String) {
        guard let value else {
            propertyCache?.removeObject(forKey: key)
            return
        }
        if propertyCache == nil { propertyCache = NSMutableDictionary() }
        propertyCache?.setObject(value, forKey: key as NSString)
    }
}

extension NSAtomicStoreCacheNode: KeyValueReadable, ObjectIdentityComparable, ObjectKeyConvertible {
    package var identityForComparison: AnyObject { objectID }
    var objectKey: ObjectKey { objectID.objectKey }

    /// Files omit relationships without members. In a predicate these are empty sets, like those of an object. A
    /// property that only a related entity has is nil, like its column in a table.
    package func value(inPredicateForKey key: String) -> Any? {
        let layout = objectID.layout
        switch layout.access[key] {
        case .toMany?: return value(forKey: key) ?? NSSet()
        case nil where layout.model.entities[layout.rootIndex].isKeyInSubtree(key): return nil
        default: return value(forKey: key)
        }
    }
}

extension EntityLayout {
    /// Whether a subentity has a property.
    fileprivate func isKeyInSubtree(_ key: String) -> Bool {
        subtree.dropFirst().contains { model.entities[$0].access[key] != nil }
    }
}
