import Foundation

/// Makes the object of a keyed archive when its class is one of those allowed, and the archive of such an object.
///
/// What transformable attributes use unless they name another transformer. A subclass allows classes of its own by
/// `allowedTopLevelClasses` and is registered under the name that the attribute gives.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer, UnarchivingTransformer {
    /// The classes that an archive may hold: `NSArray`, `NSDictionary`, `NSSet`, `NSString`, `NSNumber`, `NSDate`,
    /// `NSData`, `NSURL`, `NSUUID` and `NSNull` unless overridden. What they contain must be of these classes too, or
    /// take care of itself.
    open class var allowedTopLevelClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
            NSURL.self, NSUUID.self, NSNull.self,
        ]
    }

    open override class func transformedValueClass() -> AnyClass {
        allowedTopLevelClasses.count == 1 ? allowedTopLevelClasses[0] : NSObject.self
    }

    /// The object of an archive; nil when its class is not allowed or it is no archive.
    open override func transformedValue(_ value: Any?) -> Any? {
        guard let data = value as? Data else { return nil }
        return KeyedArchive.object(of: data, isAllowed: Self.allows) {
            guard Self.allowsOthers(in: data) else { return nil }
            return try NSKeyedUnarchiver.unarchivedObject(ofClasses: Self.allowedTopLevelClasses, from: data)
        }
    }

    /// The archive of an object; nil when its class is not allowed or cannot be archived.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value else { return nil }
        let object = value as AnyObject
        guard KeyedArchive.canHold(object), Self.allows(object) else { return nil }
        return KeyedArchive.data(of: object) {
            try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
        }
    }

    /// Whether an archive with objects of other classes than plain ones is this transformer's: Foundation's unarchiver
    /// stops the process at a class that is not allowed. What an object of the program's own decodes is its own care.
    private static func allowsOthers(in data: Data) -> Bool {
        let plain = Set(TransformableDefaultTransformer.allowedTopLevelClasses.map { ObjectIdentifier($0) })
        guard allowedTopLevelClasses.contains(where: { !plain.contains(ObjectIdentifier($0)) }),
            let classes = try? KeyedArchive(data).classesWithinContainers()
        else { return false }
        return classes.allSatisfy(allows)
    }

    private static func allows(_ archived: ArchivedClass) -> Bool {
        guard let found = NSClassFromString(archived.name) else {
            // Foundation's own classes are not found by their names.
            let names = Set(allowedTopLevelClasses.map { NSStringFromClass($0) })
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

/// What an attribute without a transformer's name uses: what Apple's default reads besides is allowed as well.
final class TransformableDefaultTransformer: NSSecureUnarchiveFromDataTransformer {
    override class var allowedTopLevelClasses: [AnyClass] {
        super.allowedTopLevelClasses + [NSOrderedSet.self, NSDecimalNumber.self]
    }
}
