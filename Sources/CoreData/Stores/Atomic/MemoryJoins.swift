import Foundation

/// Joins the members of relationships that are arguments of functions of several rows to the rows. Each row occurs once
/// for each of its members, and once without a member if it has none.
struct MemoryJoins {
    /// A row with one member, or none, for each path to many objects.
    struct JoinedRow {
        let row: MemoryFetch.Row
        var members: [String: Any] = [:]
    }

    /// A path that ends in a relationship to many objects, and the longest such path that is a part of it.
    private struct Path {
        let text: String
        let before: String?
        let rest: KeyValuePath
    }

    private let layout: EntityLayout
    private var paths: [Path] = []

    init(_ aggregates: [AggregateExpression], in layout: EntityLayout) {
        self.layout = layout
        var found: [KeyValuePath] = []
        for aggregate in aggregates {
            _ = Self.replacingPaths(of: aggregate.argument) {
                found.append($0)
                return nil
            }
        }
        for path in found {
            var before: Int?
            for end in toManyEnds(path) {
                let text = path.keys[..<end].joined(separator: ".")
                if !paths.contains(where: { $0.text == text }) {
                    paths.append(
                        Path(
                            text: text, before: before.map { path.keys[..<$0].joined(separator: ".") },
                            rest: KeyValuePath(path.keys[(before ?? 0)..<end].joined(separator: "."))))
                }
                before = end
            }
        }
    }

    /// The numbers of keys after which a path has passed each of its relationships to many objects. A path with a
    /// collection operator has none, because the operator is computed for one row.
    private func toManyEnds(_ path: KeyValuePath) -> [Int] {
        if path.keys.contains(where: { $0.hasPrefix("@") }) { return [] }
        return layout.way(along: path.keys).enumerated().compactMap { $1.access.isToMany ? $0 + 1 : nil }
    }

    /// The expression with replacements for the key paths that are joined. Other functions of several rows, subqueries
    /// and conditions within it concern one row, and are not replaced.
    private static func replacingPaths(
        of expression: NSExpression, _ replacement: (KeyValuePath) -> NSExpression?
    ) -> NSExpression {
        expression.replacing { part in
            switch part.payload {
            case .keyPath(let path, nil): return replacement(path)
            case .subquery, .function("objectFrom:withIndex:", _, _): return part
            case .conditional(let condition, let whenTrue, let whenFalse):
                return NSExpression(
                    payload: .conditional(
                        condition, replacingPaths(of: whenTrue, replacement),
                        replacingPaths(of: whenFalse, replacement)))
            default: return AggregateExpression(part) == nil ? nil : part
            }
        }
    }

    // MARK: Rows

    func withMembers(_ row: MemoryFetch.Row) -> [JoinedRow] {
        var all = [JoinedRow(row: row)]
        // A path comes after the path that it continues.
        for path in paths {
            all = all.flatMap { joined -> [JoinedRow] in
                let start: Any? = if let before = path.before { joined.members[before] } else { joined.row }
                guard let start, let value = path.rest.value(in: start) else { return [joined] }
                let members = ExpressionValue(value).elements ?? [value]
                if members.isEmpty { return [joined] }
                return members.map { member in
                    var one = joined
                    one.members[path.text] = member
                    return one
                }
            }
        }
        return all
    }

    /// Reads the argument of a function from joined rows.
    func argument(of aggregate: AggregateExpression) -> (JoinedRow) -> Any? {
        let expression = aggregate.argument
        if paths.isEmpty { return { expression.value(in: EvaluationContext(readable: $0.row, substitutions: nil)) } }
        if case .keyPath(let path, nil) = expression.payload { return { value(at: path, $0) } }
        return { joined in
            let replaced = Self.replacingPaths(of: expression) { path in
                toManyEnds(path).isEmpty ? nil : NSExpression(forConstantValue: value(at: path, joined))
            }
            return replaced.value(in: EvaluationContext(readable: joined.row, substitutions: nil))
        }
    }

    private func value(at path: KeyValuePath, _ joined: JoinedRow) -> Any? {
        guard let end = toManyEnds(path).last else { return path.value(in: joined.row) }
        guard let member = joined.members[path.keys[..<end].joined(separator: ".")] else { return nil }
        if end == path.keys.count { return member }
        return KeyValuePath(path.keys[end...].joined(separator: ".")).value(in: member)
    }

    // MARK: Functions

    /// The value of a function for a group.
    func value(of aggregate: AggregateExpression, _ group: MemoryGroup) throws -> Any? {
        var values = group.rowsWithMembers(self).compactMap(argument(of: aggregate)).filter { value in
            switch ExpressionValue(value) {
            case .null: false
            case .double(let number): !number.isNaN
            default: true
            }
        }
        if aggregate.isDistinct {
            var seen: Set<MemoryKey> = []
            values = values.filter { seen.insert(MemoryKey($0)).inserted }
        }
        if aggregate.function == .count { return NSNumber(value: values.count) }
        if let first = values.first, ObjectKey(ofObject: first) != nil {
            return try object(of: aggregate.function, values)
        }
        switch aggregate.function {
        case .sum: return ExpressionFunction.sum(values.map(Self.number))
        case .average: return ExpressionFunction.average(values.map(Self.number))
        case .minimum: return ExpressionFunction.extremum(values, .orderedAscending)
        default: return ExpressionFunction.extremum(values, .orderedDescending)
        }
    }

    /// Dates are added as numbers of seconds, and Boolean values as numbers.
    private static func number(_ value: Any) -> Any {
        if case .date(let seconds) = ExpressionValue(value) { NSNumber(value: seconds) } else { value }
    }

    private func object(of function: AggregateExpression.Function, _ values: [Any]) throws -> Any? {
        func isBefore(_ one: Any, _ other: Any) -> Bool {
            (ObjectKey(ofObject: one)?.key ?? 0) < (ObjectKey(ofObject: other)?.key ?? 0)
        }
        switch function {
        case .minimum: return values.min(by: isBefore)
        case .maximum: return values.max(by: isBefore)
        default: throw SQLFetchTranslator.failure("\(function.rawValue) of objects")
        }
    }
}
