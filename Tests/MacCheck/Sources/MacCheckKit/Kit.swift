import Foundation

/// Everything that the checks need to know, and what they must find: the file `kit.json`.
package struct Kit: Codable, Equatable {
    /// What made the stores: "OpenCoreData, Linux", or "Apple's stores".
    package var maker = ""
    package var models: [ModelPart] = []
    package var stores: [StorePart] = []
    package var searches: [SearchPart] = []
    package var migrations: [MigrationPart] = []
    /// The answers of the framework that made the stores, by question.
    package var answers: [String: String] = [:]

    package init() {}

    /// The checks in the order in which they run.
    package var checks: [Check] {
        models.map { Check(.model, $0.name) } + models.filter { $0.source != nil }.map { Check(.source, $0.name) }
            + stores.map { Check(.read, $0.name) }
            + searches.map { Check(.search, $0.name) }
            + stores.filter { $0.saves != nil }.map { Check(.write, $0.name) }
            + migrations.map { Check(.migrate, $0.name) } + answers.keys.sorted().map { Check(.question, $0) }
    }
}

/// A compiled version of a model.
package struct ModelPart: Codable, Equatable {
    package var name: String
    /// The `.mom`, from the folder of the kit on.
    package var file: String
    /// Its `.xcdatamodeld`, which Xcode compiles for comparison.
    package var source: String?
    /// Its description (`ModelText`).
    package var lines: [String] = []

    package init(name: String, file: String, source: String? = nil) {
        self.name = name
        self.file = file
        self.source = source
    }
}

/// A store, with what is in it before and after some saves.
package struct StorePart: Codable, Equatable {
    package var name: String
    package var file: String
    package var type: String
    /// The name of its model.
    package var model: String
    package var hasHistory = false
    package var contents = Contents()
    package var history: [String]?
    /// The saves that a check does; nil if it reads alone.
    package var saves: [[Change]]?
    package var contentsAfter: Contents?
    package var historyAfter: [String]?
    /// The first column of the row of DEVIATIONS.md by which the saves may have other results.
    package var row: String?
    /// The tables, indexes and triggers of a SQLite file, which are still there after the saves.
    package var schema: [String]?

    package init(name: String, file: String, type: String, model: String) {
        self.name = name
        self.file = file
        self.type = type
        self.model = model
    }
}

/// A fetch whose result is known.
package struct SearchPart: Codable, Equatable {
    package var name: String
    package var store: String
    package var entity: String
    package var predicate: String
    /// Keys, with "-" before those that descend.
    package var order: [String]
    package var lines: [String] = []

    package init(name: String, store: String, entity: String, predicate: String, order: [String]) {
        self.name = name
        self.store = store
        self.entity = entity
        self.predicate = predicate
        self.order = order
    }
}

/// A migration of a copy of a store to another version of its model.
package struct MigrationPart: Codable, Equatable {
    package enum Kind: String, Codable, Sendable { case lightweight, mapping, staged }

    package var name: String
    package var store: String
    package var kind: Kind
    /// The name of the model to which the store is migrated.
    package var model: String
    /// The `.cdm`, for a migration by a mapping model. Nil stands for the inferred one.
    package var mapping: String?
    package var contents = Contents()

    package init(name: String, store: String, kind: Kind, model: String, mapping: String? = nil) {
        self.name = name
        self.store = store
        self.kind = kind
        self.model = model
        self.mapping = mapping
    }
}

/// One thing that a process of its own does.
package struct Check: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable { case model, source, read, search, write, migrate, question }

    package let kind: Kind
    package let name: String

    package init(_ kind: Kind, _ name: String) {
        self.kind = kind
        self.name = name
    }

    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2, let kind = Kind(rawValue: parts[0]) else { return nil }
        self.init(kind, parts[1])
    }

    package var description: String { "\(kind.rawValue)/\(name)" }
}

/// What a check has found.
package struct Finding: Codable, Equatable {
    package enum Outcome: String, Codable, Sendable { case done, error, stopped }
    /// What ended the process.
    package enum Stop: String, Codable, Sendable { case exception, fatalError, timeLimit, other }

    package var outcome = Outcome.done
    /// What ended the process; nil in reports of earlier kits, and if nothing did.
    package var stop: Stop?
    /// The error, or what the process printed before it stopped.
    package var text: String?
    package var contents: Contents?
    /// History, a result, a description or an answer.
    package var lines: [String]?
    package var seconds: Double?

    package init(lines: [String]? = nil) { self.lines = lines }

    /// The answer to a question: the words with which the process stopped, if it did.
    package var answer: String {
        outcome == .done ? lines?.first ?? "" : "\(outcome.rawValue): \(text ?? "")"
    }
}

/// What a run has found: the file `report.json`.
package struct Report: Codable, Equatable {
    /// The system and the framework: `Platform.name`.
    package var platform = ""
    package var framework = ""
    package var maker = ""
    package var seconds = 0.0
    package var findings: [String: Finding] = [:]

    package init() {}

    /// Whether Apple's framework has made this report.
    package var isOfAMac: Bool { platform.hasPrefix("macOS") }
}

extension JSONEncoder {
    /// An encoder whose texts are equal for equal values.
    package static var stable: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
