import Foundation

/// Turns the values of transformable attributes into bytes and back.
enum TransformableCoding {
    /// The bytes a store keeps for a value. Throws 134060 naming entity, attribute and the value's type.
    static func data(from object: Any, of attribute: NSAttributeDescription) throws -> Data {
        func failure(_ underlying: (any Error)?) -> NSError {
            NSError.coreData(
                NSCoreDataError,
                reason: """
                    The value of the transformable attribute '\(attribute.name)' of entity '\(attribute.entity.name ?? "")' \
                    cannot be archived (\(type(of: object)))
                    """,
                underlying: underlying)
        }
        // The archiver stops the process at a class it cannot archive.
        guard object as AnyObject is NSCoding else { throw failure(nil) }
        do {
            return try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false)
        } catch {
            throw failure(error)
        }
    }

    /// The value behind a store's bytes; the bytes themselves when they are no archive of a known kind.
    ///
    /// Foundation's unarchiver writes to the standard error about every object of a class it does not know; such archives
    /// are not given to it.
    static func object(from data: Data, of attribute: NSAttributeDescription) -> Any? {
        guard let archive = try? KeyedArchive(data), archive.classNames.isSubset(of: knownClasses) else { return data }
        let object = try? NSKeyedUnarchiver.unarchivedObject(
            ofClasses: [
                NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
                NSURL.self, NSUUID.self, NSNull.self, NSOrderedSet.self, NSDecimalNumber.self,
            ], from: data)
        return object ?? data
    }

    private static let knownClasses: Set<String> = [
        "NSArray", "NSMutableArray", "NSDictionary", "NSMutableDictionary", "NSSet", "NSMutableSet", "NSOrderedSet",
        "NSMutableOrderedSet", "NSString", "NSMutableString", "NSNumber", "NSDecimalNumber",
        "NSDecimalNumberPlaceholder", "NSDate", "NSData", "NSMutableData", "NSURL", "NSUUID", "NSNull",
    ]
}
