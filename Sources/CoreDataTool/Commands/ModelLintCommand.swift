import CoreData
import Foundation
import MigrationTestKit

/// `coredata model lint`: the parts of a model that may cause faults.
package struct ModelLintCommand: Command {
    package static let page = CommandPage(
        "model lint", "find the parts of a model that may cause faults",
        operands: [.model],
        discussion: [
            "Finds values that are in the wrong place for their size, relationships without an inverse, delete "
                + "rules that leave references behind or forbid deleting, names that NSManagedObject, Swift or the "
                + "format of predicates have, keys of fetch request templates that no index begins with, optional "
                + "numbers without a default, transformable attributes without a secure transformer, derived attributes "
                + "that no store can compute, fetch indexes that stores do not have, and classes that several entities have.",
            "Where an .xcdatamodeld or .xcdatamodel says that the model, or a configuration of it, is used with "
                + "CloudKit, it also finds what CloudKit does not support: unique constraints, mandatory attributes "
                + "without a default, attributes without a type, and relationships that are mandatory, ordered, "
                + "without an inverse, with the delete rule 'deny', or that lead to another configuration.",
            "Of a source it also finds what a reader passes over: unknown elements and attributes, and values that do "
                + "not fit.",
            "'coredata lint STORE' measures the values of a store.",
        ],
        options: [.version, .json],
        examples: [
            .init("coredata model lint Library.xcdatamodeld", "check the current version"),
            .init(
                "coredata model lint Library.momd --json | jq '.[].rule'", "the rules that were broken, for a script"),
        ],
        found: "something was found")

    private let path: String
    private let version: String?
    private let isJSON: Bool

    package init(_ arguments: Arguments) throws {
        path = try arguments.required(0)
        version = arguments.value("version")
        isJSON = arguments.has(.json)
    }

    package func run(_ console: Console) throws -> ExitStatus {
        // The warnings are findings here, and need not be on the standard error stream as well. Those about the bundle
        // are posted whenever it is read; a version that was read before has none.
        let ofBundle = Locked<[ModelWarning]>([])
        let subject = try ModelWarning.taken(by: { warning in
            if warning.file.hasSuffix(".xccurrentversion") { ofBundle.withLock { $0 = [warning] } }
        }) { try ModelSubject(path, version: version) }
        let warnings = try ofBundle.withLock { $0 } + ModelSourceFile.warnings(of: path, subject.version)
        let source = try ModelSourceFile.source(of: path, subject.version)
        let findings = ModelLint.findings(
            in: subject.model, mirrored: source.map { CloudKitUse(in: $0) } ?? CloudKitUse(), besides: warnings)
        func line(of finding: ModelLint.Finding) -> Int? { source.flatMap { finding.element(in: $0) }?.line }
        if isJSON {
            try console.write(
                .array(
                    warnings.map { warning in
                        .object([
                            ("rule", .string("source")), ("entity", .null), ("property", .null),
                            ("message", .string(warning.text)), ("file", .string(warning.file)),
                            ("line", .optional(warning.line)), ("column", .optional(warning.column)),
                        ])
                    }
                        + findings.map { finding in
                            .object([
                                ("rule", .string(finding.rule.rawValue)), ("entity", .string(finding.entity)),
                                ("property", finding.property.map { .string($0) } ?? .null),
                                ("message", .string(finding.message)), ("line", .optional(line(of: finding))),
                            ])
                        }))
        } else if findings.isEmpty, warnings.isEmpty {
            try console.line(Table.onOneLine("\(subject.title): nothing to say"))
        } else {
            try console.line(console.styled(Table.onOneLine("\(subject.title):"), .bold))
            for warning in warnings {
                let file =
                    warning.file.hasSuffix("/contents")
                    ? "" : URL(fileURLWithPath: warning.file).lastPathComponent + ", "
                try console.line("  " + Table.onOneLine("\(file)line \(warning.line): \(warning.text)"))
            }
            for finding in findings {
                let start = line(of: finding).map { "line \($0): " } ?? ""
                try console.line("  " + Table.onOneLine("\(start)\(finding.place): \(finding.message)"))
            }
        }
        return findings.isEmpty && warnings.isEmpty ? .done : .found
    }
}
