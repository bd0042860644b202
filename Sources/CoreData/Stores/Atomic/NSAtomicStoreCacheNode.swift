import Foundation

/// One record of an atomic store, in memory.
///
/// Its values are read and set by property name: attributes as values of their types, to-one relationships as nodes,
/// to-many relationships as sets (or ordered sets, or arrays) of nodes. Changed under the coordinator's calls to its
/// store only: while it loads and while it saves.
open class NSAtomicStoreCacheNode: NSObject, @unchecked Sendable {  // written under the store's lock only
    /// The id of the record.
    open var objectID: NSManagedObjectID { givenObjectID }
    private let givenObjectID: NSManagedObjectID

    /// Makes a node without values.
    public init(objectID moid: NSManagedObjectID) {
        givenObjectID = moid
        super.init()
    }

    /// The values by property name; nil until one is set.
    open var propertyCache: NSMutableDictionary?

    /// The value of a property; also `objectID` and `entity`. Stops the process when the entity has no such property.
    open func value(forKey key: String) -> Any? {
        if let value = propertyCache?.object(forKey: key) { return value is NSNull ? nil : value }
        switch key {
        case _ where objectID.layout.access[key] != nil: return nil
        case "objectID": return objectID
        case "entity": return objectID.entity
        default:
            fatalError(
                "the entity \(objectID.layout.name) is not key value coding-compliant for the key \"\(key)\".")
        }
    }

    /// Sets the value of a property; nil takes it away.
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
}
