/// What came of trials: one entry for each way that was tried. Prints as a list for people.
public struct MigrationTrialReport: Sendable, CustomStringConvertible {
    /// One way from a version to another, or one killed migration.
    public struct Entry: Sendable, CustomStringConvertible {
        /// What was tried: the names of the versions, the moment of the kill.
        public var name: String
        /// How many rows of the older version were there, in all.
        public var rows = 0
        /// Why there is no way, when the migration was refused; the store was as before then.
        public var refusal: String?
        /// What went wrong. Empty when everything was as it should be.
        public var problems: [String] = []

        /// Whether the newer version was reached, with everything as it should be.
        public var isGood: Bool { problems.isEmpty && refusal == nil }

        public var description: String {
            var text =
                "\(problems.isEmpty ? (refusal == nil ? "ok     " : "refused") : "FAILED ") \(name), \(rows) rows"
            if let refusal { text += "\n          \(refusal)" }
            for problem in problems { text += "\n          \(problem)" }
            return text
        }
    }

    /// The entries, in the order in which they were tried.
    public var entries: [Entry]

    /// A report of these entries.
    public init(_ entries: [Entry] = []) { self.entries = entries }

    /// Whether nothing went wrong. A migration that is refused is nothing wrong in itself.
    public var isClean: Bool { entries.allSatisfy(\.problems.isEmpty) }
    /// The entries in which something went wrong.
    public var failures: [Entry] { entries.filter { !$0.problems.isEmpty } }
    /// The names of the ways that were refused.
    public var refused: [String] { entries.filter { $0.refusal != nil }.map(\.name) }

    public var description: String {
        let good = entries.filter(\.isGood).count
        return
            (["\(entries.count) tried, \(good) ok, \(refused.count) refused, \(failures.count) failed"]
            + entries.map(\.description)).joined(separator: "\n")
    }
}
