import Foundation

/// A predicate as text, with the values that text does not have.
struct PrintedPredicate {
    var format = ""
    var arguments: [ModelValue] = []

    init(_ condition: Condition) { format = text(condition) }

    init(_ operand: Operand) { format = text(operand) }

    private mutating func text(_ condition: Condition) -> String {
        switch condition {
        case .constant(let value): return value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .not(let part): return "NOT (\(text(part)))"
        case .and(let parts): return joined(parts, " AND ")
        case .or(let parts): return joined(parts, " OR ")
        case .comparison(let modifier, let left, let relation, let options, let right):
            let first = text(left)
            return "\(modifier.rawValue)\(first) \(relation.rawValue)\(options.rawValue) \(text(right))"
        }
    }

    private mutating func joined(_ parts: [Condition], _ word: String) -> String {
        var texts: [String] = []
        for part in parts { texts.append("(\(text(part)))") }
        return texts.joined(separator: word)
    }

    private mutating func text(_ operand: Operand) -> String {
        func path(_ keys: [String], _ isOfVariable: Bool) -> String {
            (isOfVariable ? ["$x"] : []).appending(contentsOf: keys).joined(separator: ".")
        }
        switch operand {
        case .constant(let value): return text(value)
        case .itself: return "SELF"
        case .path(let keys, let isOfVariable): return path(keys, isOfVariable)
        case .count(let keys, let isOfVariable): return path(keys, isOfVariable) + ".@count"
        case .aggregate(let aggregate, let keys, let key):
            return path(keys, false) + ".@\(aggregate.rawValue).\(key)"
        case .arithmetic(let left, let sign, let right):
            let first = text(left)
            return "(\(first) \(sign.rawValue) \(text(right)))"
        case .uppercase(let inner): return "uppercase:(\(text(inner)))"
        case .subqueryCount(let keys, let condition):
            return "SUBQUERY(\(path(keys, false)), $x, \(text(condition))).@count"
        case .groupAggregate(let function, let key): return "\(function.rawValue):(\(key))"
        }
    }

    private mutating func text(_ value: ModelValue) -> String {
        switch value {
        case .none: return "nil"
        case .text(let text): return "'\(text)'"
        case .number(let number): return number == number.rounded() ? "\(Int(number))" : "\(number)"
        case .date, .object:
            arguments.append(value)
            return "%@"
        case .list(let elements):
            var texts: [String] = []
            for element in elements { texts.append(text(element)) }
            return "{\(texts.joined(separator: ", "))}"
        }
    }
}

extension Array {
    fileprivate func appending(contentsOf other: [Element]) -> [Element] { self + other }
}

// A failure is printed as a test.

extension ModelValue {
    /// The value in Swift; objects are constants of the test.
    var source: String {
        switch self {
        case .none: "nil"
        case .text(let text): "\"\(text)\""
        case .number(let number): number == number.rounded() ? "\(Int(number))" : "\(number)"
        case .date(let seconds): "Date(timeIntervalSinceReferenceDate: \(Int(seconds)))"
        case .object(let label): "o\(label)"
        case .list(let elements): "[\(elements.map(\.source).joined(separator: ", "))]"
        }
    }
}

extension Column.Kind {
    fileprivate var name: String {
        switch self {
        case .integer: "integer64"
        case .real: "double"
        case .text: "string"
        case .date: "date"
        }
    }
}

extension ModelMove {
    func source(in context: String) -> String {
        switch self {
        case .insert(let label, let entity, let values):
            let list = values.sorted { $0.key < $1.key }.filter { $0.value != .none }
                .map { "\"\($0.key)\": \($0.value.source)" }
            let dictionary = list.isEmpty ? "" : ", [\(list.joined(separator: ", "))]"
            return "let o\(label) = \(context).make(\"\(entity)\"\(dictionary))"
        case .set(let label, let key, let value):
            var text = value.source
            if case .list = value { text = key == "items" ? "NSOrderedSet(array: \(text))" : "NSSet(array: \(text))" }
            return "\(context).object(with: o\(label).objectID).setValue(\(text), forKey: \"\(key)\")"
        case .delete(let label): return "\(context).delete(\(context).object(with: o\(label).objectID))"
        }
    }
}

extension Question {
    /// Statements that make the request, as lines.
    var source: [String] {
        func predicate(_ condition: Condition) -> String {
            let printed = PrintedPredicate(condition)
            let arguments = printed.arguments.map(\.source).joined(separator: ", ")
            return "NSPredicate(format: \"\(printed.format)\", argumentArray: [\(arguments)])"
        }
        let type =
            switch result {
            case .objects, .count: "NSManagedObject"
            case .ids: "NSManagedObjectID"
            case .dictionaries: "NSDictionary"
            }
        var lines = ["let request = NSFetchRequest<\(type)>(entityName: \"\(entity)\")"]
        if result == .ids { lines.append("request.resultType = .managedObjectIDResultType") }
        if !includesSubentities { lines.append("request.includesSubentities = false") }
        if let condition { lines.append("request.predicate = \(predicate(condition))") }
        if !order.isEmpty {
            let list = order.map {
                let selector = $0.ignoresCase ? ", selector: .caseInsensitiveCompare" : ""
                return "NSSortDescriptor(key: \"\($0.path.joined(separator: "."))\", ascending: \($0.isAscending)"
                    + selector + ")"
            }
            lines.append("request.sortDescriptors = [\(list.joined(separator: ", "))]")
        }
        if limit > 0 { lines.append("request.fetchLimit = \(limit)") }
        if offset > 0 { lines.append("request.fetchOffset = \(offset)") }
        if batchSize > 0 { lines.append("request.fetchBatchSize = \(batchSize)") }
        if !returnsFaults { lines.append("request.returnsObjectsAsFaults = false") }
        if !prefetching.isEmpty { lines.append("request.relationshipKeyPathsForPrefetching = \(prefetching)") }
        guard result == .dictionaries else { return lines }
        lines.append("request.resultType = .dictionaryResultType")
        for column in columns {
            lines.append("let \(column.name) = NSExpressionDescription()")
            lines.append("\(column.name).name = \"\(column.name)\"")
            lines.append("\(column.name).expressionResultType = .\(column.kind.name)AttributeType")
            lines.append(
                "\(column.name).expression = NSExpression(format: \"\(column.function.rawValue):(\(column.key))\")")
        }
        let names = plain.map { "\"\($0)\"" } + columns.map(\.name)
        lines.append("request.propertiesToFetch = [\(names.joined(separator: ", "))]")
        if !groups.isEmpty { lines.append("request.propertiesToGroupBy = \(groups)") }
        if let having { lines.append("request.havingPredicate = \(predicate(having))") }
        if isDistinct { lines.append("request.returnsDistinctResults = true") }
        return lines
    }
}
