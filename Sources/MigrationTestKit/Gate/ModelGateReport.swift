/// What a gate found in the changes of a repository's models. The description is a text to print.
public struct ModelGateReport: Sendable, CustomStringConvertible {
    /// The rules of a gate.
    public enum Rule: String, Sendable, CaseIterable {
        /// A shipped version that is not the current one was edited.
        case edited
        /// A shipped version, or a whole model, was deleted.
        case deleted
        /// A shipped version, or a model, was renamed.
        case renamed
        /// An older version became the current one.
        case setBack
        /// The current version was edited, and there is no new one.
        case unversioned
        /// A new version is not the current one.
        case notCurrent
        /// Version hashes do not show a change that stores need.
        case equalHash
        /// No mapping can be inferred, and there is no mapping model.
        case notInferred
        /// A mapping model does not fit its versions.
        case mapping
        /// No store can compute a derived attribute.
        case derivation
        /// Values have no place in the current version.
        case loss
        /// A new uniqueness constraint is over values that may be doubled.
        case unique
        /// A mandatory property has no value in older rows.
        case mandatory
        /// A new type cannot hold all values of the older one.
        case type
        /// Other rows that end a migration, such as objects of an entity that is abstract now.
        case rows
        /// The model breaks a rule of stores that CloudKit mirrors.
        case cloudKit
        /// A class in the sources does not fit the current version.
        case declarations
        /// Two branches added different versions of one name.
        case sameName
        /// A merge has left a conflict in a model.
        case conflict
        /// A model cannot be read.
        case unreadable
        /// A link leads out of the repository, so that a commit does not have the content.
        case link
    }

    /// One fault of a change.
    public struct Finding: Sendable, CustomStringConvertible {
        /// The broken rule.
        public let rule: Rule
        /// The path of the file below the root of the repository.
        public let file: String
        /// The line in the file, from 1.
        public let line: Int
        /// The name of the entity; nil if the finding concerns a whole version.
        public let entity: String?
        /// The name of the property; nil if the finding concerns a whole entity.
        public let property: String?
        /// What happens to a store in use.
        public let message: String
        /// What to do.
        public let remedy: String

        package init(
            _ rule: Rule, file: String, line: Int = 1, entity: String? = nil, property: String? = nil, message: String,
            remedy: String
        ) {
            (self.rule, self.file, self.line) = (rule, file, line)
            (self.entity, self.property, self.message, self.remedy) = (entity, property, message, remedy)
        }

        /// The entity with the property; nil without an entity.
        public var place: String? {
            entity.map { entity in property.map { "\(entity).\($0)" } ?? entity }
        }

        /// File, line, rule and message, and the remedy on a line of its own.
        public var description: String { "\(file):\(line): \(rule.rawValue): \(message)\n    \(remedy)" }
    }

    /// The way of stores from shipped versions to the current one.
    public struct Way: Sendable, CustomStringConvertible {
        /// The means of a migration.
        public enum Means: String, Sendable {
            /// The stores fit as they are.
            case none
            /// All hops are inferred, and the database does the work.
            case inPlace
            /// A mapping model takes part, so the store is copied.
            case copy
            /// No hops lead to the current version.
            case impossible
        }

        /// The path of the model.
        public let model: String
        /// The names of the versions with this way.
        public internal(set) var from: [String]
        /// The name of the current version.
        public let to: String
        /// The means of the migration.
        public let means: Means
        /// The names of the versions between, in their order.
        public let through: [String]
        /// The names of the mapping models, in their order.
        public let mappings: [String]

        /// The versions and the means in a sentence.
        public var description: String {
            let between = through.isEmpty ? "" : ", through \(Self.list(through))"
            let way: String =
                switch means {
                case .none: "no migration"
                case .inPlace: "in place\(between)"
                case .copy: "in a copy, by \(mappings.joined(separator: " and "))\(between)"
                case .impossible: "not possible"
                }
            return "\(Self.list(from)) → '\(to)': \(way)"
        }

        static func list(_ names: [String]) -> String {
            let quoted = names.map { "'\($0)'" }
            guard quoted.count > 4 else { return quoted.joined(separator: ", ") }
            return quoted.prefix(2).joined(separator: ", ") + ", … (\(quoted.count - 3) more), "
                + quoted[quoted.count - 1]
        }
    }

    /// The findings, by file and line.
    public internal(set) var findings: [Finding] = []
    /// The ways of stores to the current versions of models that changed.
    public internal(set) var ways: [Way] = []
    /// What was not compared, such as a submodule that is not checked out, and what the sources do not show.
    public internal(set) var notes: [String] = []

    init() {}

    /// Whether there are no findings.
    public var isClean: Bool { findings.isEmpty }

    /// The findings, then the ways and the notes, a line or two each.
    public var description: String {
        (findings.map(\.description) + ways.map { "\($0.model): \($0)" } + notes).joined(separator: "\n")
    }

    /// Adds findings of a check that the gate does not make itself, and puts all in order.
    package mutating func add(_ others: [Finding]) {
        findings += others
        findings.sort {
            ($0.file, $0.line, $0.rule.rawValue, $0.message) < ($1.file, $1.line, $1.rule.rawValue, $1.message)
        }
    }

    /// Adds notes of a check that the gate does not make itself.
    package mutating func add(notes others: [String]) { notes += others }

    /// Drops the findings that a caller allows: `loss`, or `loss:Book.subtitle`.
    package mutating func allow(_ allowed: Set<String>) {
        findings.removeAll { finding in
            allowed.contains(finding.rule.rawValue)
                || finding.place.map { allowed.contains("\(finding.rule.rawValue):\($0)") } ?? false
        }
    }
}
