import CoreData
import Foundation

/// Looks for keys that an entity does not have in a predicate, before a store is asked: the nearest name can be offered
/// then, and the place be marked.
struct PredicateKeys {
    private let format: String
    private let entity: NSEntityDescription
    /// Names that stand for values besides the entity's: what a fetch computes.
    private let names: Set<String>

    /// What every object answers besides its properties.
    private static let own: Set<String> = ["self", "SELF", "objectID", "entity"]

    /// - Throws: an error of usage for the first key that is not there.
    static func check(
        _ predicate: NSPredicate, written format: String, in entity: NSEntityDescription, besides names: [String] = []
    ) throws {
        try PredicateKeys(format: format, entity: entity, names: Set(names)).check(predicate, [:])
    }

    private func check(_ predicate: NSPredicate, _ variables: [String: NSEntityDescription]) throws {
        if let compound = predicate as? CoreData.NSCompoundPredicate {
            for case let part as NSPredicate in compound.subpredicates { try check(part, variables) }
        } else if let comparison = predicate as? CoreData.NSComparisonPredicate {
            try check(comparison.leftExpression, variables)
            try check(comparison.rightExpression, variables)
        }
    }

    private func check(_ expression: CoreData.NSExpression, _ variables: [String: NSEntityDescription]) throws {
        switch expression.expressionType {
        case .keyPath: _ = try destination(expression.keyPath, in: entity)
        case .function:
            let arguments = expression.arguments ?? []
            if ["valueForKey:", "valueForKeyPath:"].contains(expression.function) {
                guard let path = arguments.first?.constantText else { return }
                guard expression.operand.expressionType == .variable else {
                    return try check(expression.operand, variables)
                }
                if let start = variables[expression.operand.variable] { _ = try destination(path, in: start) }
            } else {
                for argument in arguments { try check(argument, variables) }
            }
        case .aggregate:
            for case let element as CoreData.NSExpression in expression.collection as? [Any] ?? [] {
                try check(element, variables)
            }
        case .subquery:
            guard let collection = expression.collection as? CoreData.NSExpression else { return }
            try check(collection, variables)
            var variables = variables
            if collection.expressionType == .keyPath {
                variables[expression.variable] = try destination(collection.keyPath, in: entity)
            }
            try check(expression.predicate, variables)
        case .unionSet, .intersectSet, .minusSet:
            try check(expression.left, variables)
            try check(expression.right, variables)
        case .conditional:
            try check(expression.predicate, variables)
            try check(expression.true, variables)
            try check(expression.false, variables)
        default: break
        }
    }

    /// The entity that a path leads to; nil where it ends at a value.
    private func destination(_ path: String, in start: NSEntityDescription) throws -> NSEntityDescription? {
        if names.contains(path) { return nil }
        var entity = start
        for key in path.split(separator: ".").map(String.init) {
            if key.hasPrefix("@") || Self.own.contains(key) { return nil }
            if let relationship = entity.relationshipsByName[key] {
                guard let next = relationship.destinationEntity else { return nil }
                entity = next
            } else if entity.propertiesByName[key] != nil {
                return nil
            } else {
                throw unknown(key, in: entity)
            }
        }
        return entity
    }

    private func unknown(_ key: String, in entity: NSEntityDescription) -> ToolError {
        let error = Column.unknown(key, in: entity, besides: names)
        guard let place = place(of: key) else { return error }
        return ToolError(.usage, error.message, details: Caret.lines(format, below: place) + error.details)
    }

    /// Where a key stands in the format: the number of Unicode scalars before it; nil where it is written otherwise.
    private func place(of key: String) -> Int? {
        let pattern = "(?<![\\w\"'])\(NSRegularExpression.escapedPattern(for: key))(?!\\w)"
        guard let range = format.range(of: pattern, options: .regularExpression) else { return nil }
        return format.unicodeScalars.distance(from: format.startIndex, to: range.lowerBound)
    }
}

/// A text with a mark below one of its places.
enum Caret {
    /// - Parameter position: the number of Unicode scalars before the place.
    static func lines(_ text: String, below position: Int) -> [String] {
        let before = String(String.UnicodeScalarView(text.unicodeScalars.prefix(position)))
        let spaces = String(repeating: " ", count: TextWidth.of(Table.onOneLine(before)))
        return ["  \(Table.onOneLine(text))", "  \(spaces)^"]
    }
}

extension CoreData.NSExpression {
    /// The text of a constant; nil for anything else.
    fileprivate var constantText: String? {
        switch expressionType {
        case .constantValue: constantValue as? String
        case .keyPath: keyPath
        default: nil
        }
    }
}
