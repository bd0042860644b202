import Foundation

/// Forecasts the steps of given hops over the tables of a store, by the plan that a migration would follow.
struct HopForecaster {
    let request: MigrationRequest
    /// The speed of the store's database.
    var machine = MachineCalibration.current
    /// Records the statements; nil if the options do not ask for them.
    var recorder: StatementRecorder?
    /// The statements of the database around those of the steps.
    var frame = InPlaceFrame()

    init(_ request: MigrationRequest) { self.request = request }

    private var url: URL { request.url }
    private var model: NSManagedObjectModel { request.model }

    /// The state of the tables before a hop.
    struct State {
        /// The dialect of the database, and the names of its tables and columns.
        var dialect: any SQLDialect
        var style: any SQLSchemaStyle
        var model: NSManagedObjectModel
        var schema: SQLSchema
        var catalog: StoreCatalog
        /// Bytes of a table's average row.
        var rowBytes: [String: Double]
        var size: StoreSize?
        /// The tables that the store has already as they will be before the hop, except for new columns.
        var unchanged: Set<String> = []
        /// The metadata of the store, for its statements.
        var metadata: [String: Any] = [:]
        /// The versions that the store will have left, for its statements.
        var record: VersionRecord?
    }

    // MARK: The hops

    /// Adds the steps of hops to a forecast.
    func add(
        _ hops: [MigrationHop], from start: State, on connection: any SQLConnection,
        to forecast: inout MigrationForecast
    ) throws {
        var state = start
        beginStatements(of: hops, &state, &forecast)
        // The rows that the program's own code leaves cannot be predicted, and rows that do not exist yet cannot be
        // searched.
        var knowsRows = true
        var number = 0
        while number < hops.count {
            let hop = hops[number]
            if hop.runsCode { knowsRows = false }
            if case .mapping(let mapping) = hop.means {
                state = try add(hop, by: mapping, after: state, to: &forecast)
                number += 1
                continue
            }
            // Consecutive inferred hops are merged as the migration merges them.
            let plain = hop.stage == nil ? hops[number...].prefix { !$0.runsCode } : [hop]
            let stored = state.schema.layoutOfNumber.values.map { state.model.layout.entities[$0].name }
            let merged = MergedHops.merge(
                from: state.model, storing: Set(stored), through: plain.map(\.target),
                configuration: request.configuration)
            for direct in merged {
                for hop in hops[number...].prefix(direct.count - 1) { addTaken(hop, after: &forecast) }
                do {
                    state = try add(
                        direct, after: state, knowsRows ? connection : nil, isFirst: number == 0, to: &forecast)
                } catch let error as NSError where MigrationErrors.isAboutRows(error) && direct.target !== model {
                    throw MigrationErrors.onTheWay(error, through: direct.target)
                }
                number += direct.count
            }
            if let stage = hop.stageName, !forecast.hops.isEmpty {
                // The rows that a handler reads depend on the program's own code.
                forecast.hops[forecast.hops.count - 1].steps.append(
                    .init(kind: .custom, summary: "code of stage “\(stage)”", table: nil, rows: 0, bytes: 0, seconds: 0)
                )
                addCode(of: forecast.hops.count - 1, ["code of stage “\(stage)”"], to: &forecast)
            }
        }
        try endStatements(of: hops, state, &forecast)
    }

    /// A hop whose work another hop does.
    private func addTaken(_ hop: MigrationHop, after forecast: inout MigrationForecast) {
        let step = MigrationForecast.Step(
            kind: .instant, summary: "taken together with the next version", table: nil, rows: 0, bytes: 0, seconds: 0)
        forecast.hops.append(
            .init(from: .init(hop.source), to: .init(hop.target), means: .inferred, steps: [step]))
    }

    /// Adds the hop of a mapping model: every entity mapping is a step that runs code for each row.
    private func add(
        _ hop: MigrationHop, by mapping: NSMappingModel, after state: State, to forecast: inout MigrationForecast
    ) throws -> State {
        if let mirror = state.catalog.mirror, !request.ignoresMirror {
            throw MigrationErrors.mirrored(mirror, [MirrorCheck.change(by: hop)], url: url)
        }
        let layout = hop.target.layout
        let schema = SQLSchemaBuilder.schema(
            of: layout,
            entities: hop.target === model ? try MigrationTransaction(request).entityNames() : held(of: hop.target),
            style: state.style)
        let old = state.model.layout
        var rowsOf: [String: Int] = [:]
        var bytesOf: [String: Double] = [:]
        var steps: [MigrationForecast.Step] = []
        for mapping in mapping.entityMappings ?? [] {
            let source = mapping.sourceEntityName.flatMap { old.layout(named: $0) }
            let table = source.flatMap { state.schema.table(ofRoot: $0.rootIndex)?.name }
            // A table of several entities counts for each of them, because only its rows show how they share it.
            let rows = table.flatMap { state.catalog.tables[$0]?.rows } ?? 0
            let bytes = table.flatMap { state.rowBytes[$0] } ?? Self.unknownRowBytes
            steps.append(step(mapping, table: table, rows: rows, bytesPerRow: bytes))
            guard let target = mapping.destinationEntityName.flatMap({ layout.layout(named: $0) }),
                let newTable = schema.table(ofRoot: target.rootIndex)?.name
            else { continue }
            rowsOf[newTable] = max(rowsOf[newTable] ?? 0, rows)
            bytesOf[newTable] = bytes
        }
        forecast.hops.append(
            .init(
                from: .init(state.model), to: .init(hop.target), means: .mappingModel(hop.name),
                steps: steps))
        addCode(
            of: forecast.hops.count - 1, ["mapping model \(hop.name), on a copy"] + steps.map(\.summary), to: &forecast)
        return State(
            dialect: state.dialect, style: state.style, model: hop.target, schema: schema,
            catalog: StoreCatalog(schema, rows: rowsOf, in: state.dialect),
            rowBytes: bytesOf,
            size: state.size, metadata: state.metadata, record: state.record)
    }

    /// The cost of an object, compared to a row that SQLite copies.
    static let objectFactor = 8.0

    private func step(
        _ mapping: NSEntityMapping, table: String?, rows: Int, bytesPerRow: Double
    ) -> MigrationForecast.Step {
        // The hop of a mapping model runs on files of this machine, for any kind of store.
        let machine = MachineCalibration.current
        let isGone = mapping.destinationEntityName == nil
        let bytes = isGone ? 0 : Double(rows) * bytesPerRow
        let seconds = Self.objectFactor * (Double(rows) * machine.rewrite + bytes * machine.byte)
        let policy = mapping.entityMigrationPolicyClassName.map { ", \($0)" } ?? ""
        return .init(
            kind: .custom, summary: "map \(mapping.name ?? "")\(policy)", table: table, rows: isGone ? 0 : rows,
            bytes: Int64(bytes), seconds: isGone ? 0 : seconds)
    }

    private func add(
        _ direct: MergedHops, after state: State, _ connection: (any SQLConnection)?,
        isFirst: Bool, to forecast: inout MigrationForecast
    ) throws -> State {
        let version = direct.target
        let transaction = MigrationTransaction(request.to(version))
        let entities = try version === model ? transaction.entityNames() : held(of: version)
        let schema = try transaction.schema(
            entities, after: state.schema, state.model, direct.origins, style: state.style)
        let (difference, plan) = try transaction.plan(
            from: state.model.layout, oldSchema: state.schema, to: version.layout, newSchema: schema,
            catalog: state.catalog, in: state.dialect, origins: direct.origins)
        if let connection {
            if !isFirst { try MigrationCheck.inspect(forAnyRowsIn: plan, state.catalog, url: url) }
            try MigrationCheck.search(for: plan, on: connection, in: isFirst ? nil : state.unchanged, url: url)
        }
        // Steps name the tables as they are called at that point; the report gives their present names.
        var names: [String: String] = [:]
        let steps = zip(plan.steps, plan.rows).map { step, rows in
            if case .renameTable(let from, let to) = step { names[to] = names[from] ?? from }
            let table = step.touchedTable.map { names[$0] ?? $0 }
            let bytes = table.flatMap { state.rowBytes[$0] } ?? Self.unknownRowBytes
            return self.step(step, table: table, rows: rows, bytesPerRow: bytes, state)
        }
        forecast.hops.append(
            .init(
                from: forecast.hops.last?.to ?? MigrationForecast.Version(state.model), to: .init(version),
                means: .inferred,
                steps: steps))
        let recordedHop = RecordedHop(
            plan: plan, difference: difference, transaction: transaction, names: entities, schema: schema,
            steps: steps)
        let metadata = try record(recordedHop, after: state, to: &forecast)
        var catalog = StoreCatalog(schema, rows: plan.tableRows, in: state.dialect)
        var rowBytes: [String: Double] = [:]
        for (table, origin) in plan.tableOrigins { rowBytes[table] = state.rowBytes[origin] }
        catalog.tables["ACHANGE"] = state.catalog.tables["ACHANGE"]
        catalog.mirror = state.catalog.mirror
        return State(
            dialect: state.dialect, style: state.style, model: version, schema: schema, catalog: catalog,
            rowBytes: rowBytes, size: state.size,
            unchanged: state.unchanged.subtracting(plan.steps.flatMap(\.changedTables)), metadata: metadata,
            record: state.record)
    }

    /// The names of the entities that the store holds at a version between; nil for all.
    private func held(of version: NSManagedObjectModel) -> Set<String>? {
        version.entities(forConfigurationName: request.configuration).map { Set($0.compactMap(\.name)) }
    }

    // MARK: Sizes and times

    /// Bytes of an entry in an index: a value, a key, their header.
    private static let indexEntry = 16.0

    /// The estimated size of a row in a table without samples.
    private static let unknownRowBytes = 60.0

    private func step(
        _ step: MigrationStep, table: String?, rows: Int, bytesPerRow: Double, _ state: State
    ) -> MigrationForecast.Step {
        let rows = step.isInstant(in: state.dialect) ? 0 : rows
        let count = Double(rows)
        let kind: MigrationForecast.Step.Kind
        var bytes = 0.0
        var seconds = 0.0
        switch step {
        case _ where step.isInstant(in: state.dialect):
            kind = .instant
        case .check:
            kind = .scan
            seconds = count * machine.scan
        case .createIndex:
            kind = .rewrite
            bytes = count * Self.indexEntry
            seconds = count * machine.index
        case .copyPairs:
            kind = .rewrite
            bytes = count * Self.indexEntry
            seconds = count * machine.rewrite + bytes * machine.byte
        case .changeType:
            // The server writes the table anew, as a whole.
            kind = .rewrite
            bytes = count * bytesPerRow
            seconds = count * machine.rewrite * 0.3
        default:
            kind = .rewrite
            bytes = count * bytesPerRow
            // Values in external files come into the rows. Only the rows show which attributes have such files.
            if case .tagValues(_, _, _, tagged: false, _) = step { bytes += Double(state.size?.externalData() ?? 0) }
            seconds = count * machine.rewrite + bytes * machine.byte
        }
        return .init(
            kind: kind, summary: "\(step)", table: kind == .instant ? nil : table, rows: rows,
            bytes: Int64(bytes), seconds: seconds)
    }

    // MARK: Sizes

    /// The bytes that every migration writes: the catalogue, metadata and the archived model.
    static let smallChange: Int64 = 256 * 1024

    static func size(of url: URL) -> Int64 {
        StoreSize.bytes(of: FileKind.target(of: url))
    }

    static func freeBytes(at url: URL) -> Int64? {
        let folder = url.deletingLastPathComponent().path
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }
}
