import Foundation

// A failure is printed as a test.

extension ModelValue {
    /// The value in Swift; objects are constants of the test.
    var source: String {
        switch self {
        case .none: "nil"
        case .text(let text): "\"\(text)\""
        case .number(let number): number == number.rounded() ? "\(Int(number))" : "\(number)"
        case .date(let seconds): "Date(timeIntervalSinceReferenceDate: \(Int(seconds)))"
        case .token(let kind, let place): "QuestionModel.\(kind)s[\(place)]"
        case .object(let label): "o\(label)"
        case .entity(let name): "NSEntityDescription.entity(forEntityName: \"\(name)\", in: context)!"
        case .list(let elements): "[\(elements.map { $0 == .none ? "NSNull()" : $0.source }.joined(separator: ", "))]"
        }
    }
}

extension ModelMove {
    func source(in context: String) -> String {
        switch self {
        case .insert(let label, let entity, let values):
            let list = values.sorted { $0.key < $1.key }.filter { $0.value != .none }
            let plain = list.filter { !$0.key.contains(".") }.map { "\"\($0.key)\": \($0.value.source)" }
            let dictionary = plain.isEmpty ? "" : ", [\(plain.joined(separator: ", "))]"
            let rest = list.filter { $0.key.contains(".") }.map {
                "; o\(label).setValue(\($0.value.source), forKeyPath: \"\($0.key)\")"
            }
            return "let o\(label) = \(context).make(\"\(entity)\"\(dictionary))\(rest.joined())"
        case .set(let label, let key, let value):
            var text = value.source
            if case .list = value { text = key == "items" ? "NSOrderedSet(array: \(text))" : "NSSet(array: \(text))" }
            return "\(context).object(with: o\(label).objectID).setValue(\(text), forKeyPath: \"\(key)\")"
        case .delete(let label): return "\(context).delete(\(context).object(with: o\(label).objectID))"
        }
    }
}

extension Question {
    /// Statements that make the request, as lines.
    var source: [String] {
        let type =
            switch result {
            case .objects, .count: "NSManagedObject"
            case .ids: "NSManagedObjectID"
            case .number: "NSNumber"
            case .dictionaries: "NSDictionary"
            }
        var lines = ["let request = NSFetchRequest<\(type)>(entityName: \"\(entity)\")"]
        if result == .ids { lines.append("request.resultType = .managedObjectIDResultType") }
        if result == .number { lines.append("request.resultType = .countResultType") }
        if !includesSubentities { lines.append("request.includesSubentities = false") }
        if let condition { lines.append("request.predicate = \(predicate(condition))") }
        if !order.isEmpty {
            let list = order.map {
                let selector = $0.selector == .compare ? "" : ", selector: .\($0.selector)Compare"
                return "NSSortDescriptor(key: \"\($0.path.joined(separator: "."))\", ascending: \($0.isAscending)"
                    + selector + ")"
            }
            lines.append("request.sortDescriptors = [\(list.joined(separator: ", "))]")
        }
        if limit > 0 { lines.append("request.fetchLimit = \(limit)") }
        if offset > 0 { lines.append("request.fetchOffset = \(offset)") }
        if batchSize > 0 { lines.append("request.fetchBatchSize = \(batchSize)") }
        if !returnsFaults { lines.append("request.returnsObjectsAsFaults = false") }
        if !includesValues { lines.append("request.includesPropertyValues = false") }
        if !includesUnsaved { lines.append("request.includesPendingChanges = false") }
        if isDistinct { lines.append("request.returnsDistinctResults = true") }
        if !prefetching.isEmpty { lines.append("request.relationshipKeyPathsForPrefetching = \(prefetching)") }
        if refreshes { lines.append("context.refreshAllObjects()") }
        if readsValues { lines.append("// The values of the objects are read, too.") }
        return result == .dictionaries ? lines + columnSource : lines
    }

    private func predicate(_ condition: Condition) -> String {
        let printed = PrintedPredicate(condition, spelling)
        func list(_ values: [ModelValue]) -> String { values.map(\.source).joined(separator: ", ") }
        let text = "NSPredicate(format: #\"\(printed.format)\"#, argumentArray: [\(list(printed.arguments))])"
        if printed.variables.isEmpty { return text }
        let values = printed.variables.enumerated().map { "\"v\($0)\": \($1.source)" }
        return "\(text).withSubstitutionVariables([\(values.joined(separator: ", "))])"
    }

    private var columnSource: [String] {
        var lines = ["request.resultType = .dictionaryResultType"]
        for column in columns {
            let printed = PrintedPredicate(column.value)
            let arguments = printed.arguments.map(\.source).joined(separator: ", ")
            lines.append("let \(column.name) = NSExpressionDescription()")
            lines.append("\(column.name).name = \"\(column.name)\"")
            lines.append("\(column.name).expressionResultType = .\(column.kind.name)AttributeType")
            lines.append(
                "\(column.name).expression = NSExpression(format: \"\(printed.format)\", argumentArray: [\(arguments)])"
            )
        }
        let names = plain.map { "\"\($0)\"" } + columns.map(\.name)
        lines.append("request.propertiesToFetch = [\(names.joined(separator: ", "))]")
        if !groups.isEmpty { lines.append("request.propertiesToGroupBy = \(groups)") }
        if let having { lines.append("request.havingPredicate = \(predicate(having))") }
        return lines
    }
}

extension Column.Kind {
    fileprivate var name: String {
        switch self {
        case .integer: "integer64"
        case .real: "double"
        case .decimal: "decimal"
        case .text: "string"
        case .date: "date"
        case .truth: "boolean"
        }
    }
}
