import CoreData
import Foundation

/// A predicate in which constants have the types of the attributes with which they are compared.
///
/// Without this a store compares a date with a text without an error, and every result is wrong.
struct TypedPredicate {
    private let format: String
    private let entity: NSEntityDescription

    /// - Throws: an error of usage for a constant that is no value of its attribute.
    static func of(
        _ predicate: NSPredicate, written format: String, in entity: NSEntityDescription
    ) throws -> NSPredicate {
        try TypedPredicate(format: format, entity: entity).typed(predicate)
    }

    private func typed(_ predicate: NSPredicate) throws -> NSPredicate {
        if let compound = predicate as? CoreData.NSCompoundPredicate {
            let parts = try compound.subpredicates.map { part in
                try (part as? NSPredicate).map { try typed($0) as Any } ?? part
            }
            return CoreData.NSCompoundPredicate(
                type: compound.compoundPredicateType, subpredicates: parts.compactMap { $0 as? NSPredicate })
        }
        guard let comparison = predicate as? CoreData.NSComparisonPredicate, Self.compares(comparison) else {
            return predicate
        }
        let (left, right) = (comparison.leftExpression, comparison.rightExpression)
        let newLeft = try attribute(right).map { try typed(left, as: $0) } ?? left
        let newRight = try attribute(left).map { try typed(right, as: $0) } ?? right
        if newLeft === left, newRight === right { return predicate }
        return CoreData.NSComparisonPredicate(
            leftExpression: newLeft, rightExpression: newRight, modifier: comparison.comparisonPredicateModifier,
            type: comparison.predicateOperatorType, options: comparison.options)
    }

    /// Whether a predicate compares whole values. Other operators search in texts.
    private static func compares(_ predicate: CoreData.NSComparisonPredicate) -> Bool {
        switch predicate.predicateOperatorType {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo, .in, .between:
            true
        default: false
        }
    }

    /// The attribute that a key path leads to.
    private func attribute(_ expression: CoreData.NSExpression) -> NSAttributeDescription? {
        guard expression.expressionType == .keyPath else { return nil }
        var entity: NSEntityDescription? = entity
        for key in expression.keyPath.split(separator: ".").map(String.init) {
            if let attribute = entity?.attributesByName[key] { return attribute }
            entity = entity?.relationshipsByName[key]?.destinationEntity
        }
        return nil
    }

    private func typed(
        _ expression: CoreData.NSExpression, as attribute: NSAttributeDescription
    ) throws -> CoreData.NSExpression {
        switch expression.expressionType {
        case .constantValue:
            guard let value = expression.constantValue, let typed = try typed(value, as: attribute) else {
                return expression
            }
            return CoreData.NSExpression(forConstantValue: typed)
        case .aggregate:
            guard let elements = expression.collection as? [CoreData.NSExpression] else { return expression }
            return CoreData.NSExpression(forAggregate: try elements.map { try typed($0, as: attribute) })
        default: return expression
        }
    }

    /// The value converted to the attribute's type; nil if no conversion is needed.
    private func typed(_ value: Any, as attribute: NSAttributeDescription) throws -> Any? {
        let name = attribute.name
        switch (attribute.attributeType, value) {
        case (.dateAttributeType, let text as String):
            if let date = DateText.date(text) { return date }
            throw mistake(
                "'\(name)' is a date, and \"\(text)\" is none: write \"2024-01-03\" or \"2024-01-03T18:40:00Z\"", text)
        case (.UUIDAttributeType, let text as String):
            if let uuid = UUID(uuidString: text) { return uuid }
            throw mistake("'\(name)' is a UUID, and \"\(text)\" is none", text)
        case (.URIAttributeType, let text as String):
            if let url = URL(string: text) { return url }
            throw mistake("'\(name)' is a URI, and \"\(text)\" is none", text)
        case (.stringAttributeType, let number as NSNumber):
            throw mistake("'\(name)' is a text, and \(number) is a number: write \"\(number)\"", "\(number)")
        case (_, let text as String) where attribute.attributeType.isNumber && Decimal(string: text) == nil:
            throw mistake("'\(name)' is a number, and \"\(text)\" is none", text)
        default: return nil
        }
    }

    private func mistake(_ message: String, _ literal: String) -> ToolError {
        let text = "the predicate has a mistake: \(message)"
        guard let range = format.range(of: literal) else {
            return ToolError(.usage, text, details: ["  \(Table.onOneLine(format))"])
        }
        let start = format.unicodeScalars.distance(from: format.startIndex, to: range.lowerBound)
        return ToolError(text, at: TextPlace(start: start, length: literal.unicodeScalars.count), of: format)
    }
}
