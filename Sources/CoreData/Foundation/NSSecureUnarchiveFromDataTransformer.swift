import Foundation

/// A transformer that decodes the object of a keyed archive if its class is allowed, and archives such an object.
///
/// Transformable attributes without the name of a transformer use one like it. To allow other classes, override
/// ``allowedTopLevelClasses`` in a subclass, and register it under the name in the attribute.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/nssecureunarchivefromdatatransformer)
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer, UnarchivingTransformer {
    /// The classes that an archive may hold.
    ///
    /// Unless overridden they are `NSArray`, `NSDictionary`, `NSSet`, `NSString`, `NSNumber`, `NSDate`, `NSData`,
    /// `NSURL`, `NSUUID` and `NSNull`. The objects in these collections must be of these classes, too. Objects of a
    /// program's own classes check what they decode themselves.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nssecureunarchivefromdatatransformer/allowedtoplevelclasses)
    open class var allowedTopLevelClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
            NSURL.self, NSUUID.self, NSNull.self,
        ]
    }

    /// The allowed class if there is only one, otherwise `NSObject`.
    open override class func transformedValueClass() -> AnyClass {
        allowedTopLevelClasses.count == 1 ? allowedTopLevelClasses[0] : NSObject.self
    }

    /// The object of an archive; nil if its class is not allowed, or the value is no archive.
    open override func transformedValue(_ value: Any?) -> Any? {
        guard let data = Data(of: value) else { return nil }
        return KeyedArchive.object(of: data, isAllowed: Self.allows) {
            guard Self.allowsOthers(in: data) else { return nil }
            return try NSKeyedUnarchiver.unarchivedObject(ofClasses: Self.allowedTopLevelClasses, from: data)
        }
    }

    /// The archive of an object; nil if its class is not allowed, or the object cannot be archived.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value else { return nil }
        let object = value as AnyObject
        guard KeyedArchive.canHold(object), Self.allows(object) else { return nil }
        return KeyedArchive.data(of: object) {
            try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
        }
    }

    /// Whether this transformer may read an archive with objects of other classes than those of property lists.
    ///
    /// Foundation's unarchiver stops the process at a class that is not allowed. Objects of a program's own classes
    /// check what they decode themselves.
    private static func allowsOthers(in data: Data) -> Bool {
        let plain = Set(TransformableDefaultTransformer.allowedTopLevelClasses.map { ObjectIdentifier($0) })
        guard allowedTopLevelClasses.contains(where: { !plain.contains(ObjectIdentifier($0)) }),
            let classes = try? KeyedArchive(data).classesWithinContainers()
        else { return false }
        return classes.allSatisfy(allows)
    }

    private static func allows(_ archived: ArchivedClass) -> Bool {
        guard let found = NSClassFromString(archived.name) else {
            // Class names do not lead to Foundation's own classes.
            let names = Set(allowedTopLevelClasses.compactMap { ($0 as? NSObject.Type).map { NSStringFromClass($0) } })
            return archived.chain.contains { names.contains($0) }
        }
        func isKind<Allowed>(of kind: Allowed.Type) -> Bool { found is Allowed.Type }
        return allowedTopLevelClasses.contains { isKind(of: $0) }
    }

    private static func allows(_ object: AnyObject) -> Bool {
        func isInstance<Allowed>(of kind: Allowed.Type) -> Bool { object is Allowed }
        return allowedTopLevelClasses.contains { isInstance(of: $0) }
    }
}

/// The transformer of an attribute without a transformer's name. It also allows the other classes that Apple's default
/// reads.
final class TransformableDefaultTransformer: NSSecureUnarchiveFromDataTransformer {
    override class var allowedTopLevelClasses: [AnyClass] {
        super.allowedTopLevelClasses + [NSOrderedSet.self, NSDecimalNumber.self]
    }
}
