import Foundation

/// One record of an atomic store, in memory.
///
/// Read and set its values by property name. Attributes have values of their types. To-one relationships have nodes.
/// To-many relationships have sets of nodes, or ordered sets or arrays of them. Change a node only in calls of the
/// framework to its store, while the store loads and saves.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstorecachenode)
// @unchecked Sendable: written under the store's lock only; `lock` guards what a program's reading changes.
open class NSAtomicStoreCacheNode: NSObject, @unchecked Sendable {
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
    open var propertyCache: NSMutableDictionary? {
        get { Self.lock.withLock { shownCache() } }
        set { Self.lock.withLock { content = Content(cache: newValue, isShown: true) } }
    }

    /// The values of a node.
    struct Content {
        fileprivate var cache: NSMutableDictionary?
        /// The values that are data, unless the program has seen the dictionary. Foundation copies data byte by byte
        /// whenever a dictionary returns it, which takes 60 ms for a megabyte.
        fileprivate var data: [String: Data] = [:]
        /// Whether the program has seen the dictionary, and may change it.
        fileprivate var isShown = false
    }

    /// Recursive, because a value that goes may be an object of the program, whose deinitialiser reads a node.
    private static let lock = NSRecursiveLock()
    private var content = Content()

    /// A copy of the values, to which `restore(_:)` sets the node back.
    final func copiedContent() -> Content {
        guard hasOwnContent else {
            return Content(cache: propertyCache?.mutableCopy() as? NSMutableDictionary, isShown: true)
        }
        return Self.lock.withLock {
            var copy = content
            copy.cache = content.cache?.mutableCopy() as? NSMutableDictionary
            return copy
        }
    }

    final func restore(_ former: Content) {
        guard hasOwnContent else {
            propertyCache = former.cache
            return
        }
        Self.lock.withLock { content = former }
    }

    private func shownCache() -> NSMutableDictionary? {
        content.isShown = true
        for (key, data) in content.data { setInCache(data, key) }
        content.data = [:]
        return content.cache
    }

    private func setInCache(_ value: Any, _ key: String) {
        if content.cache == nil { content.cache = NSMutableDictionary() }
        content.cache?.setObject(value, forKey: key as NSString)
    }

    /// Whether the values are in `content`. A subclass may override `propertyCache`.
    private var hasOwnContent: Bool { type(of: self) == NSAtomicStoreCacheNode.self }

    private func cachedValue(_ key: String) -> Any? {
        guard hasOwnContent else { return propertyCache?.object(forKey: key) }
        return Self.lock.withLock {
            if let data = content.data[key] { return data }
            return content.cache?.object(forKey: key)
        }
    }

    /// Returns the value of a property, or of the keys `objectID` and `entity`.
    ///
    /// Stops the process if the entity has no such property.
    ///
    /// - Parameter key: The name of the property.
    /// - Returns: The value; nil if it has none.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstorecachenode/value(forkey:))
    open func value(forKey key: String) -> Any? {
        if let value = cachedValue(key) { return value is NSNull ? nil : value }
        switch key {
        case _ where objectID.layout.access[key] != nil: return nil
        case "objectID": return objectID
        case "entity": return objectID.entity
        default:
            return UndecidedPredicate.noValue(
                "the entity \(objectID.layout.name) is not key value coding-compliant for the key \"\(key)\".")
        }
    }

    /// Sets the value of a property.
    ///
    /// - Parameters:
    ///   - value: The value; nil removes it.
    ///   - key: The name of the property.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsatomicstorecachenode/setvalue(_:forkey:))
    open func setValue(_ value: Any?, forKey key: String) {
        guard hasOwnContent else {
            guard let value else {
                propertyCache?.removeObject(forKey: key)
                return
            }
            if propertyCache == nil { propertyCache = NSMutableDictionary() }
            propertyCache?.setObject(value, forKey: key as NSString)
            return
        }
        Self.lock.withLock {
            content.data[key] = nil
            guard let value else {
                content.cache?.removeObject(forKey: key)
                return
            }
            if !content.isShown, type(of: value) == Data.self, let data = value as? Data {
                content.cache?.removeObject(forKey: key)
                content.data[key] = data
            } else {
                setInCache(value, key)
            }
        }
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
