import CoreData
import Foundation

/// `coredata model diff`: the differences between two models, and the migration between them.
package struct ModelDiffCommand: Command {
    package static let page = CommandPage(
        "model diff", "say entity by entity what differs between two models, and what a migration would do",
        operands: [.model, Operand("OTHER", .optional, completion: .file)],
        discussion: [
            "Compares two versions of one bundle (--from and --to; without them the one before the current version, "
                + "and the current one), or MODEL with OTHER. Either may also be a store, whose model is then "
                + "compared.",
            "Below the differences stands what a migration of a store would do: steps that take the same time for "
                + "any number of rows, those that read or write rows, and what cannot be inferred, with what would "
                + "help.",
        ],
        options: [
            Option("from", value: "NAME", "the older version; with OTHER, a version of MODEL"),
            Option("to", value: "NAME", "the newer version; with OTHER, a version of OTHER"), .json,
        ],
        examples: [
            .init(
                "coredata model diff Library.xcdatamodeld --from Library --to 'Library 2'", "two versions of a bundle"),
            .init("coredata model diff Library.sqlite Library.momd", "what a program's model changes in a store"),
        ],
        found: "the models differ")

    private let older: String
    private let newer: String
    private let from: String?
    private let to: String?
    private let isJSON: Bool

    package init(_ arguments: Arguments) throws {
        older = try arguments.required(0)
        newer = arguments.operand(1) ?? older
        from = arguments.value("from")
        to = arguments.value("to")
        isJSON = arguments.has(.json)
        if arguments.operand(1) == nil, !ModelArgument.isModel(older) { throw arguments.misuse("OTHER is missing") }
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let (old, new) = try subjects()
        let difference = ModelDifference(from: old, to: new)
        let comparison = difference.comparison
        if comparison.isEmpty {
            isJSON
                ? try console.write(difference.json)
                : try console.line(Table.onOneLine("\(old.title) and \(new.title) are equal"))
            return .done
        }
        if isJSON {
            try console.write(difference.json)
        } else {
            try console.line(console.styled(Table.onOneLine(Self.title(old, new)), .bold))
            try show(comparison, difference.forecast, console)
            try show(
                difference.forecast, failure: difference.failure, versions: old.versions + new.versions,
                hints: hints(comparison), to: console)
        }
        return .found
    }

    private func subjects() throws -> (ModelSubject, ModelSubject) {
        if older != newer || from != nil { return (try .init(older, version: from), try .init(newer, version: to)) }
        let new = try ModelSubject(newer, version: to)
        guard let place = new.versions.firstIndex(where: { $0.name == new.version }), place > 0 else {
            throw ToolError(
                .usage, "\(older) has no version before '\(new.version ?? "")'",
                details: ["Name two versions, --from and --to, or a second model."])
        }
        return (try ModelSubject(older, version: new.versions[place - 1].name), new)
    }

    // MARK: Text

    private static func title(_ old: ModelSubject, _ new: ModelSubject) -> String {
        old.shown == new.shown ? "\(old.shown): '\(old.name)' → '\(new.name)'" : "\(old.title) → \(new.title)"
    }

    private static func style(_ kind: ModelComparison.Kind) -> Console.Style {
        switch kind {
        case .added: .green
        case .removed: .red
        case .renamed: .blue
        case .changed: .yellow
        }
    }

    private func show(
        _ comparison: ModelComparison, _ forecast: MigrationForecast?, _ console: Console
    ) throws {
        for entity in comparison.entities {
            try console.line()
            let was = entity.oldName.map { " (was \($0))" } ?? ""
            let note =
                entity.hasSameHash
                ? " (stores stay as they are)"
                : entity.kind == .changed && entity.changes.isEmpty ? " (by what its relationships lead to)" : ""
            try console.line(
                console.styled(
                    Table.onOneLine("\(entity.kind.mark) entity \(entity.name)\(was)"), Self.style(entity.kind))
                    + note)
            try show(entity.changes, console)
            for obstacle in forecast?.obstacles ?? []
            where obstacle.entity == entity.name || obstacle.entity == entity.oldName {
                try console.line(
                    console.styled(Table.onOneLine("  ! \(obstacle.description)"), .red))
            }
        }
        if !comparison.changes.isEmpty {
            try console.line()
            try console.line("The model")
            try show(comparison.changes, console)
        }
    }

    private func show(_ changes: [ModelComparison.Change], _ console: Console) throws {
        for change in changes {
            try console.line(
                console.styled(Table.onOneLine("  \(change.kind.mark) \(change.text)"), Self.style(change.kind)))
        }
    }

    private func show(
        _ forecast: MigrationForecast?, failure: String?, versions: [ManagedModelVersion], hints: [String],
        to console: Console
    ) throws {
        try console.line()
        guard let forecast else {
            return try console.line(
                Table.onOneLine("A migration cannot be foretold: \(failure ?? "")"))
        }
        guard forecast.isMigrationRequired else {
            return try console.line("No migration: a store of the one opens with the other.")
        }
        guard forecast.isPossible else {
            try console.line(console.styled("A migration cannot be inferred:", .red))
            for obstacle in forecast.obstacles { try console.line(Table.onOneLine("  \(obstacle.description)")) }
            for hint in hints { try console.line(Table.onOneLine("  \(hint)")) }
            return
        }
        try console.line(
            "A migration is "
                + (forecast.isInstant ? "instant at any size." : "possible; its time grows with the number of rows."))
        try ForecastText(forecast, versions: versions).writeHops(console, figures: false)
        for hint in hints { try console.line(Table.onOneLine(hint)) }
    }

    /// Hints about entities and properties that may have been renamed without a renaming identifier. Their values would
    /// be lost.
    private func hints(_ comparison: ModelComparison) -> [String] {
        var hints: [String] = []
        for entity in comparison.entities {
            func properties(_ kind: ModelComparison.Kind, _ text: (ModelComparison.Change) -> String?) -> [(
                name: String, text: String
            )] {
                entity.changes.filter { $0.kind == kind && $0.aspect == nil }.compactMap { change in
                    guard let name = change.property, let text = text(change) else { return nil }
                    return (name, text.replacingOccurrences(of: ", optional", with: ""))
                }
            }
            let added = properties(.added) { $0.after }
            for removed in properties(.removed, { $0.before }) {
                let alike = added.filter { $0.text == removed.text }
                guard alike.count == 1 else { continue }
                hints.append(
                    "If '\(entity.name).\(alike[0].name)' is what '\(removed.name)' was, give it the renaming "
                        + "identifier "
                        + "'\(removed.name)': as it is, the values go.")
            }
        }
        return hints
    }
}
