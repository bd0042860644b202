/// Reading one key of one object of any kind.
enum KeyValueAccess {
    /// `object`, if it conforms to `KeyValueReadable`. Only classes are tested, because casting a structure to a
    /// protocol takes microseconds.
    static func readable(_ object: Any) -> (any KeyValueReadable)? {
        type(of: object) is AnyClass ? object as? any KeyValueReadable : nil
    }

    /// The value `object` has for `key`, or `nil` when it has none.
    ///
    /// A dictionary or the user's defaults have no value for a key that is not in them. A key that an object does not
    /// have stops the process with Foundation's text.
    static func value(of object: Any, forKey key: String) -> Any? {
        if let readable = readable(object) { return readable.value(inPredicateForKey: key) }
        switch ExpressionValue(object) {
        case .null:
            return nil
        case .string(let text):
            if let value = value(ofText: text, forKey: key) { return value }
        case .int, .double, .decimal:
            if let number = ExpressionValue.bridged(object) as? NSNumber, let value = value(of: number, forKey: key) {
                return value
            }
        case .date(let seconds):
            if let value = value(ofDate: seconds, forKey: key) { return value }
        case .data(let data):
            if key == "length" { return NSNumber(value: data.count) }
        case .url(let url):
            if let value = value(ofURL: url, forKey: key) { return value }
        case .uuid(let uuid):
            if key == "UUIDString" { return uuid.uuidString }
        case .object(let dictionary as NSDictionary):
            return dictionary.object(forKey: key)
        case .object(let defaults as UserDefaults):
            return defaults.object(forKey: key)
        case .other(let dictionary as [AnyHashable: Any]):
            return dictionary[key]
        case .object(let described as any KeyValueDescribed):
            if let found = described.getter(key) { return found }
        case .collection, .object, .other:
            if let found = property(of: Mirror(reflecting: object), named: key) { return found.value }
        }
        if key == "description" { return "\(object)" }
        return UndecidedPredicate.noValue(
            "[<\(type(of: object))> valueForUndefinedKey:]: this class is not key value coding-compliant for the key \(key)."
        )
    }

    private static func value(ofText text: String, forKey key: String) -> Any? {
        switch key {
        case "length": NSNumber(value: text.utf16.count)
        case "uppercaseString": text.uppercased()
        case "lowercaseString": text.lowercased()
        case "capitalizedString": text.capitalized
        case "intValue", "integerValue", "longLongValue": NSNumber(value: (text as NSString).integerValue)
        case "doubleValue", "floatValue": NSNumber(value: (text as NSString).doubleValue)
        case "boolValue": NSNumber(value: (text as NSString).boolValue)
        case "lastPathComponent": (text as NSString).lastPathComponent
        case "pathExtension": (text as NSString).pathExtension
        case "description": text
        default: nil
        }
    }

    private static func value(of number: NSNumber, forKey key: String) -> Any? {
        switch key {
        case "intValue", "integerValue", "longLongValue": NSNumber(value: number.int64Value)
        case "doubleValue": NSNumber(value: number.doubleValue)
        case "floatValue": NSNumber(value: number.floatValue)
        case "boolValue": NSNumber(value: number.boolValue)
        case "stringValue", "description": ExpressionValue(number).printed
        default: nil
        }
    }

    private static func value(ofDate seconds: TimeInterval, forKey key: String) -> Any? {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        return switch key {
        case "timeIntervalSinceReferenceDate": NSNumber(value: seconds)
        case "timeIntervalSince1970": NSNumber(value: date.timeIntervalSince1970)
        case "timeIntervalSinceNow": NSNumber(value: date.timeIntervalSinceNow)
        default: nil
        }
    }

    private static func value(ofURL url: URL, forKey key: String) -> Any? {
        switch key {
        case "absoluteString": url.absoluteString
        case "path": url.path
        case "lastPathComponent": url.lastPathComponent
        case "pathExtension": url.pathExtension
        case "host": url.host
        case "scheme": url.scheme
        default: nil
        }
    }

    private struct Property {
        let value: Any?
    }

    /// A stored property, also of a superclass; a lazy or wrapped one (`_name`) counts under its name without the
    /// underscore.
    private static func property(of mirror: Mirror, named key: String) -> Property? {
        for child in mirror.children {
            guard let label = child.label else { continue }
            if label == key || label == "_" + key || label == "$__lazy_storage_$_" + key {
                let inner = Mirror(reflecting: child.value)
                guard inner.displayStyle == .optional else { return Property(value: child.value) }
                return Property(value: inner.children.first?.value)
            }
        }
        return mirror.superclassMirror.flatMap { property(of: $0, named: key) }
    }
}
