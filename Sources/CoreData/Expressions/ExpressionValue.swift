/// A value for comparisons, sorted by kind once, so that no dynamic cast happens per comparison.
///
/// Numbers of all Swift and Foundation types are `int`, `double` or `decimal`; Booleans are the integers 0 and 1, as in
/// Foundation. A value that a comparison cannot take apart is `object` (a class instance) or `other`.
package enum ExpressionValue {
    case null
    case int(Int64)
    case double(Double)
    case decimal(Decimal)
    case string(String)
    /// Seconds since the reference date (2001-01-01 UTC).
    case date(TimeInterval)
    case data(Data)
    case uuid(UUID)
    case url(URL)
    /// The elements of an array, a set or an ordered set, in the order they are enumerated.
    case collection([Any])
    case object(AnyObject)
    case other(Any)
}

extension ExpressionValue {
    /// Whether the value is a number, a text or a date, which any thread may read.
    var isPlain: Bool {
        switch self {
        case .int, .double, .string, .date: true
        default: false
        }
    }

    /// Sorts `value` by its kind. `nil`, `NSNull` and an empty nested optional are `null`.
    package init(_ value: Any?) {
        guard let value else {
            self = .null
            return
        }
        let type = Swift.type(of: value)
        if type == String.self {
            self = .string(value as! String)
        } else if type == NSNumber.self {
            self = Self.classified(number: value as! NSNumber)
        } else if type == Int.self {
            self = .int(Int64(value as! Int))
        } else if type == Date.self {
            self = .date((value as! Date).timeIntervalSinceReferenceDate)
        } else if type == Bool.self {
            self = .int(value as! Bool ? 1 : 0)
        } else if type == Double.self {
            self = .double(value as! Double)
        } else if type == UUID.self {
            self = .uuid(value as! UUID)
        } else if type == Int64.self {
            self = .int(value as! Int64)
        } else if type is AnyClass {
            self = Self.classified(object: value as AnyObject)
        } else {
            self = Self.classified(uncommon: value)
        }
    }

    // These are functions and not initialisers, so that `map(ExpressionValue.init)` stays unambiguous.

    private static func classified(number: NSNumber) -> ExpressionValue {
        switch number.objCType.pointee {
        case 0x66, 0x64:  // f, d
            return .double(number.doubleValue)
        case 0x51:  // Q
            let value = number.uint64Value
            return value > UInt64(Int64.max) ? .decimal(Decimal(value)) : .int(Int64(value))
        default:
            return .int(number.int64Value)
        }
    }

    private static func classified(object: AnyObject) -> ExpressionValue {
        switch object {
        case let decimal as NSDecimalNumber:
            return .decimal(decimal.decimalValue)
        case let number as NSNumber:
            return classified(number: number)
        case let string as NSString:
            return .string(string as String)
        case is NSNull:
            return .null
        case let date as NSDate:
            return .date(date.timeIntervalSinceReferenceDate)
        case let set as NSSet:
            return .collection(set.allObjects)
        case let array as NSArray:
            return .collection(Array(array))
        case let ordered as NSOrderedSet:
            return .collection(ordered.array)
        case let data as NSData:
            return .data(Data(of: data) ?? Data())
        case let uuid as NSUUID:
            return .uuid(uuid as UUID)
        case let url as NSURL:
            return .url(url as URL)
        default:
            return .object(object)
        }
    }

    private static func classified(uncommon value: Any) -> ExpressionValue {
        // Types are compared before they are cast: a cast of a structure that fails takes a microsecond.
        let type = Swift.type(of: value)
        if type == Data.self { return .data(value as! Data) }
        if type == URL.self { return .url(value as! URL) }
        if type == Decimal.self { return .decimal(value as! Decimal) }
        if type == [Any].self { return .collection(value as! [Any]) }
        if type == Int32.self { return .int(Int64(value as! Int32)) }
        if type == Int16.self { return .int(Int64(value as! Int16)) }
        if type == Float.self { return .double(Double(value as! Float)) }
        switch value {
        case let collection as any Collection:
            if let text = collection as? any StringProtocol { return .string(String(text)) }
            if let dictionary = value as? [AnyHashable: Any] { return .other(dictionary) }
            // Foundation bridges its sets as sets of `AnyHashable`, which is not an object itself.
            if let set = value as? Set<AnyHashable> { return .collection(set.map(\.base)) }
            return .collection(value as? [Any] ?? collection.map { $0 as Any })
        case let integer as any BinaryInteger:
            if let small = Int64(exactly: integer) { return .int(small) }
            return Decimal(string: "\(integer)").map(ExpressionValue.decimal) ?? .other(value)
        case let real as any BinaryFloatingPoint:
            return .double(Double(real))
        case let raw as any RawRepresentable:
            return ExpressionValue(raw.rawValue)
        default:
            let mirror = Mirror(reflecting: value)
            return mirror.displayStyle == .optional ? ExpressionValue(mirror.children.first?.value) : .other(value)
        }
    }

    /// Whether the value is null.
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The value as a number, if it is one; integers keep their precision up to 2⁵³.
    package var doubleValue: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        default: nil
        }
    }

    /// The elements of a collection; the values of a dictionary.
    package var elements: [Any]? {
        switch self {
        case .collection(let elements): elements
        case .object(let object): (object as? NSDictionary)?.allValues
        case .other(let value): (value as? [AnyHashable: Any]).map { Array($0.values) }
        default: nil
        }
    }
}

// MARK: - Comparing

extension ExpressionValue {
    /// Whether two values are equal, with no options for strings.
    package static func areEqual(_ left: ExpressionValue, _ right: ExpressionValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.int(let a), .int(let b)): a == b
        case (.string(let a), .string(let b)): StringComparison.areIdentical(a, b)
        case (.date(let a), .date(let b)): a == b
        case (.data(let a), .data(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.url(let a), .url(let b)): a.absoluteString == b.absoluteString
        case (.collection(let a), .collection(let b)): areEqual(a, b)
        case (.object(let a), .object(let b)): areEqual(a, b)
        case (.other(let a), .other(let b)):
            if let a = a as? AnyHashable, let b = b as? AnyHashable { a == b } else { false }
        default: compareNumbers(left, right) == .orderedSame
        }
    }

    /// The order of two values, or `nil` if they have no order: values of different kinds, null, collections, objects.
    package static func compare(_ left: ExpressionValue, _ right: ExpressionValue) -> ComparisonResult? {
        switch (left, right) {
        case (.int(let a), .int(let b)): ordering(a, b)
        case (.string(let a), .string(let b)): StringComparison.compare(a, b, [])
        case (.date(let a), .date(let b)): ordering(a, b)
        case (.uuid(let a), .uuid(let b)): ordering(a.uuidString, b.uuidString)
        case (.url(let a), .url(let b)): ordering(a.absoluteString, b.absoluteString)
        case (.data(let a), .data(let b)):
            a == b ? .orderedSame : a.lexicographicallyPrecedes(b) ? .orderedAscending : .orderedDescending
        default: compareNumbers(left, right)
        }
    }

    private static func compareNumbers(_ left: ExpressionValue, _ right: ExpressionValue) -> ComparisonResult? {
        switch (left, right) {
        case (.int(let a), .int(let b)):
            return ordering(a, b)
        case (.decimal(let a), _):
            if let b = right.decimalValue { return ordering(a, b) }
        case (_, .decimal(let b)):
            if let a = left.decimalValue { return ordering(a, b) }
        default: break
        }
        // Some floating-point numbers are too large or too small for a decimal.
        guard let a = left.doubleValue, let b = right.doubleValue else { return nil }
        if a < b { return .orderedAscending }
        if a > b { return .orderedDescending }
        return a == b ? .orderedSame : nil
    }

    private var decimalValue: Decimal? {
        switch self {
        case .int(let value): Decimal(value)
        case .double(let value): value.isFinite ? Decimal(string: "\(value)") : nil
        case .decimal(let value): value
        default: nil
        }
    }

    private static func ordering<T: Comparable>(_ a: T, _ b: T) -> ComparisonResult {
        a < b ? .orderedAscending : a == b ? .orderedSame : .orderedDescending
    }

    private static func areEqual(_ a: AnyObject, _ b: AnyObject) -> Bool {
        if a === b { return true }
        // An object and its id are equal for a predicate.
        let left = (a as? any ObjectIdentityComparable)?.identityForComparison ?? a
        let right = (b as? any ObjectIdentityComparable)?.identityForComparison ?? b
        if left === right { return true }
        if let left = left as? NSObject { return left.isEqual(right) }
        if let left = left as? AnyHashable, let right = right as? AnyHashable { return left == right }
        return false
    }

    /// Arrays are equal element by element. Collections without an order (sets) are compared as multisets, by a search.
    private static func areEqual(_ a: [Any], _ b: [Any]) -> Bool {
        guard a.count == b.count else { return false }
        var rest = b.map(ExpressionValue.init)
        let left = a.map(ExpressionValue.init)
        if zip(left, rest).allSatisfy({ areEqual($0, $1) }) { return true }
        for element in left {
            guard let index = rest.firstIndex(where: { areEqual($0, element) }) else { return false }
            rest.remove(at: index)
        }
        return true
    }
}
