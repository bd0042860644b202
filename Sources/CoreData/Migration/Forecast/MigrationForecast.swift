import Foundation

/// A report of the effects and the cost of a migration, made before the store changes.
///
/// OpenCoreData only. It has the hops, their steps, the cost, and the obstacles.
/// `migrationForecast(forPersistentStoreAt:to:configuration:through:options:)` of ``NSPersistentStoreCoordinator``
/// makes one. Its `description` is a report to print.
public struct MigrationForecast: Sendable, Equatable {
    /// A version of a model.
    public struct Version: Sendable, Equatable {
        /// The names that the model's developers gave to the version (`versionIdentifiers`), sorted. Empty without a
        /// name.
        public var identifiers: [String]
        /// The checksum of the version hashes of all entities: ``NSManagedObjectModel/versionChecksum``.
        public var checksum: String
    }

    /// One step of a hop.
    public struct Step: Sendable, Equatable {
        /// The way in which the cost of a step grows.
        public enum Kind: String, Sendable {
            /// The step takes the same time for any number of rows.
            case instant
            /// The step reads rows, and writes none.
            case scan
            /// The step writes rows of one table.
            case rewrite
            /// Code of the program runs for each row.
            case custom
        }

        /// The way in which the cost grows.
        public var kind: Kind
        /// A description of the step in terms of SQL.
        public var summary: String
        /// The table whose rows the step reads or writes; nil for an instant step.
        public var table: String?
        /// The approximate number of rows that the step reads or writes.
        public var rows: Int
        /// The approximate number of bytes that the step writes.
        public var bytes: Int64
        /// The approximate time that the step takes on this machine, in seconds.
        public var seconds: Double
        /// The part that the step belongs to, in a migration that runs beside other programs. Nil in a migration that
        /// waits for them.
        public var phase: Phase?

        /// The parts of a migration that runs beside other programs.
        public enum Phase: String, Sendable {
            /// Only names change.
            case names
            /// Columns and tables are added, under locks of some milliseconds.
            case expand
            /// Rows get their values, some thousands at a time.
            case move
            /// From here on the store serves both versions.
            case serve
            /// Columns and tables of the older version are removed, some time after its last program has ended.
            case contract
        }

        package init(
            kind: Kind, summary: String, table: String?, rows: Int, bytes: Int64, seconds: Double, phase: Phase? = nil
        ) {
            self.kind = kind
            self.summary = summary
            self.table = table
            self.rows = rows
            self.bytes = bytes
            self.seconds = seconds
            self.phase = phase
        }
    }

    /// The step from one version to the next.
    public struct Hop: Sendable, Equatable {
        /// The origin of the mapping between the two versions.
        public enum Means: Sendable, Equatable {
            /// The mapping is inferred. The database of the store migrates it in place.
            case inferred
            /// The mapping is a mapping model, which the text names. The store is copied.
            case mappingModel(String)
        }

        /// The version at the beginning of the hop.
        public var from: Version
        /// The version at the end of the hop.
        public var to: Version
        /// The origin of the mapping.
        public var means: Means
        /// The steps, in their order.
        public var steps: [Step]

        /// Whether the hop takes the same time for any number of rows.
        public var isInstant: Bool { steps.allSatisfy { $0.kind == .instant } }
    }

    /// A lock on tables of a database, which keeps other programs waiting.
    ///
    /// It concerns other programs, and programs that open the store. Processes that have the store open as the older
    /// version keep the migration itself waiting.
    public struct Lock: Sendable, Equatable {
        /// The names of the tables in the database.
        public var tables: [String]
        /// Whether other programs cannot read the tables either.
        public var isExclusive: Bool
        /// The approximate time that the lock is held, in seconds.
        public var seconds: Double

        package init(tables: [String], isExclusive: Bool, seconds: Double) {
            self.tables = tables
            self.isExclusive = isExclusive
            self.seconds = seconds
        }
    }

    /// An obstacle that makes the migration impossible.
    public struct Obstacle: Sendable, Equatable {
        /// The name of the entity; nil if the obstacle concerns the whole store.
        public var entity: String?
        /// The name of the property; nil if the obstacle concerns the whole entity.
        public var property: String?
        /// The reason, with the descriptions in both versions.
        public var reason: String
        /// A change that makes the migration possible: a renaming identifier, a default value or a mapping model.
        public var help: String
        /// The code of the error that a migration would end with; nil where it would not begin.
        package var errorCode: Int?
    }

    /// The main file of the store, or the URL of its database.
    public var store: URL
    /// Whether the store was made with another version of the model.
    public var isMigrationRequired: Bool
    /// The hops to the version of the model; empty if no migration is required, or none is possible.
    public var hops: [Hop] = []
    /// The obstacles; empty if the migration is possible, as far as the forecast finds out within milliseconds.
    ///
    /// Only the migration itself finds some obstacles. These are values that do not fit and duplicates of a new
    /// uniqueness constraint in large tables, problems of rows that an earlier hop or the program's code makes, and
    /// errors of a copy's verification. The steps name these checks.
    public var obstacles: [Obstacle] = []
    /// The content that the model's version has no place for, allowed or not.
    ///
    /// A loss that is not allowed is an obstacle, too. A policy or the handler of a stage may keep the content
    /// elsewhere. The forecast cannot find that out.
    public var losses: [MigrationLoss] = []
    /// The facts of CloudKit's tables in a SQLite store; nil if CloudKit does not mirror it.
    ///
    /// A change of an entity that this account names is an obstacle, unless ``NSMigrationIgnoresCloudKitOption`` is
    /// set.
    public var mirror: StoreInspection.CloudMirror?
    /// The locks that the migration takes in a database, in their order. Empty for a store in files, which no other
    /// process can use during a migration.
    public var locks: [Lock] = []
    /// The statements of a migration in place, in their order. Empty without ``NSMigrationForecastStatementsOption``,
    /// and for a store without SQL.
    public var statements: [Statement] = []
    /// The approximate number of bytes that must be free on the volume of the store while the migration runs.
    public var diskSpaceNeeded: Int64 = 0
    /// The number of free bytes on that volume; nil if the system gives none.
    public var diskSpaceAvailable: Int64?
    /// The approximate time of the migration in seconds.
    ///
    /// It rests on a calibration in this machine's temporary folder. A slow disk adds time for the commit.
    public var estimatedSeconds: Double = 0

    /// Whether hops lead to the model's version, or no migration is needed.
    public var isPossible: Bool { obstacles.isEmpty }
    /// Whether the migration takes the same time for any number of rows.
    public var isInstant: Bool { isPossible && hops.allSatisfy(\.isInstant) }
    /// Whether enough of the volume is free; true if the system gives no number.
    public var hasDiskSpace: Bool { diskSpaceAvailable.map { $0 >= diskSpaceNeeded } ?? true }
    /// The approximate number of rows that all steps read or write.
    public var rows: Int { hops.flatMap(\.steps).reduce(0) { $0 + $1.rows } }
    /// The approximate number of bytes that all steps write.
    public var bytes: Int64 { hops.flatMap(\.steps).reduce(0) { $0 + $1.bytes } }
}

// MARK: - Printing

extension MigrationForecast.Version: CustomStringConvertible {
    /// The identifiers, or the beginning of the checksum.
    public var description: String {
        let name = identifiers.joined(separator: ", ")
        return name.isEmpty ? "version \(checksum.prefix(8))" : "“\(name)”"
    }
}

extension MigrationForecast.Step: CustomStringConvertible {
    /// The kind, the summary, the rows and the bytes.
    public var description: String {
        let kind =
            phase.map { "\($0.rawValue): " } ?? self.kind.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
        guard self.kind != .instant else { return kind + summary }
        let size = bytes > 0 ? ", \(MigrationForecast.text(bytes: bytes))" : ""
        return "\(kind)\(summary) (\(rows) row\(rows == 1 ? "" : "s")\(size))"
    }
}

extension MigrationForecast.Lock: CustomStringConvertible {
    /// The tables, the programs that wait, and the time.
    public var description: String {
        "locks \(tables.joined(separator: ", ")) against \(isExclusive ? "readers and writers" : "writers") for about "
            + MigrationForecast.text(seconds: seconds)
    }
}

extension MigrationForecast.Obstacle: CustomStringConvertible {
    /// The reason and the help.
    public var description: String {
        if help.isEmpty || reason.hasSuffix(help) { return reason }
        // Some reasons are Apple's texts, which are not complete sentences.
        let end = reason.last.map { ".!?".contains($0) } == true ? "" : "."
        return "\(reason)\(end) \(help)"
    }
}

extension MigrationForecast: CustomStringConvertible {
    /// A report of several lines: time and disk, then every hop with its steps, or every obstacle.
    public var description: String {
        let name = "“\(store.lastPathComponent)”"
        guard isMigrationRequired else { return "\(name) needs no migration." }
        guard isPossible else {
            return (["\(name) cannot be migrated:"] + obstacles.map { "  - \($0)" }).joined(separator: "\n")
        }
        var lines = ["\(name) needs a migration: \(verdict)."]
        for (number, hop) in hops.enumerated() {
            let means =
                switch hop.means {
                case .inferred: "inferred"
                case .mappingModel(let name): "mapping model \(name)"
                }
            lines.append("  \(number + 1). \(hop.from) → \(hop.to), \(means)")
            lines += hop.steps.map { "     \($0)" }
        }
        lines += losses.map { "  loses \($0)" }
        if let mirror { lines.append("  is mirrored by CloudKit: \(mirror)") }
        lines += locks.map { "  \($0)" }
        return lines.joined(separator: "\n")
    }

    private var verdict: String {
        let time = isInstant ? "instant at any size" : "about \(Self.text(seconds: estimatedSeconds)), \(passes)"
        let free = diskSpaceAvailable.map { ", \(Self.text(bytes: $0)) are free" } ?? ""
        return "\(time); needs \(Self.text(bytes: diskSpaceNeeded)) of disk\(free)\(hasDiskSpace ? "" : ": too little")"
    }

    /// The number of rows that the steps read or write, and their tables. A table counts once for each step that reads
    /// or writes it.
    private var passes: String {
        var tables: [(name: String, rows: Int, steps: Int)] = []
        for step in hops.flatMap(\.steps) where step.rows > 0 {
            let name = step.table ?? "others"
            if let place = tables.firstIndex(where: { $0.name == name }) {
                tables[place].rows += step.rows
                tables[place].steps += 1
            } else {
                tables.append((name, step.rows, 1))
            }
        }
        let parts = tables.sorted { $0.rows > $1.rows }.map { table in
            "\(table.name) \(table.rows)" + (table.steps > 1 ? " in \(table.steps) steps" : "")
        }
        return "\(rows) rows to go through" + (parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))")
    }

    static func text(bytes: Int64) -> String {
        var value = Double(bytes)
        var unit = 0
        let units = ["B", "kB", "MB", "GB", "TB"]
        while value >= 1000, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        return (unit == 0 ? "\(bytes)" : String(format: "%.1f", value)) + " " + units[unit]
    }

    static func text(seconds: Double) -> String {
        seconds < 1
            ? "\(max(1, Int(seconds * 1000))) ms"
            : seconds < 120 ? String(format: "%.1f s", seconds) : "\(Int(seconds / 60)) min"
    }
}

extension MigrationForecast.Version {
    init(_ model: NSManagedObjectModel) {
        self.init(
            identifiers: model.versionIdentifiers.map { "\($0.base)" }.sorted(), checksum: model.versionChecksum)
    }
}
