import Foundation

/// A range of values that a `#Predicate` captured.
private protocol CapturedRange {
    var part: TranslatedPart { get throws }
}

/// Converts captured values to the constants of predicates.
package enum PredicateConstant {
    /// Whether values of a type are constants as they are. Casts to protocols cost more than all of these comparisons.
    package static func isPlain(_ type: any Any.Type) -> Bool {
        type == String.self || type == Int.self || type == Double.self || type == Bool.self || type == Date.self
            || type == UUID.self
    }

    /// The expression of a value of a plain type; nil for a value of any other type.
    package static func plainExpression<Value>(_ value: Value) -> NSExpression? {
        if Value.self == String.self, let text = value as? String { return NSExpression(constant: text, .string(text)) }
        return isPlain(Value.self) ? NSExpression(forConstantValue: value) : nil
    }

    static func part(_ value: Any) throws -> TranslatedPart {
        if let range = value as? any CapturedRange { return try range.part }
        return .value(try expression(value))
    }

    static func expression(_ value: Any) throws -> NSExpression {
        NSExpression(forConstantValue: try constant(value))
    }

    /// The value without its optional, an enumeration as its raw value; throws for a type that no store supports.
    private static func constant(_ value: Any) throws -> Any? {
        if let constant = PredicateExtension.current?.constant(of: value) { return constant }
        switch value {
        case let optional as any CapturedOptional: return try optional.wrapped.flatMap { try constant($0) }
        case let character as Character: return String(character)
        case let text as Substring: return String(text)
        case is ComparisonResult: throw Untranslatable()
        case is String, is Bool, is Date, is Data, is UUID, is URL, is Decimal, is NSObject: return value
        case is any BinaryInteger, is any BinaryFloatingPoint: return value
        case let raw as any RawRepresentable: return try constant(raw.rawValue)
        case let dictionary as [AnyHashable: Any]: return dictionary
        case let collection as any Collection: return try elements(collection)
        default: throw Untranslatable()
        }
    }

    private static func elements(_ collection: any Collection) throws -> [Any] {
        var result: [Any] = []
        for element in collection { result.append(try constant(element) ?? NSNull()) }
        return result
    }
}

protocol CapturedOptional {
    var wrapped: Any? { get }
}

extension Optional: CapturedOptional {
    var wrapped: Any? { self }
}

extension Range: CapturedRange {
    fileprivate var part: TranslatedPart {
        get throws {
            .range(
                try PredicateConstant.expression(lowerBound), try PredicateConstant.expression(upperBound),
                includesUpper: false)
        }
    }
}

extension ClosedRange: CapturedRange {
    fileprivate var part: TranslatedPart {
        get throws {
            .range(
                try PredicateConstant.expression(lowerBound), try PredicateConstant.expression(upperBound),
                includesUpper: true)
        }
    }
}

extension PartialRangeFrom: CapturedRange {
    fileprivate var part: TranslatedPart {
        get throws { .range(try PredicateConstant.expression(lowerBound), nil, includesUpper: false) }
    }
}

extension PartialRangeThrough: CapturedRange {
    fileprivate var part: TranslatedPart {
        get throws { .range(nil, try PredicateConstant.expression(upperBound), includesUpper: true) }
    }
}

extension PartialRangeUpTo: CapturedRange {
    fileprivate var part: TranslatedPart {
        get throws { .range(nil, try PredicateConstant.expression(upperBound), includesUpper: false) }
    }
}
