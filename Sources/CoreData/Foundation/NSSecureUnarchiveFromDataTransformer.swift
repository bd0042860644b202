import Foundation

/// Makes the object of a keyed archive when its class is one of those allowed, and the archive of such an object.
///
/// What transformable attributes use unless they name another transformer. A subclass allows classes of its own by
/// `allowedTopLevelClasses` and is registered under the name that the attribute gives.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer, UnarchivingTransformer {
    /// The classes that an archive may hold: `NSArray`, `NSDictionary`, `NSSet`, `NSString`, `NSNumber`, `NSDate`, `NSData`,
    /// `NSURL`, `NSUUID` and `NSNull` unless overridden. What they contain must be of these classes too, or take care of
    /// itself.
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
        guard let data = value as? Data, KeyedArchive.hasOnlyKnownClasses(data) else { return nil }
        return try? NSKeyedUnarchiver.unarchivedObject(ofClasses: Self.allowedTopLevelClasses, from: data)
    }

    /// The archive of an object; nil when its class is not allowed or cannot be archived.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value else { return nil }
        let object = value as AnyObject
        guard KeyedArchive.canHold(object), Self.allows(object) else { return nil }
        return try? NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
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

extension KeyedArchive {
    /// Whether Foundation's archiver takes an object: it stops the process at one that is not `NSCoding` and at a class that
    /// is nested or private.
    static func canHold(_ object: AnyObject) -> Bool {
        guard object is NSCoding else { return false }
        let name = String(reflecting: type(of: object))
        return !name.contains("(") && name.split(separator: ".").count <= 2
    }

    /// Whether data is an archive whose classes are all there. Foundation's unarchiver writes to the standard error about
    /// every object of a class it does not know; such archives are not given to it.
    static func hasOnlyKnownClasses(_ data: Data) -> Bool {
        guard let archive = try? KeyedArchive(data) else { return false }
        return archive.classNames.allSatisfy { knownClasses.contains($0) || NSClassFromString($0) != nil }
    }

    /// Foundation's classes that archives name; `NSClassFromString` knows them under the module's name only.
    private static let knownClasses: Set<String> = [
        "NSArray", "NSMutableArray", "NSDictionary", "NSMutableDictionary", "NSSet", "NSMutableSet", "NSOrderedSet",
        "NSMutableOrderedSet", "NSString", "NSMutableString", "NSNumber", "NSDecimalNumber",
        "NSDecimalNumberPlaceholder", "NSDate", "NSData", "NSMutableData", "NSURL", "NSUUID", "NSNull",
    ]
}
