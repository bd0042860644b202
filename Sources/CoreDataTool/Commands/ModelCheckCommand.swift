import CoreData
import Foundation
import MigrationTestKit

/// `coredata model check`: the changes of models since a commit that harm stores in use.
package struct ModelCheckCommand: Command {
    package static let page = CommandPage(
        "model check", "find the changes of models since a commit that harm stores in use",
        operands: [Operand("MODEL", .any, completion: .file)],
        discussion: [
            "Compares the working tree of a repository of git with a commit, and writes nothing. A version of a model is "
                + "shipped if the commit has it. Without MODEL all models of the repository are compared: bundles, single "
                + "models, and descriptions of models in code (.modeldescription).",
            "Finds shipped versions that were edited, deleted or renamed, a current version that was set back, changes "
                + "without a new version, new versions that are not current, changes that a version hash does not show, "
                + "mapping models and classes that do not fit, and versions of one name in two branches.",
            "Judges the migration of each shipped version to the current one: what cannot be inferred, values that are "
                + "lost, and rows that end it, because of uniqueness constraints, mandatory properties and types. A fault "
                + "that the commit has as well is no finding.",
            "A finding begins with FILE:LINE and its rule. --allow takes the rule, or the rule with the entity or "
                + "property: 'loss:Book.subtitle'.",
        ],
        options: [
            Option("base", letter: "b", value: "REF", "the commit to compare with, such as origin/main or HEAD"),
            Option(
                "repository", value: "DIR", completion: .folder,
                "a folder of the repository; by default the current one, or that of MODEL"),
            Option("allow", value: "RULE", repeats: true, "a finding that is wanted; can be given several times"),
            .json, Option("github", "print annotations of GitHub's workflows"),
            Option("dump", "print the description of MODEL, or of a store's model, and compare nothing"),
        ],
        examples: [
            .init("coredata model check --base origin/main", "compare all models with the main branch"),
            .init(
                "coredata model check Library.xcdatamodeld --base v1.2 --allow loss:Book.subtitle",
                "compare one with a release, in which a loss is wanted"),
            .init("coredata model check --base HEAD", "before a commit, in a hook of git"),
            .init(
                "coredata model check --dump Library.sqlite > Library.modeldescription",
                "describe the model of a program that has it in code"),
        ],
        found: "something was found")

    private let paths: [String]
    private let base: String
    private let folder: String?
    private let allowed: Set<String>
    private let format: Format

    private enum Format {
        case text, json, annotations, description
    }

    package init(_ arguments: Arguments) throws {
        paths = arguments.operands
        folder = arguments.value("repository")
        allowed = Set(arguments.values("allow"))
        let formats: [(Bool, Format)] = [
            (arguments.has(.json), .json), (arguments.has("github"), .annotations),
            (arguments.has("dump"), .description),
        ]
        let chosen = formats.filter(\.0).map(\.1)
        guard chosen.count < 2 else {
            throw arguments.misuse("'--json', '--github' and '--dump' exclude each other")
        }
        format = chosen.first ?? .text
        if format == .description {
            guard paths.count == 1 else { throw arguments.misuse("'--dump' needs one MODEL") }
            guard arguments.value("base") == nil else { throw arguments.misuse("'--dump' compares with no '--base'") }
        } else if arguments.value("base") == nil {
            throw arguments.misuse("'--base' is missing: the commit to compare with, such as origin/main")
        }
        base = arguments.value("base") ?? ""
        for rule in allowed { try Self.requireRule(rule, arguments) }
    }

    private static func requireRule(_ text: String, _ arguments: Arguments) throws {
        let name = String(text.prefix { $0 != ":" })
        let rules = ModelGateReport.Rule.allCases.map(\.rawValue)
        guard !rules.contains(name) else { return }
        throw arguments.misuse("there is no rule '\(name)'" + NearestName.hint(name, among: rules))
    }

    package func run(_ console: Console) throws -> ExitStatus {
        if format == .description {
            try console.write(description())
            return .done
        }
        let models = paths.map { URL(fileURLWithPath: $0) }
        var gate = ModelGate(repository: try repository(of: models), base: base)
        gate.models = models
        do {
            var (report, compared) = try gate.compare()
            for repository in compared {
                let policies = try PolicyFindings(in: repository)
                report.add(try DeclarationFindings.findings(in: repository) + policies.findings)
                report.add(notes: policies.notes)
            }
            report.allow(allowed)
            for note in report.notes { console.say("coredata: \(Table.onOneLine(note))") }
            try write(report, console)
            return report.isClean ? .done : .found
        } catch let error as ModelGateError {
            throw ToolError(.unreadable, error.reason, details: error.help.isEmpty ? [] : [error.help])
        }
    }

    /// The folder by which the repository is found: the current one if its repository has the first model.
    private func repository(of models: [URL]) throws -> URL {
        if let folder {
            return try ModelArgument.url(folder)
        }
        let here = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        guard let first = models.first else { return here }
        if let root = ModelGate.root(of: here), ModelGate.contains(root, first) { return here }
        // A model that is gone has left its folder, or a folder above.
        var folder = first.deletingLastPathComponent()
        while !FileManager.default.fileExists(atPath: folder.path), folder.path != "/" {
            folder.deleteLastPathComponent()
        }
        return folder
    }

    private func description() throws -> String {
        let subject = try ModelSubject(paths[0])
        let versions = subject.versions.filter { !$0.isCurrent } + subject.versions.filter(\.isCurrent)
        let named = versions.map { (name: $0.name, model: $0.model) }
        return ModelDescription.text(
            of: named.isEmpty ? [(Self.name(of: subject.model), subject.model)] : named)
    }

    private static func name(of model: NSManagedObjectModel) -> String {
        let identifiers = model.versionIdentifiers.map { "\($0.base)" }.sorted().joined(separator: ", ")
        return identifiers.isEmpty ? "1" : identifiers
    }

    // MARK: Output

    private func write(_ report: ModelGateReport, _ console: Console) throws {
        switch format {
        case .json: try console.write(Self.json(report, base: base))
        case .annotations:
            for finding in report.findings { try console.line(Self.annotation(finding)) }
        case .text, .description: try writeText(report, console)
        }
    }

    private func writeText(_ report: ModelGateReport, _ console: Console) throws {
        for finding in report.findings {
            try console.line(
                console.styled(Table.onOneLine("\(finding.file):\(finding.line): \(finding.rule.rawValue)"), .bold))
            try console.line("  " + Table.onOneLine(finding.message))
            try console.line("  " + Table.onOneLine(finding.remedy))
            try console.line()
        }
        var model: String?
        for way in report.ways {
            if way.model != model { try console.line(Table.onOneLine(way.model)) }
            model = way.model
            try console.line("  " + Table.onOneLine("\(way)"))
        }
        if model != nil { try console.line() }
        let count = report.findings.count
        try console.line(
            "Compared with '\(Table.onOneLine(base))': "
                + (count == 0 ? "no findings" : count == 1 ? "1 finding" : "\(count) findings"))
    }

    private static func json(_ report: ModelGateReport, base: String) -> JSON {
        .object([
            ("base", .string(base)),
            (
                "findings",
                .array(
                    report.findings.map { finding in
                        .object([
                            ("rule", .string(finding.rule.rawValue)), ("file", .string(finding.file)),
                            ("line", .integer(Int64(finding.line))),
                            ("entity", finding.entity.map { .string($0) } ?? .null),
                            ("property", finding.property.map { .string($0) } ?? .null),
                            ("message", .string(finding.message)), ("remedy", .string(finding.remedy)),
                        ])
                    })
            ),
            (
                "ways",
                .array(
                    report.ways.map { way in
                        .object([
                            ("model", .string(way.model)), ("from", .array(way.from.map { .string($0) })),
                            ("to", .string(way.to)), ("means", .string(way.means.rawValue)),
                            ("through", .array(way.through.map { .string($0) })),
                            ("mappings", .array(way.mappings.map { .string($0) })),
                        ])
                    })
            ),
            ("notes", .array(report.notes.map { .string($0) })),
        ])
    }

    /// A line that a workflow of GitHub shows at the place in the file.
    private static func annotation(_ finding: ModelGateReport.Finding) -> String {
        func escaped(_ text: String, _ others: [(String, String)] = []) -> String {
            ([("%", "%25"), ("\r", "%0D"), ("\n", "%0A")] + others).reduce(text) { text, pair in
                text.replacingOccurrences(of: pair.0, with: pair.1)
            }
        }
        let property = [(":", "%3A"), (",", "%2C")]
        return "::error file=\(escaped(finding.file, property)),line=\(finding.line),"
            + "title=\(escaped("Model: \(finding.rule.rawValue)", property))::"
            + escaped("\(finding.message)\n\(finding.remedy)")
    }
}
