import Foundation

extension MigrationForecast {
    /// A statement that a migration in place runs, or a part of its work that the program does between statements.
    public struct Statement: Sendable, Equatable {
        /// The ways in which a statement belongs to a migration.
        public enum Kind: String, Sendable {
            /// The statement begins or ends the transaction, or takes a lock.
            case transaction
            /// The statement searches for a row that the newer version does not allow. A row ends the migration.
            case check
            /// The statement changes the tables, columns, indexes, triggers or constraints of the database.
            case definition
            /// The statement changes rows.
            case rows
            /// The program does the work. The text of the statement is empty.
            case program
        }

        /// The way in which the statement belongs to the migration.
        public var kind: Kind
        /// The text with all its values, without a semicolon at its end. Empty for work of the program.
        public var text: String
        /// A description of the step that the statement is part of.
        public var summary: String
        /// The place of the hop in ``MigrationForecast/hops``; nil for a statement around all hops.
        public var hop: Int?
        /// The table whose rows the statement reads or writes; nil if its time does not depend on rows.
        public var table: String?
        /// The approximate number of rows that the statement reads or writes.
        public var rows: Int
        /// The approximate time of the statement in seconds.
        public var seconds: Double
        /// The lock that the statement takes, with the time for which it is held; nil for none of its own.
        public var lock: Lock?
        /// The part of a migration that runs beside other programs; nil in a migration that waits for them.
        public var phase: Step.Phase?
        /// The content that is gone after the commit, in words; nil if the statement can be undone.
        public var loss: String?
        /// Whether the statement runs again for the next rows until all rows are done.
        public var isRepeated: Bool
        /// The columns that the program computes, for work of the program.
        package var columns: [String] = []

        package init(
            _ kind: Kind, _ text: String, summary: String, hop: Int? = nil, table: String? = nil, rows: Int = 0,
            seconds: Double = 0, lock: Lock? = nil, phase: Step.Phase? = nil, loss: String? = nil,
            isRepeated: Bool = false
        ) {
            self.kind = kind
            self.text = text
            self.summary = summary
            self.hop = hop
            self.table = table
            self.rows = rows
            self.seconds = seconds
            self.lock = lock
            self.phase = phase
            self.loss = loss
            self.isRepeated = isRepeated
        }
    }

    /// The statements as a file that an administrator can read, compare and keep.
    ///
    /// Figures and explanations are comments, each on lines of its own that begin with `--`. The
    /// statements themselves do not depend on the number of rows. The text is empty without ``statements``.
    public var script: String {
        if statements.isEmpty { return "" }
        var lines = heading
        for (number, statement) in statements.enumerated() {
            if statement.phase != nil, number == 0 || statements[number - 1].phase != statement.phase {
                lines += ["", "-- Phase: \(statement.phase?.meaning ?? "")"]
            }
            lines += ["", "-- \(number + 1). \(statement)"].flatMap(Self.comment)
            if !statement.text.isEmpty { lines.append(statement.text + ";") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var heading: [String] {
        var lines = ["The statements of a migration of \(store.isFileURL ? store.lastPathComponent : "\(store)")."]
        for (number, hop) in hops.enumerated() {
            let means =
                switch hop.means {
                case .inferred: "inferred"
                case .mappingModel(let name): "mapping model \(name)"
                }
            lines.append("Hop \(number + 1): \(hop.from) → \(hop.to), \(means)")
            lines.append("  checksums \(hop.from.checksum) → \(hop.to.checksum)")
        }
        lines.append(
            "Estimate: \(rows) rows, \(Self.text(seconds: estimatedSeconds)), "
                + "\(Self.text(bytes: diskSpaceNeeded)) of disk")
        lines += locks.map { "Lock: \($0)" }
        lines += losses.map { "Loss: \($0)" }
        if statements.contains(where: { $0.kind == .program }) {
            lines.append("Not all work is in the statements: the program does the parts that are marked.")
        }
        if statements.contains(where: { $0.phase != nil }) {
            lines.append("Run a transaction again that is not given a lock in time: it waits 50 ms for each.")
        }
        lines.append(
            "A transaction can be undone until its commit. What the commit makes final has the mark 'cannot be undone'."
        )
        return lines.flatMap { Self.comment("-- \($0)") }
    }

    /// A comment, whose lines all begin with the mark of comments: names in it may have line breaks.
    private static func comment(_ text: String) -> [String] {
        text.isEmpty
            ? [""] : text.split(whereSeparator: \.isNewline).enumerated().map { $0 == 0 ? "\($1)" : "-- \($1)" }
    }
}

extension MigrationForecast.Step.Phase {
    fileprivate var meaning: String {
        switch self {
        case .names: "names"
        case .expand: "expand; programs of the older version keep working"
        case .move: "move; rows get their values, some thousands at a time, with pauses"
        case .serve: "serve; from here on the store serves both versions"
        case .contract: "contract; later, when the last program of the older version has ended"
        }
    }
}

extension MigrationForecast.Statement: CustomStringConvertible {
    /// The summary, the figures, the lock, and what cannot be undone.
    public var description: String {
        var parts = [summary]
        if kind == .check { parts.append("must find no row") }
        if kind == .program { parts.append("the program does this") }
        if isRepeated { parts.append("repeated until all rows are done") }
        if let table { parts.append("\(rows) row\(rows == 1 ? "" : "s") of \(table)") }
        if seconds > 0 { parts.append("about \(MigrationForecast.text(seconds: seconds))") }
        if let lock { parts.append("\(lock)") }
        if let loss { parts.append("cannot be undone: \(loss)") }
        return parts.joined(separator: "; ")
    }
}

extension MigrationForecast {
    /// Gives the statement that takes the lock of a migration in place the lock with its time.
    ///
    /// - Parameter file: The file that is locked; nil for tables, whose locks the forecast has.
    mutating func setLock(of file: URL? = nil) {
        guard let place = statements.firstIndex(where: { $0.kind == .transaction && $0.lock != nil })
        else { return }
        statements[place].lock =
            file.map { Lock(tables: [$0.lastPathComponent], isExclusive: false, seconds: estimatedSeconds) }
            ?? locks.first
    }
}
