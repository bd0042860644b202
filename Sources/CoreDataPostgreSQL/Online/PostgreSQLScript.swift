#if PostgreSQL
import CoreData

/// The statements that an online migration would run on a connection, and the tables that they would leave.
///
/// The code of the migration runs on the connection unchanged, and the connection records what changes something.
/// What it reads afterwards has these changes as well.
final class PostgreSQLScript {
    private var recorded: [MigrationForecast.Statement] = []
    private var tables: PostgreSQLExpectedTables
    private var added: Set<String> = []
    private let recorder: StatementRecorder
    private var phase = MigrationForecast.Step.Phase.expand
    private var summary = ""
    private var table: (name: String, rows: Int)?
    private var loss: String?
    /// The foreign keys that are made, with their names and the letters of what deletions do.
    var references: [PostgreSQLTables.ForeignKey: (name: String, letter: String)] = [:]
    /// By the name of a trigger: the tables that have it when the older version ends.
    var triggers: [String: Set<String>] = [:]

    /// - Parameter connection: the connection that takes the script.
    init(on connection: PostgreSQLConnection) throws {
        tables = try PostgreSQLExpectedTables(on: connection)
        recorder = StatementRecorder(connection)
    }

    var expected: PostgreSQLExpectedTables {
        flush()
        return tables
    }

    var newTables: Set<String> {
        flush()
        return added
    }

    var statements: [MigrationForecast.Statement] {
        flush()
        return recorded
    }

    /// Begins a phase of the migration, or another part of it.
    func begin(
        _ phase: MigrationForecast.Step.Phase, _ summary: String, table: (name: String, rows: Int)? = nil
    ) {
        begin(summary)
        (self.phase, self.table) = (phase, table)
    }

    /// Begins a part of the present phase.
    ///
    /// - Parameter loss: the content that its definitions remove, in words.
    func begin(_ summary: String, loss: String? = nil) {
        flush()
        (self.summary, self.table, self.loss) = (summary, nil, loss)
    }

    func add(_ text: String) {
        flush()
        append(PostgreSQLConnection.kind(of: text), text)
    }

    /// Adds a statement that runs until it finds no more rows.
    func addRepeated(_ text: String) {
        flush()
        append(.rows, text, isRepeated: true)
    }

    /// Adds work that the forecast has no statements for.
    func addWork(_ summary: String) {
        flush()
        recorded.append(.init(.program, "", summary: summary, hop: 0, phase: phase))
    }

    func prepare(_ statement: SQLStatement) throws -> any SQLPreparedStatement { try recorder.prepare(statement) }

    private func append(_ kind: MigrationForecast.Statement.Kind, _ text: String, isRepeated: Bool = false) {
        recorded.append(
            .init(
                kind, text, summary: summary, hop: 0, table: isRepeated ? table?.name : nil,
                rows: isRepeated ? table?.rows ?? 0 : 0,
                lock: kind == .definition ? .init(ofShortDefinition: text) : nil,
                phase: phase, loss: kind == .definition ? loss : nil, isRepeated: isRepeated))
    }

    /// Takes the statements that were recorded as values.
    private func flush() {
        for statement in recorder.take() {
            switch statement {
            case .check(let text), .change(let text): append(.rows, text)
            case .definition(let definition, let text):
                tables.follow(definition)
                switch definition {
                case .createTable(let table, _): added.insert(table.name)
                case .dropTable(let name): added.remove(name)
                default: break
                }
                append(.definition, text)
            }
        }
    }
}

extension SQLStatement {
    /// Whether the statement changes nothing.
    var reads: Bool {
        if case .select = self { return true }
        return false
    }
}
#endif
