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
                rows: isRepeated ? table?.rows ?? 0 : 0, lock: kind == .definition ? Self.lock(of: text) : nil,
                phase: phase, loss: kind == .definition ? loss : nil, isRepeated: isRepeated))
    }

    /// The seconds for which a short transaction holds a lock.
    private static let short = 0.01

    /// The lock on a table of the store by which a definition keeps other sessions out, or keeps them from writing. It
    /// lasts as long as its short transaction.
    private static func lock(of text: String) -> MigrationForecast.Lock? {
        func lock(_ mark: String, isExclusive: Bool) -> MigrationForecast.Lock? {
            guard let start = text.range(of: mark)?.upperBound else { return nil }
            let name = name(at: text[start...])
            return name.isEmpty ? nil : .init(tables: [name], isExclusive: isExclusive, seconds: short)
        }
        let word = text.prefix { $0 != "\n" }
        if word.hasPrefix("ALTER TABLE ") {
            // These let other sessions read and write.
            if word.contains(" VALIDATE CONSTRAINT ") { return nil }
            return lock("ALTER TABLE ", isExclusive: !word.contains(" FOREIGN KEY "))
        }
        if word.hasPrefix("DROP TABLE ") { return lock("DROP TABLE ", isExclusive: true) }
        if word.hasPrefix("DROP TRIGGER ") { return lock(" ON ", isExclusive: true) }
        if word.hasPrefix("CREATE"), word.contains(" TRIGGER ") { return lock(" ON ", isExclusive: false) }
        return nil
    }

    /// The name that a text begins with, without its quotes.
    private static func name(at text: Substring) -> String {
        let text = text.hasPrefix("IF EXISTS ") ? text.dropFirst(10) : text
        guard text.first == "\"" else { return String(text.prefix { $0 != " " && $0 != ";" }) }
        return String(text.dropFirst().prefix { $0 != "\"" })
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
