import Foundation

/// Makes dictionaries of rows in memory, with columns, groups, conditions on groups and an order.
///
/// The results are those of a database's statement. A function of several rows is computed over the rows of a group,
/// joined with the members of the paths to many objects in such functions. All other parts are values of the group's
/// first row.
struct MemoryTable {
    private let fetch: StoreFetch
    private let columns: [MemoryColumn]
    private let groupBy: [MemoryColumn]
    private let having: NSPredicate?
    private let isDistinct: Bool
    private let isGrouping: Bool
    private let joins: MemoryJoins
    /// The only smallest or largest value in the columns. Other values of a dictionary come from the row that has it.
    private let extremum: AggregateExpression?
    /// The columns, by name, whose names are no keys of the entity.
    private let named: [String: MemoryColumn]

    /// Throws 134060 for columns and conditions that cannot be computed. Nil for a fetch whose results are no
    /// dictionaries.
    init?(_ fetch: StoreFetch) throws {
        guard case .dictionaries(let listed, let groupBy, let having, let isDistinct) = fetch.result else { return nil }
        self.fetch = fetch
        self.having = having
        self.isDistinct = isDistinct
        let layout = fetch.layout
        let properties = listed.isEmpty ? layout.fetchedColumns : listed
        let rule = GroupingRule(groupBy, in: layout)
        columns = try properties.map { try MemoryColumn($0, in: layout, groups: rule.groups($0)) }
        self.groupBy = try groupBy.map { try MemoryColumn($0, in: layout, groups: true) }
        let computed = columns.filter { layout.access[$0.name] == nil }
        named = Dictionary(computed.map { ($0.name, $0) }) { first, _ in first }
        try having?.requirePatterns()
        for path in having?.keyPaths ?? [] where named[path] == nil { try layout.requireProperty(path) }
        for path in fetch.sortDescriptors.compactMap(\.sortKey) where named[path] == nil {
            try layout.requireProperty(path)
        }
        try rule.check(properties, having: having)
        let aggregates = columns.filter { !$0.groups }.flatMap(\.expression.aggregates) + (having?.aggregates ?? [])
        isGrouping = !groupBy.isEmpty || having != nil || !aggregates.isEmpty
        for aggregate in aggregates {
            try layout.requireValues(of: aggregate)
            try layout.requireMembers(ofFunctionsIn: aggregate.argument)
        }
        for column in self.groupBy { try layout.requireMembers(ofFunctionsIn: column.expression) }
        joins = MemoryJoins(aggregates, in: layout)
        let extrema = aggregates.filter { $0.function == .minimum || $0.function == .maximum }
        extremum = extrema.count == 1 && groupBy.isEmpty ? extrema[0] : nil
    }

    func dictionaries(_ rows: [MemoryFetch.Row]) throws -> [[String: Any]] {
        var found = try isGrouping ? grouped(rows) : rows.map { try result(MemoryGroup([$0])) }
        if !fetch.sortDescriptors.isEmpty { found = found.sorted(byDescriptors: fetch.sortDescriptors) }
        if isDistinct {
            var seen: Set<[MemoryKey]> = []
            found = found.filter { row in
                seen.insert(columns.map { MemoryKey(row.dictionary[$0.name]) }).inserted
            }
        }
        return found.map(\.dictionary)
    }

    private func result(_ group: MemoryGroup) throws -> MemoryResult {
        var dictionary: [String: Any] = [:]
        for column in columns { dictionary[column.name] = try value(of: column, group) }
        return MemoryResult(dictionary, group.first, named: named)
    }

    // MARK: Groups

    private func grouped(_ rows: [MemoryFetch.Row]) throws -> [MemoryResult] {
        try groups(rows).compactMap { group in
            if let extremum { group.first = try row(with: extremum, group) }
            return try fulfils(group) ? result(group) : nil
        }
    }

    /// The rows that have equal values in the grouping columns; one group of all rows if there are no such columns.
    private func groups(_ rows: [MemoryFetch.Row]) throws -> [MemoryGroup] {
        if groupBy.isEmpty { return [MemoryGroup(rows)] }
        var places: [[MemoryKey]: Int] = [:]
        var groups: [[MemoryFetch.Row]] = []
        for row in rows {
            let context = EvaluationContext(readable: row, substitutions: nil)
            let key = try groupBy.map { MemoryKey(try $0.value($0.expression.value(in: context))) }
            if let place = places[key] {
                groups[place].append(row)
            } else {
                places[key] = groups.count
                groups.append([row])
            }
        }
        return groups.map(MemoryGroup.init)
    }

    private func fulfils(_ group: MemoryGroup) throws -> Bool {
        guard let having else { return true }
        var failure: (any Error)?
        let condition = having.replacing { part in
            do {
                if let column = column(named: part) {
                    let raw = try raw(of: column, group)
                    if ObjectKey(ofObject: raw) != nil { return NSExpression(forConstantValue: raw) }
                    return NSExpression(forConstantValue: try column.value(raw))
                }
                return try AggregateExpression(part).map {
                    NSExpression(forConstantValue: try joins.value(of: $0, group))
                }
            } catch {
                failure = error
                return part
            }
        }
        if let failure { throw failure }
        return condition.matches(EvaluationContext(group.first))
    }

    private func column(named part: NSExpression) -> MemoryColumn? {
        switch part.payload {
        case .variable(let name): named[name]
        case .keyPath(let path, nil): named[path.text]
        default: nil
        }
    }

    private func value(of column: MemoryColumn, _ group: MemoryGroup) throws -> Any? {
        try column.value(try raw(of: column, group))
    }

    private func raw(of column: MemoryColumn, _ group: MemoryGroup) throws -> Any? {
        var expression = column.expression
        if isGrouping, !column.groups {
            var failure: (any Error)?
            expression = expression.replacing { part in
                guard let aggregate = AggregateExpression(part) else { return nil }
                do {
                    return NSExpression(forConstantValue: try joins.value(of: aggregate, group))
                } catch {
                    failure = error
                    return part
                }
            }
            if let failure { throw failure }
        }
        return expression.value(in: EvaluationContext(group.first))
    }

    /// The first row with the smallest or largest value of a group.
    private func row(with extremum: AggregateExpression, _ group: MemoryGroup) throws -> MemoryFetch.Row? {
        guard let value = try joins.value(of: extremum, group) else { return group.first }
        let key = MemoryKey(value)
        let argument = joins.argument(of: extremum)
        return group.rowsWithMembers(joins).first { MemoryKey(argument($0)) == key }?.row ?? group.first
    }
}

/// The rows from which one dictionary is made.
final class MemoryGroup {
    let rows: [MemoryFetch.Row]
    /// The row of the values that are not computed from all rows; nil if there is none.
    var first: MemoryFetch.Row?
    private var known: [MemoryJoins.JoinedRow]?

    init(_ rows: [MemoryFetch.Row]) {
        self.rows = rows
        first = rows.first
    }

    /// The rows, joined with the members of relationships.
    func rowsWithMembers(_ joins: MemoryJoins) -> [MemoryJoins.JoinedRow] {
        if let known { return known }
        let joined = rows.flatMap(joins.withMembers)
        known = joined
        return joined
    }
}

/// A dictionary with the row whose values the order may need.
private final class MemoryResult: KeyValueReadable {
    let dictionary: [String: Any]
    private let row: MemoryFetch.Row?
    private let named: [String: MemoryColumn]

    init(_ dictionary: [String: Any], _ row: MemoryFetch.Row?, named: [String: MemoryColumn]) {
        self.dictionary = dictionary
        self.row = row
        self.named = named
    }

    func value(forKey key: String) -> Any? {
        if named[key] == nil { return row?.value(inPredicateForKey: key) }
        // Objects are sorted by their keys.
        let value = dictionary[key]
        return ObjectKey(ofObject: value).map { NSNumber(value: $0.key) } ?? value
    }
}

/// A value in a form in which equal values can be found.
struct MemoryKey: Hashable {
    private enum Content: Hashable {
        case value(SlotKey)
        case object(Int64)
        case other(AnyHashable)
    }
    private let content: Content

    init(_ value: Any?) {
        if let key = ObjectKey(ofObject: value) {
            content = .object(key.key)
        } else if let slot = SlotValue(ExpressionValue(value)) {
            content = .value(SlotKey(slot))
        } else {
            content = .other(value as? AnyHashable ?? AnyHashable(value as AnyObject as? NSObject))
        }
    }
}

extension ObjectKey {
    /// The key of a value that is a key, or that stands for a row; otherwise nil.
    init?(ofObject value: Any?) {
        guard let value else { return nil }
        if let key = value as? ObjectKey {
            self = key
        } else if type(of: value) is AnyClass, let object = value as? any ObjectKeyConvertible {
            self = object.objectKey
        } else {
            return nil
        }
    }
}

extension SlotValue {
    /// The key of an expression's value; nil for a value that no attribute can have.
    init?(_ value: ExpressionValue) {
        switch value {
        case .null: self = .null
        case .int(let number): self = .int(number)
        case .double(let number): self = .double(number)
        case .decimal(let number): self = .decimal(number)
        case .string(let text): self = .string(text)
        case .date(let seconds): self = .double(seconds)
        case .data(let data): self = .data(data)
        case .uuid(let uuid): self = .uuid(uuid)
        case .url(let url): self = .string(url.absoluteString)
        case .collection, .object, .other: return nil
        }
    }
}
