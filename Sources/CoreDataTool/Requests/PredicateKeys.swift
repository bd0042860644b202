import CoreData
import Foundation

/// Finds keys in a predicate that an entity does not have, before the request reaches the store. An error can then
/// suggest the nearest name, and mark the place.
struct PredicateKeys {
    private let format: String
    private let entity: NSEntityDescription
    /// Names of values besides the entity's: those that a fetch computes.
    private let names: Set<String>

    /// The keys that every object has besides its properties.
    private static let own: Set<String> = ["self", "SELF", "objectID", "entity"]
    private static let longestPath = 100

    /// - Throws: an error of usage for the first unknown key.
    static func check(
        _ predicate: NSPredicate, written format: String, in entity: NSEntityDescription, besides names: [String] = []
    ) throws {
        try PredicateKeys(format: format, entity: entity, names: Set(names)).check(predicate, [:])
    }

    private func check(_ predicate: NSPredicate, _ variables: [String: NSEntityDescription?]) throws {
        if let compound = predicate as? CoreData.NSCompoundPredicate {
            for case let part as NSPredicate in compound.subpredicates { try check(part, variables) }
        } else if let comparison = predicate as? CoreData.NSComparisonPredicate {
            try check(comparison.leftExpression, variables)
            try check(comparison.rightExpression, variables)
            if comparison.predicateOperatorType == .matches { try checkPattern(comparison.rightExpression) }
        }
    }

    private func checkPattern(_ expression: CoreData.NSExpression) throws {
        guard expression.expressionType == .constantValue, let pattern = expression.constantValue as? String,
            (try? NSRegularExpression.limited(pattern)) == nil
        else { return }
        throw mistake("'\(pattern)' is no regular expression")
    }

    private func mistake(_ message: String) -> ToolError {
        ToolError(.usage, "the predicate has a mistake: \(message)", details: ["  \(Table.onOneLine(format))"])
    }

    /// The functions of predicates. All other names are methods, which no object here has.
    private static let functions: Set<String> = [
        "sum:", "count:", "min:", "max:", "average:", "median:", "mode:", "stddev:", "add:to:", "from:subtract:",
        "multiply:by:", "divide:by:", "modulus:by:", "sqrt:", "log:", "ln:", "raise:toPower:", "exp:", "ceiling:",
        "floor:",
        "abs:", "trunc:", "random", "random:", "now", "uppercase:", "lowercase:", "length:", "canonical:", "noindex:",
        "bitwiseAnd:with:", "bitwiseOr:with:", "bitwiseXor:with:", "leftshift:by:", "rightshift:by:", "onesComplement:",
        "distanceToLocation:fromLocation:", "castObject:toType:", "objectFrom:withIndex:", "valueForKey:",
        "valueForKeyPath:", "distinct:", "first:", "last:", "now:", "tokenize:using:",
    ]

    private func check(_ expression: CoreData.NSExpression, _ variables: [String: NSEntityDescription?]) throws {
        switch expression.expressionType {
        case .keyPath: _ = try destination(expression.keyPath, in: entity)
        case .variable where variables.index(forKey: expression.variable) == nil:
            throw mistake("'$\(expression.variable)' has no value")
        case .function:
            guard Self.functions.contains(expression.function) else {
                throw mistake("there is no function '\(expression.function)'")
            }
            let arguments = expression.arguments ?? []
            if ["valueForKey:", "valueForKeyPath:"].contains(expression.function) {
                guard let path = arguments.first?.constantText else { return }
                guard expression.operand.expressionType == .variable else {
                    return try check(expression.operand, variables)
                }
                if let start = variables[expression.operand.variable] ?? nil { _ = try destination(path, in: start) }
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
            let isPath = collection.expressionType == .keyPath
            variables.updateValue(
                isPath ? try destination(collection.keyPath, in: entity) : nil, forKey: expression.variable)
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

    /// The entity to which a path leads; nil if it ends at a value.
    private func destination(_ path: String, in start: NSEntityDescription) throws -> NSEntityDescription? {
        if names.contains(path) { return nil }
        var entity = start
        let keys = path.split(separator: ".").map(String.init)
        if keys.count > Self.longestPath { throw mistake("a key path of \(keys.count) keys is too long") }
        for (place, key) in keys.enumerated() {
            // An operator computes a value of the objects at the end of the path.
            if ["self", "SELF"].contains(key) || key.hasPrefix("@") && key != "@count" { continue }
            if let relationship = entity.relationshipsByName[key] {
                guard let next = relationship.destinationEntity else { return nil }
                entity = next
                continue
            }
            let isComposite = entity.attributesByName[key] is NSCompositeAttributeDescription
            guard isComposite || key == "@count" || Self.own.contains(key) || entity.propertiesByName[key] != nil else {
                throw unknown(key, in: entity)
            }
            guard isComposite || place == keys.count - 1 else {
                throw mistake("'\(key)' is a value: nothing can follow it")
            }
            return nil
        }
        return entity
    }

    private func unknown(_ key: String, in entity: NSEntityDescription) -> ToolError {
        let error = Column.unknown(key, in: entity, besides: names)
        guard let place = place(of: key) else { return error }
        let marked = TextPlace(start: place, length: key.unicodeScalars.count)
        return ToolError(error.message, at: marked, of: format, details: error.details)
    }

    /// The place of a key in the format: the number of Unicode scalars before it; nil if the format has it in another
    /// form.
    private func place(of key: String) -> Int? {
        let pattern = "(?<![\\w\"'])\(NSRegularExpression.escapedPattern(for: key))(?!\\w)"
        guard let range = format.range(of: pattern, options: .regularExpression) else { return nil }
        return format.unicodeScalars.distance(from: format.startIndex, to: range.lowerBound)
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
