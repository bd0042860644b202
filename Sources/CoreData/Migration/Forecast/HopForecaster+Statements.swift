import Foundation

/// The option for a forecast with the statements of the migration: a Boolean as `NSNumber` or `Bool`.
///
/// OpenCoreData only. Without it ``MigrationForecast/statements`` is empty, because the statements contain the archived
/// model of the newer version.
public let NSMigrationForecastStatementsOption = "OpenCoreDataMigrationForecastStatementsOption"

// The statements of a migration. The code that runs them is called with a connection that records them.
extension HopForecaster {
    func beginStatements(of hops: [MigrationHop], _ state: inout State, _ forecast: inout MigrationForecast) {
        forecast.statements = []
        guard let recorder, let last = hops.last else { return }
        recorder.beginAttempt()
        state.record = MigrationTransaction(request.to(last.target)).record(
            in: state.metadata, after: state.model, through: hops.dropLast().map(\.target))
        if hops.contains(where: \.runsCode) {
            forecast.statements.append(
                .init(
                    .program, "",
                    summary: "copy the store; what follows runs on the copy, which then takes the place of the store"))
            return
        }
        if let reason = frame.reason {
            forecast.statements.append(.init(.program, "", summary: reason))
        } else {
            forecast.statements += frame.before.map(Self.statement)
        }
    }

    func endStatements(of hops: [MigrationHop], _ state: State, _ forecast: inout MigrationForecast) throws {
        guard let recorder, !hops.contains(where: \.runsCode), frame.reason == nil else { return }
        forecast.statements += try frame.after(state.schema, state.model.layout, recorder.definitions)
            .map(Self.statement)
    }

    private static func statement(_ part: InPlaceFrame.Part) -> MigrationForecast.Statement {
        switch part.kind {
        case .transaction: .init(.transaction, part.text, summary: part.summary)
        case .lock:
            .init(
                .transaction, part.text, summary: part.summary,
                lock: .init(tables: [], isExclusive: true, seconds: 0))
        case .definition: .init(.definition, part.text, summary: part.summary)
        case .program: .init(.program, "", summary: part.summary)
        }
    }

    /// Adds work of the program's own code.
    func addCode(of hop: Int, _ summaries: [String], to forecast: inout MigrationForecast) {
        guard recorder != nil else { return }
        forecast.statements += summaries.map { .init(.program, "", summary: $0, hop: hop) }
    }

    /// A hop whose statements are recorded.
    struct RecordedHop {
        var plan: MigrationPlan
        var difference: ModelDifference
        /// The transaction of the hop.
        var transaction: MigrationTransaction
        /// The entities that the store holds after the hop; nil for all.
        var names: Set<String>?
        /// The tables after the hop.
        var schema: SQLSchema
        /// The steps of the plan with their figures.
        var steps: [MigrationForecast.Step]
    }

    /// Adds the statements of a hop.
    ///
    /// - Returns: The metadata of the store after the hop.
    func record(
        _ hop: RecordedHop, after state: State, to forecast: inout MigrationForecast
    ) throws -> [String: Any] {
        guard let recorder, frame.reason == nil else { return [:] }
        let number = forecast.hops.count - 1
        recorder.begin(state.schema.allTables)
        recorder.nameEntities(
            state.schema.entityNames(in: state.model.layout)
                .merging(hop.schema.entityNames(in: hop.transaction.request.model.layout)) { old, _ in old })
        try DeferredStatements.finish(state.metadata, on: recorder)
        forecast.statements += recorder.take().map { statement($0, "work that a migration has deferred", number) }
        var metadata = hop.transaction.newMetadata(state.metadata, hop.difference, hop.names)
        metadata[DeferredStatements.metadataKey] = nil
        state.record?.write(to: &metadata)
        var plan = hop.plan
        let later = deferred(from: &plan, hop, state)
        if !later.isEmpty { metadata[DeferredStatements.metadataKey] = later }
        let runner = MigrationRunner(
            connection: recorder, url: request.url, progress: MigrationProgress(nil), metadata: metadata,
            modelCache: try ModelArchive.encodeDeflated(hop.transaction.request.model))
        var figures = hop.steps[...]
        for (step, rows) in zip(plan.steps, plan.rows) {
            let figure = figures.first { $0.summary == "\(step)" }
            figures = figures.drop { $0.summary != "\(step)" }.dropFirst()
            forecast.statements += try statements(of: step, rows: rows, figure, runner: runner, number)
        }
        forecast.statements += later.map { text in
            .init(.program, "", summary: "deferred until finishDeferredLightweightMigration(): \(text)", hop: number)
        }
        return metadata
    }

    /// The statements that a migration of a file leaves to a later moment.
    private func deferred(from plan: inout MigrationPlan, _ hop: RecordedHop, _ state: State) -> [String] {
        guard hop.transaction.request.model === request.model, !state.dialect.changesTypes,
            StoreOptions.bool(request.options, NSPersistentStoreDeferredLightweightMigrationOptionKey) == true
        else { return [] }
        return DeferredStatements.takeDeferrable(from: &plan)
    }

    private func statements(
        of step: MigrationStep, rows: Int, _ figure: MigrationForecast.Step?, runner: MigrationRunner, _ hop: Int
    ) throws -> [MigrationForecast.Statement] {
        var statements: [MigrationForecast.Statement] = []
        if case .deriveOnClient(let table, let column, _, _) = step {
            var work = MigrationForecast.Statement(.program, "", summary: "\(step)", hop: hop)
            work.columns = ["\(table).\(column)"]
            statements = [work]
        } else {
            try runner.run(step, rows: rows)
            statements = recorder?.take().map { statement($0, "\(step)", hop) } ?? []
            if let last = statements.indices.last { statements[last].loss = step.loss }
        }
        for place in statements.indices {
            statements[place].table = figure?.table
            statements[place].rows = figure?.rows ?? 0
            statements[place].seconds = place == 0 ? figure?.seconds ?? 0 : 0
        }
        return statements
    }

    private func statement(
        _ recorded: StatementRecorder.Recorded, _ summary: String, _ hop: Int
    ) -> MigrationForecast.Statement {
        switch recorded {
        case .check(let text): .init(.check, text, summary: summary, hop: hop)
        case .definition(_, let text): .init(.definition, text, summary: summary, hop: hop)
        case .change(let text): .init(.rows, text, summary: summary, hop: hop)
        }
    }
}
