/// What came of trials: one entry for each way that was tried. Prints as a list for people.
public struct MigrationTrialReport: Sendable, CustomStringConvertible {
    /// What an entry tells of.
    public enum Play: Sendable {
        /// The reading of a version from its file.
        case reading
        /// The migration of a store to a later version, directly or through others.
        case migration
        /// An older version that opens the store of a later one.
        case downgrade
        /// Two processes that launch the migration of one store at the same moment.
        case twoProcesses
        /// A process that is killed, or finds its disk full or its folder locked.
        case kill
    }

    /// One way from a version to another, or one killed migration.
    public struct Entry: Sendable, CustomStringConvertible {
        /// What was tried: the names of the versions, the moment of the kill.
        public var name: String
        /// What the entry tells of.
        public var play = Play.migration
        /// How many rows of the older version were there, in all.
        public var rows = 0
        /// Why there is no way, when the migration was refused; the store was as before then.
        public var refusal: String?
        /// Whether the refusal is as it should be: it was expected by name, or a downgrade would have lost something.
        public var isRefusalExpected = false
        /// Why nothing was tried; nil when something was.
        public var reasonNotPlayed: String?
        /// What went wrong. Empty when everything was as it should be.
        public var problems: [String] = []
        /// What is good to know, though nothing is wrong.
        public var notes: [String] = []
        /// The two versions between which the way was refused, or of the whole way.
        var step: ExpectedRefusal?

        /// Whether the newer version was reached, with everything as it should be.
        public var isGood: Bool { isClean && refusal == nil && reasonNotPlayed == nil }
        /// Whether nothing went wrong, and nothing was refused that should not have been.
        public var isClean: Bool { problems.isEmpty && (refusal == nil || isRefusalExpected) }

        /// An entry of this name.
        init(name: String, play: Play = .migration) {
            self.name = name
            self.play = play
        }

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

    /// The entries, in the order in which they were tried.
    public var entries: [Entry]

    /// A report of these entries.
    public init(_ entries: [Entry] = []) { self.entries = entries }

    /// Whether everything that was tried is as it should be: nothing went wrong, every way was gone to its end or is
    /// one whose refusal was expected, and every expected refusal happened.
    public var isClean: Bool { entries.allSatisfy(\.isClean) }
    /// The entries in which something went wrong, or that were refused though nobody expected it.
    public var failures: [Entry] { entries.filter { !$0.isClean } }
    /// The names of the migrations and downgrades that were refused, expected or not.
    public var refused: [String] { entries.filter { $0.refusal != nil }.map(\.name) }
    /// The names of what was not tried, for lack of a program or of a store.
    public var notPlayed: [String] { entries.filter { $0.reasonNotPlayed != nil }.map(\.name) }

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

    /// Marks the refusals that were expected, and says which of the expected ones did not happen.
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
