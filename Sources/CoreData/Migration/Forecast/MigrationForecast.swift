import Foundation

/// What a migration would do to a store, before anything is done: the hops, their steps, the cost, and what stands in
/// the way.
///
/// An addition to Apple's API. It is a plain value, made by `NSPersistentStoreCoordinator.migrationForecast`, and
/// prints as a report for people.
public struct MigrationForecast: Sendable, Equatable {
    /// A version of a model.
    public struct Version: Sendable, Equatable {
        /// What the model's developers call it (`versionIdentifiers`), sorted; empty when they gave it no name.
        public var identifiers: [String]
        /// The checksum of all its entities' version hashes (`versionChecksum`).
        public var checksum: String
    }

    /// One step of a hop.
    public struct Step: Sendable, Equatable {
        /// How the cost of a step grows.
        public enum Kind: String, Sendable {
            /// The same time for any number of rows.
            case instant
            /// Rows are read; none is written.
            case scan
            /// Rows of one table are written.
            case rewrite
            /// Code of the program's own runs for each row.
            case custom
        }

        public var kind: Kind
        /// What is done, in SQL's terms.
        public var summary: String
        /// The table whose rows it goes through; nil for an instant step.
        public var table: String?
        /// About how many rows it goes through.
        public var rows: Int
        /// About how many bytes it writes.
        public var bytes: Int64
        /// About how long it takes on this machine, in seconds.
        public var seconds: Double
        /// The part of a migration beside other programs that the step belongs to; nil of one that waits for them.
        public var phase: Phase?

        /// The parts of a migration beside other programs.
        public enum Phase: String, Sendable {
            /// Only what things are called changes.
            case names
            /// Something is added, by locks of some milliseconds.
            case expand
            /// Rows get their values, some thousands at a time.
            case move
            /// From now on the store serves both versions.
            case serve
            /// What only the older version needs is removed, when its last program has gone and some time has passed.
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

    /// The way from one version to another.
    public struct Hop: Sendable, Equatable {
        /// Where the mapping between the two versions comes from.
        public enum Means: Sendable, Equatable {
            /// It is inferred; SQLite does the work in place.
            case inferred
            /// A mapping model; the store is copied. The text names it.
            case mappingModel(String)
        }

        public var from: Version
        public var to: Version
        public var means: Means
        public var steps: [Step]

        /// Whether the hop takes the same time for any number of rows.
        public var isInstant: Bool { steps.allSatisfy { $0.kind == .instant } }
    }

    /// What others cannot do in the database meanwhile. Processes that have the store open as the older version keep
    /// the migration waiting; locks are about other programs, and about those that open the store.
    public struct Lock: Sendable, Equatable {
        /// The tables, as the database calls them.
        public var tables: [String]
        /// Whether nobody reads them either.
        public var isExclusive: Bool
        /// About how long it is held, in seconds.
        public var seconds: Double

        package init(tables: [String], isExclusive: Bool, seconds: Double) {
            self.tables = tables
            self.isExclusive = isExclusive
            self.seconds = seconds
        }
    }

    /// Something that makes the migration impossible.
    public struct Obstacle: Sendable, Equatable {
        /// The entity it is about; nil when it is about the whole store.
        public var entity: String?
        /// The property it is about; nil when it is about the whole entity.
        public var property: String?
        /// What is wrong: what the two versions say about it.
        public var reason: String
        /// What would make it possible: a renaming identifier, a default value, a mapping model.
        public var help: String
    }

    /// The store's main file.
    public var store: URL
    /// Whether the store was made with another version of the model.
    public var isMigrationRequired: Bool
    /// The way to the model's version; empty when no migration is required or none is possible.
    public var hops: [Hop] = []
    /// What stands in the way; empty when the migration is possible, as far as some milliseconds tell: of what has to
    /// be searched for in many rows (values that do not fit, duplicates of a new uniqueness constraint), of rows that
    /// an earlier hop or the program's own code makes, and of a copy's verification only the migration knows. Its steps
    /// name these checks.
    public var obstacles: [Obstacle] = []
    /// What the store holds that the model's version has no place for, whether it may go or not; one that may not is an
    /// obstacle, too. What a policy or a stage's code makes of it only they know.
    public var losses: [MigrationLoss] = []
    /// The locks that it takes in a database, in their order. Empty for a store in files: nobody else uses it then.
    public var locks: [Lock] = []
    /// About how many bytes must be free on the volume of the store while the migration runs.
    public var diskSpaceNeeded: Int64 = 0
    /// How many bytes are free there; nil when the volume does not say.
    public var diskSpaceAvailable: Int64?
    /// About how long it takes, from a calibration of this machine's temporary folder, in seconds. The commit is
    /// counted as one of little data: a disk that is slower comes on top.
    public var estimatedSeconds: Double = 0

    /// Whether there is a way to the model's version (or none is needed).
    public var isPossible: Bool { obstacles.isEmpty }
    /// Whether the migration takes the same time for any number of rows.
    public var isInstant: Bool { isPossible && hops.allSatisfy(\.isInstant) }
    /// Whether enough of the volume is free; true when the volume does not say.
    public var hasDiskSpace: Bool { diskSpaceAvailable.map { $0 >= diskSpaceNeeded } ?? true }
    /// About how many rows are gone through, over all steps.
    public var rows: Int { hops.flatMap(\.steps).reduce(0) { $0 + $1.rows } }
    /// About how many bytes are written, over all steps.
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
    /// Kind, what is done, rows and bytes.
    public var description: String {
        let kind =
            phase.map { "\($0.rawValue): " } ?? self.kind.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
        guard self.kind != .instant else { return kind + summary }
        let size = bytes > 0 ? ", \(MigrationForecast.text(bytes: bytes))" : ""
        return "\(kind)\(summary) (\(rows) row\(rows == 1 ? "" : "s")\(size))"
    }
}

extension MigrationForecast.Lock: CustomStringConvertible {
    /// Who waits for what, and how long.
    public var description: String {
        "locks \(tables.joined(separator: ", ")) against \(isExclusive ? "everybody" : "writers") for about "
            + MigrationForecast.text(seconds: seconds)
    }
}

extension MigrationForecast.Obstacle: CustomStringConvertible {
    /// What is wrong and what helps.
    public var description: String { help.isEmpty || reason.hasSuffix(help) ? reason : "\(reason) \(help)" }
}

extension MigrationForecast: CustomStringConvertible {
    /// A report of several lines: the verdict, then every hop with its steps, or every obstacle.
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
        lines += locks.map { "  \($0)" }
        return lines.joined(separator: "\n")
    }

    private var verdict: String {
        let time = isInstant ? "instant at any size" : "about \(Self.text(seconds: estimatedSeconds)), \(passes)"
        let free = diskSpaceAvailable.map { ", \(Self.text(bytes: $0)) are free" } ?? ""
        return "\(time); needs \(Self.text(bytes: diskSpaceNeeded)) of disk\(free)\(hasDiskSpace ? "" : ": too little")"
    }

    /// The rows that are gone through, and of which tables: a table counts once for each step that goes through it.
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
