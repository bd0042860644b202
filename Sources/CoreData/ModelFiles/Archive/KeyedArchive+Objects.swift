import Foundation

extension KeyedArchive {
    /// Whether Foundation's archiver can archive an object. It stops the process at an object that is not `NSCoding`,
    /// and at a class that is nested or private.
    static func canHold(_ object: AnyObject) -> Bool {
        guard object is NSCoding else { return false }
        let name = _typeName(type(of: object))
        return !name.contains("(") && name.split(separator: ".").count <= 2
    }

    /// The object of an archive.
    ///
    /// Archives of property-list values are read here, because Foundation's unarchiver stops the process at some
    /// damaged ones. Foundation reads archives with objects of other classes, if all their classes exist. For missing
    /// classes it would write to standard error.
    static func object(
        of data: Data, isAllowed: (AnyObject) -> Bool = { _ in true }, otherwise unarchive: () throws -> Any?
    ) -> Any? {
        guard let archive = try? KeyedArchive(data) else { return nil }
        let others = archive.classNames.subtracting(knownClasses)
        guard others.isEmpty else {
            return others.allSatisfy { NSClassFromString($0) != nil } ? try? unarchive() : nil
        }
        guard let value = try? archive.value(archive.top) else { return nil }
        var object = value as AnyObject
        // A property-list value at the top has no class.
        if let root = try? archive.root(), root.className.hasPrefix("NSMutable"),
            let copying = object as? any NSMutableCopying
        {
            object = copying.mutableCopy(with: nil) as AnyObject
        }
        return isAllowed(object) ? object : nil
    }

    /// The archive of an object.
    ///
    /// Foundation's archiver does not terminate with decimal numbers, and compares each collection with every other
    /// collection of its count.
    static func data(of object: AnyObject, otherwise archive: () throws -> Data) -> Data? {
        var collections = 0
        let holdsDecimal = holdsDecimal(object, depth: 0, &collections)
        guard holdsDecimal || collections > mostCompared else { return try? archive() }
        var writer = KeyedArchiveWriter()
        guard let root = try? writer.add(value: object) else { return holdsDecimal ? nil : try? archive() }
        return writer.archive(root: root)
    }

    private static let mostCompared = 32

    /// Also counts the collections and the data.
    private static func holdsDecimal(_ value: Any, depth: Int, _ collections: inout Int) -> Bool {
        // A collection may hold itself. Foundation can archive that.
        guard depth < KeyedArchiveWriter.maximumDepth else { return false }
        collections += 1
        switch value {
        case is NSDecimalNumber: return true
        case let array as NSArray: return array.contains { holdsDecimal($0, depth: depth + 1, &collections) }
        case let set as NSSet: return set.contains { holdsDecimal($0, depth: depth + 1, &collections) }
        case let set as NSOrderedSet: return set.contains { holdsDecimal($0, depth: depth + 1, &collections) }
        case let dictionary as NSDictionary:
            return dictionary.contains {
                holdsDecimal($0.key, depth: depth + 1, &collections)
                    || holdsDecimal($0.value, depth: depth + 1, &collections)
            }
        case is NSData: return false
        default:
            collections -= 1
            return false
        }
    }

    /// Foundation's classes that archives name; `NSClassFromString` finds them only with the module's name.
    private static let knownClasses: Set<String> = [
        "NSArray", "NSMutableArray", "NSDictionary", "NSMutableDictionary", "NSSet", "NSMutableSet", "NSOrderedSet",
        "NSMutableOrderedSet", "NSString", "NSMutableString", "NSNumber", "NSDecimalNumber",
        "NSDecimalNumberPlaceholder", "NSDate", "NSData", "NSMutableData", "NSURL", "NSUUID", "NSNull",
    ]
}
