import Foundation

/// How an object keeps an object that is tied to it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/objectivec/objc_associationpolicy)
public enum objc_AssociationPolicy: UInt, Sendable {
    /// Not at all: the value reads as nil once its last owner is gone.
    case OBJC_ASSOCIATION_ASSIGN = 0
    /// As an owner.
    case OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1
    /// As an owner of a copy.
    case OBJC_ASSOCIATION_COPY_NONATOMIC = 3
    /// As an owner.
    case OBJC_ASSOCIATION_RETAIN = 769
    /// As an owner of a copy.
    case OBJC_ASSOCIATION_COPY = 771
}

/// Ties a value to an object, under a key.
///
/// Linux has no event at which an object goes. The value of an object that is gone lives on until other values are
/// tied.
///
/// [Apple's documentation](https://developer.apple.com/documentation/objectivec/objc_setassociatedobject(_:_:_:_:))
///
/// - Parameters:
///   - object: The object, of any class. A value of another type gets nothing.
///   - key: The address that names the value.
///   - value: The value; nil removes the one that is there.
///   - policy: How the object keeps it.
public func objc_setAssociatedObject(
    _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) {
    AssociatedObjects.set(value.map { AssociatedObjects.Value($0, policy) }, for: object, key)
}

/// The value that is tied to an object under a key; nil if there is none.
///
/// [Apple's documentation](https://developer.apple.com/documentation/objectivec/objc_getassociatedobject(_:_:))
///
/// - Parameters:
///   - object: The object.
///   - key: The address that names the value.
/// - Returns: The value.
public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
    AssociatedObjects.value(of: object, key)
}

/// Removes every value that is tied to an object.
///
/// [Apple's documentation](https://developer.apple.com/documentation/objectivec/objc_removeassociatedobjects(_:))
///
/// - Parameter object: The object.
public func objc_removeAssociatedObjects(_ object: Any) { AssociatedObjects.removeValues(of: object) }

/// The values that are tied to objects.
enum AssociatedObjects {
    /// A value, as its policy keeps it.
    struct Value {
        private weak var reference: AnyObject?
        private let owned: Any?

        init(_ value: Any, _ policy: objc_AssociationPolicy) {
            switch policy {
            case .OBJC_ASSOCIATION_ASSIGN where type(of: value) is AnyClass:
                reference = value as AnyObject
                owned = nil
            case .OBJC_ASSOCIATION_COPY, .OBJC_ASSOCIATION_COPY_NONATOMIC:
                owned = (value as? any NSCopying)?.copy(with: nil) ?? value
            default: owned = value
            }
        }

        var current: Any? { owned ?? reference }
    }

    private struct Owner {
        /// The object. Another one may get the address of an object that is gone.
        weak var object: AnyObject?
        var values: [UnsafeRawPointer: Value] = [:]
    }

    private struct Table {
        var owners: [ObjectIdentifier: Owner] = [:]
        /// The number of owners at which those that are gone are removed.
        var limit = 64

        /// Removes owners that are gone. Returns the remaining objects and removed values, which the caller must
        /// release outside of the lock: their ends may tie other values.
        mutating func removeGone() -> [Any] {
            guard owners.count >= limit else { return [] }
            let known = owners.map { (id: $0, owner: $1, object: $1.object) }
            for (id, _, object) in known where object == nil { owners[id] = nil }
            limit = max(64, owners.count * 2)
            return known
        }
    }

    private static let table = Locked(Table())

    /// An object of a class, as it is.
    private static func object(_ object: Any) -> AnyObject? {
        type(of: object) is AnyClass ? object as AnyObject : nil
    }

    static func set(_ value: Value?, for owner: Any, _ key: UnsafeRawPointer) {
        guard let object = object(owner) else { return }
        let released = table.withLock { table -> [Any] in
            let gone = table.removeGone()
            let before = table.owners[ObjectIdentifier(object)]
            var owner = before?.object === object ? before ?? Owner() : Owner()
            owner.object = object
            owner.values[key] = value
            table.owners[ObjectIdentifier(object)] = owner.values.isEmpty ? nil : owner
            return gone + [before as Any]
        }
        withExtendedLifetime(released) {}
    }

    static func value(of owner: Any, _ key: UnsafeRawPointer) -> Any? {
        guard let object = object(owner) else { return nil }
        let found = table.withLock { table -> Value? in
            guard let owner = table.owners[ObjectIdentifier(object)], owner.object === object else { return nil }
            return owner.values[key]
        }
        return found?.current
    }

    static func removeValues(of owner: Any) {
        guard let object = object(owner) else { return }
        let removed = table.withLock { $0.owners.removeValue(forKey: ObjectIdentifier(object)) }
        withExtendedLifetime(removed) {}
    }
}
