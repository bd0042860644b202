import Foundation

// Fetches for which the database reads a whole table, and the indexes that would spare it.
extension SQLStore {
    /// The number of rows from which on reading a whole table is worth an index.
    package static let rowsWorthAnIndex = 10_000

    /// The index that a fetch lacks; nil unless the plan reads a whole table, and the table has many rows.
    func suggestedIndex(
        for request: StoreFetch, _ plan: [FetchExplanation.Step], on connection: any SQLConnection
    ) throws -> FetchExplanation.SuggestedIndex? {
        guard plan.contains(where: \.readsWholeTable), let wanted = IndexedProperty(request, schema),
            let table = schema.table(ofRoot: request.layout.rootIndex)
        else { return nil }
        let count = try connection.prepare(.select(SQLSelect([.countAll], of: table.name))).first { Int($0.int64(0)) }
        guard let count, count > Self.rowsWorthAnIndex else { return nil }
        return .init(entityName: wanted.entityName, propertyName: wanted.propertyName, rowCount: count)
    }

    #if DEBUG
        /// Writes a line to standard error when a fetch has read a whole large table, once for each index that would
        /// help.
        func reportTableScan(of request: StoreFetch) {
            guard tableScans.takeRows() > Self.rowsWorthAnIndex, let wanted = IndexedProperty(request, schema),
                tableScans.isNew("\(request.layout.name) \(wanted.entityName).\(wanted.propertyName)")
            else { return }
            var rows = request
            rows.result = .keys
            // The fetch has succeeded: a failure of its explanation does not concern the program.
            guard let index = (try? explained(rows, asRows: false))?.suggestedIndex else { return }
            tableScans.add("CoreData: warning: a fetch of \(request.layout.name) reads a whole table: \(index).")
        }
    #endif
}

#if DEBUG
    /// What a store has noticed of tables that were read whole. Any thread may use it.
    package final class TableScans: Sendable {
        private struct State {
            var rows = 0
            var known: Set<String> = []
            var warnings: [String] = []
        }

        private let state = Locked(State())

        /// Notes the number of rows through which a statement went without an index.
        func note(_ rows: Int) {
            if rows > SQLStore.rowsWorthAnIndex { state.withLock { $0.rows = max($0.rows, rows) } }
        }

        fileprivate func takeRows() -> Int {
            state.withLock { state in
                defer { state.rows = 0 }
                return state.rows
            }
        }

        fileprivate func isNew(_ key: String) -> Bool { state.withLock { $0.known.insert(key).inserted } }

        fileprivate func add(_ warning: String) {
            state.withLock { $0.warnings.append(warning) }
            FileHandle.standardError.write(Data((warning + "\n").utf8))
        }

        /// The lines that were written.
        package var warnings: [String] { state.withLock { $0.warnings } }
    }
#endif

/// The property of a fetch that an index should begin with, where the model has no such index.
struct IndexedProperty {
    let entityName: String
    let propertyName: String

    /// Takes the first comparison for equality, or else the first for a range. A fetch that is sorted and limited
    /// needs an index of its first key.
    init?(_ request: StoreFetch, _ schema: SQLSchema) {
        var ranges: [IndexedProperty] = []
        for part in Self.conjuncts(of: request.predicate) {
            guard let (path, isEquality) = Self.comparedPath(part) else { continue }
            guard let property = Self(path, request.layout, schema) else {
                // An index serves the comparison, and the database has chosen not to use it.
                if isEquality { return nil }
                continue
            }
            if isEquality {
                self = property
                return
            }
            ranges.append(property)
        }
        if let range = ranges.first {
            self = range
        } else if request.predicate == nil, request.limit > 0, let sort = request.sortDescriptors.first,
            sort.sortSelector == .compare, let key = sort.sortKey, let property = Self(key, request.layout, schema)
        {
            self = property
        } else {
            return nil
        }
    }

    /// Nil where a path leads through a to-many relationship or to no attribute, and where there is an index.
    private init?(_ path: String, _ start: EntityLayout, _ schema: SQLSchema) {
        var layout = start
        let keys = KeyValuePath(path).keys
        for key in keys.dropLast() {
            guard case .toOne(let slot)? = layout.access[key] else { return nil }
            layout = layout.model.entities[layout.destinations[slot].layoutIndex]
        }
        guard let last = keys.last, case .attribute(let slot)? = layout.access[last],
            let column = schema.column(layout: layout.index, slot: slot),
            let table = schema.table(ofRoot: layout.rootIndex)?.name
        else { return nil }
        let isIndexed = schema.indexes.contains { index in
            index.table == table && index.columns.first { $0.name != SQLSchema.entityColumn }?.name == column
        }
        if isIndexed { return nil }
        entityName = layout.name
        propertyName = String(last)
    }

    /// The parts of a predicate that all hold for each row of the result.
    private static func conjuncts(of predicate: NSPredicate?) -> [NSPredicate] {
        guard let predicate else { return [] }
        guard let compound = predicate as? NSCompoundPredicate else { return [predicate] }
        return compound.compoundPredicateType == .and ? compound.parts.flatMap { conjuncts(of: $0) } : []
    }

    /// The path that a predicate compares with a constant by an operator that an index serves.
    private static func comparedPath(_ part: NSPredicate) -> (path: String, isEquality: Bool)? {
        guard let comparison = part as? NSComparisonPredicate, comparison.comparisonPredicateModifier == .direct,
            comparison.options.isEmpty, case .keyPath(let path, nil) = comparison.leftExpression.payload
        else { return nil }
        switch comparison.predicateOperatorType {
        case .equalTo, .in: return (path.text, true)
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .between, .beginsWith:
            return (path.text, false)
        default: return nil
        }
    }
}
