import Foundation

/// The values of one record of an incremental store.
///
/// A store makes a node and updates it. It may keep a node, and return it again. Any thread may use it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsincrementalstorenode)
open class NSIncrementalStoreNode: NSObject, @unchecked Sendable {  // mutable state is guarded by `lock`
    private let lock = NSLock()
    private var values: [String: Any]
    private var storedVersion: UInt64

    /// The id of the record.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsincrementalstorenode/objectid)
    open var objectID: NSManagedObjectID { givenObjectID }
    private let givenObjectID: NSManagedObjectID

    /// Creates a node.
    ///
    /// Attributes have values of their types; a missing attribute is nil. To-one relationships have an
    /// ``NSManagedObjectID`` or `NSNull`. A missing one is read by
    /// ``NSIncrementalStore/newValue(forRelationship:forObjectWith:with:)``.
    ///
    /// - Parameters:
    ///   - objectID: The id of the record.
    ///   - values: The values by property name.
    ///   - version: The version of the values.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsincrementalstorenode/init(objectid:withvalues:version:))
    public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
        givenObjectID = objectID
        self.values = values
        storedVersion = version
        super.init()
    }

    /// Replaces the values and their version.
    ///
    /// - Parameters:
    ///   - values: The new values by property name.
    ///   - version: The version of the new values.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsincrementalstorenode/update(withvalues:version:))
    open func update(withValues values: [String: Any], version: UInt64) {
        lock.withLock {
            self.values = values
            storedVersion = version
        }
    }

    /// The version of the values. Saves of a record in contexts that hold different versions of it conflict.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsincrementalstorenode/version)
    open var version: UInt64 { lock.withLock { storedVersion } }

    /// Returns the value of a property.
    ///
    /// - Parameter prop: The property.
    /// - Returns: The value; nil if the node has none.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsincrementalstorenode/value(for:))
    open func value(for prop: NSPropertyDescription) -> Any? { lock.withLock { values[prop.name] } }
}
