import Foundation

// The explanations of a fetch and the inspection of the database.
extension SQLStore {
    package func explained(_ request: StoreFetch, asRows: Bool) throws -> FetchExplanation? {
        guard let shape = shapes[request.layout.index] else { return nil }
        let (select, _) = try select(for: request, rows: asRows ? shape : nil)
        let postProcessing = postProcessing(of: select)
        let ((text, values, plan), index) = try reading { connection in
            let found = try connection.explain(clientEvaluated(postProcessing?.request ?? select, on: connection))
            return (found, try suggestedIndex(for: request, found.plan, on: connection))
        }
        return FetchExplanation(
            storeIdentifier: identifier ?? "", storeURL: url, statement: text, values: values, plan: plan,
            isFinishedByProgram: postProcessing != nil, suggestedIndex: index)
    }

    /// The greatest number of lines of a report of damage.
    private static let linesOfDamage = 100

    package func inspected(for parts: StoreInspection.Parts) throws -> StoreInspection {
        var inspection = StoreInspection()
        try reading { connection in
            if parts.contains(.history), historyTables != nil { inspection.history = try historyExtent(connection) }
            if parts.contains(.sizes) {
                inspection.entitySizes = try entitySizes(connection)
                if historyTables != nil { inspection.historySize = try historySize(connection) }
            }
            if parts.contains(.damage) { inspection.damage = try connection.damage(atMost: Self.linesOfDamage) }
            if parts.contains(.irregularities) { inspection.irregularities = try irregularities(connection) }
            if parts.contains(.mirror) { inspection.mirror = try Self.mirror(connection) }
        }
        return inspection
    }

    private static func mirror(_ connection: some SQLConnection) throws -> StoreInspection.CloudMirror? {
        try MirrorTables.read(from: connection)
    }

    private func historyExtent(_ connection: any SQLConnection) throws -> StoreInspection.History? {
        let time = HistoryTables.ofTransaction("ZTIMESTAMP")
        let select = SQLSelect(
            [.countAll, .function(.min, [time]), .function(.max, [time])], of: HistoryTables.transactions, as: "t")
        return try connection.prepare(.select(select)).first { row in
            func date(_ place: Int) -> Date? {
                row.isNull(place) ? nil : Date(timeIntervalSinceReferenceDate: row.double(place))
            }
            return StoreInspection.History(transactionCount: Int(row.int64(0)), first: date(1), last: date(2))
        }
    }

    private func historySize(_ connection: any SQLConnection) throws -> Int64? {
        let tables = [HistoryTables.transactions, HistoryTables.changes, HistoryTables.strings]
        let sizes = try connection.sizes(ofTables: tables)
        return sizes.isEmpty ? nil : sizes.values.reduce(0, +)
    }

    private func entitySizes(_ connection: any SQLConnection) throws -> [String: Int64] {
        let roots = layout.entities.filter { $0.superIndex == nil }
        let tables = roots.compactMap { root in schema.table(ofRoot: root.index).map { (root.name, $0.name) } }
        let sizes = try connection.sizes(ofTables: tables.map(\.1))
        return Dictionary(tables.compactMap { name, table in sizes[table].map { (name, $0) } }) { first, _ in first }
    }
}
