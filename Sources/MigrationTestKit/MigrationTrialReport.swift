/// The results of trials, with an entry for each of them. The description is a list to print.
public struct MigrationTrialReport: Sendable, CustomStringConvertible {
    /// The kind of a trial.
    public enum Play: Sendable {
        /// A version was read from its file.
        case reading
        /// A store was migrated to a later version, directly or through other versions.
        case migration
        /// An older version opened the store of a later version.
        case downgrade
        /// Two processes migrated one store at the same moment.
        case twoProcesses
        /// A process was killed, or its disk was full, or its folder was write-protected.
        case kill
    }

    /// The result of one migration, or of one killed process.
    public struct Entry: Sendable, CustomStringConvertible {
        /// The name of the trial: the names of the versions, or the moment of the kill.
        public var name: String
        /// The kind of the trial.
        public var play = Play.migration
        /// The number of all rows of the older version.
        public var rows = 0
        /// The error with which the migration was refused; nil if it was not refused. The store was then as before.
        public var refusal: String?
        /// Whether the refusal is right: the trial expected it, or a downgrade would have lost content.
        public var isRefusalExpected = false
        /// The reason why the trial did not take place; nil if it did.
        public var reasonNotPlayed: String?
        /// The problems. Empty if there are none.
        public var problems: [String] = []
        /// Remarks that are no problems.
        public var notes: [String] = []
        /// The two versions between which the migration was refused, or the first and the last version of the chain.
        var step: ExpectedRefusal?

        /// Whether the newer version was reached without a problem.
        public var isGood: Bool { isClean && refusal == nil && reasonNotPlayed == nil }
        /// Whether there are no problems, and no unexpected refusal.
        public var isClean: Bool { problems.isEmpty && (refusal == nil || isRefusalExpected) }

        /// Makes an entry with a name.
        init(name: String, play: Play = .migration) {
            self.name = name
            self.play = play
        }

        /// The result with the name, and a line for each problem and remark.
        public var description: String {
            var verdict = "ok     "
            if reasonNotPlayed != nil { verdict = "not played" }
            if refusal != nil { verdict = isRefusalExpected ? "refused" : "REFUSED" }
            if !problems.isEmpty { verdict = "FAILED " }
            var text = "\(verdict) \(name)"
            if reasonNotPlayed == nil, play != .reading { text += ", \(rows) rows" }
            for line in [refusal, reasonNotPlayed].compactMap(\.self) + problems + notes {
                text += "\n          \(line)"
            }
            return text
        }
    }

    /// The entries, in the order of the trials.
    public var entries: [Entry]

    /// Makes a report.
    ///
    /// - Parameter entries: The entries.
    public init(_ entries: [Entry] = []) { self.entries = entries }

    /// Whether there are no failures: no entry has a problem, each refusal was expected, and each expected refusal
    /// happened.
    public var isClean: Bool { entries.allSatisfy(\.isClean) }
    /// The entries that have a problem, or an unexpected refusal.
    public var failures: [Entry] { entries.filter { !$0.isClean } }
    /// The names of the migrations and downgrades that were refused, expected or not.
    public var refused: [String] { entries.filter { $0.refusal != nil }.map(\.name) }
    /// The names of the trials that did not take place, because there was no program or no store.
    public var notPlayed: [String] { entries.filter { $0.reasonNotPlayed != nil }.map(\.name) }

    /// The number of entries of each result, and all entries.
    public var description: String {
        let good = entries.filter(\.isGood).count
        let expected = entries.filter { $0.isClean && $0.refusal != nil }.count
        var counts = [
            "\(entries.count - notPlayed.count) tried", "\(good) ok", "\(expected) refused as expected",
            "\(failures.count) failed",
        ]
        if !notPlayed.isEmpty { counts.append("\(notPlayed.count) not played") }
        return ([counts.joined(separator: ", ")] + entries.map(\.description)).joined(separator: "\n")
    }

    // MARK: Expectations

    /// Marks the refusals that were expected, and adds a problem for each expected one that did not happen.
    mutating func expect(_ refusals: [ExpectedRefusal]) {
        for refusal in Set(refusals).sorted(by: { ($0.older, $0.newer) < ($1.older, $1.newer) }) {
            let places = entries.indices.filter { entries[$0].step == refusal && entries[$0].play != .downgrade }
            for place in places {
                if entries[place].refusal != nil {
                    entries[place].isRefusalExpected = true
                } else if entries[place].problems.isEmpty, entries[place].play == .migration {
                    entries[place].problems.append("a refusal was expected, and the migration went through")
                }
            }
            guard places.isEmpty else { continue }
            var entry = Entry(name: "\(refusal.older) → \(refusal.newer)")
            entry.problems = ["a refusal was expected, but no such way was tried"]
            entries.append(entry)
        }
    }
}
