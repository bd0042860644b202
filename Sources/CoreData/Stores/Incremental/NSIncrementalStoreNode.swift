import Foundation

/// The values of one record of an incremental store.
///
/// A node is made and updated by the store; it may be kept and handed out again.
open class NSIncrementalStoreNode: NSObject, @unchecked Sendable {  // mutable state is guarded by `lock`
    private let lock = NSLock()
    private var values: [String: Any]
    private var storedVersion: UInt64

    /// The id of the record.
    open var objectID: NSManagedObjectID { givenObjectID }
    private let givenObjectID: NSManagedObjectID

    /// Makes a node out of values by property name.
    ///
    /// Attributes have values of their types; one that is missing is nil. To-one relationships have an
    /// `NSManagedObjectID` or `NSNull`; one that is missing is asked for by
    /// `newValue(forRelationship:forObjectWith:with:)`.
    public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
        givenObjectID = objectID
        self.values = values
        storedVersion = version
        super.init()
    }

    /// Takes over new values, and the version they have.
    open func update(withValues values: [String: Any], version: UInt64) {
        lock.withLock {
            self.values = values
            storedVersion = version
        }
    }

    /// The version of the values: two contexts that hold different versions of a record conflict when they save it.
    open var version: UInt64 { lock.withLock { storedVersion } }

    /// The value of a property; nil when the node has none.
    open func value(for prop: NSPropertyDescription) -> Any? { lock.withLock { values[prop.name] } }
}
