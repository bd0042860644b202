import CoreData
import CoreDataManager
import Foundation

/// `coredata lint`: the values of a model or a store that are in the wrong place for their size.
package struct LintCommand: Command {
    package static let page = CommandPage(
        "lint", "find values in the wrong place for their size",
        operands: [Operand("PATH", completion: .file)],
        discussion: [
            "Finds values that are too large for their place: over 100 KB in a row with other values, over 1 MB in a "
                + "table of their own without external storage. PATH is a model (.xcdatamodeld, .xcdatamodel, .momd, .mom) or a "
                + "store, which is opened read-only."
        ],
        options: [
            .model, Option("sample", value: "N", "check N objects of each entity instead of all"), .json,
        ],
        examples: [
            .init("coredata lint Library.sqlite", "measure every value of a store"),
            .init("coredata lint Library.xcdatamodeld", "check what a model allows"),
        ],
        found: "something was found")

    private let path: String
    private let model: String?
    private let isJSON: Bool
    private var lint = ValueSizeLint()

    package init(_ arguments: Arguments) throws {
        path = try arguments.required(0)
        model = arguments.value("model")
        isJSON = arguments.has(.json)
        lint.sampleLimit = try arguments.number("sample", atLeast: 1)
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let report: ValueSizeLint.Report
        if ModelArgument.isModel(path) {
            let url = try ModelArgument.url(path)
            report = lint.check(model: try ModelArgument(path).model, named: url.lastPathComponent)
        } else {
            let store = try ResolvedStore(path, model: model)
            do {
                report = try lint.check(storeAt: store.url, model: store.model)
            } catch {
                throw ToolError(error, at: store.shown)
            }
        }
        if isJSON {
            try console.write(
                .array(
                    report.findings.map { finding in
                        .object([
                            ("entity", .string(finding.entity)), ("attribute", .string(finding.attribute)),
                            ("remedy", .string(finding.remedy.rawValue)),
                            ("largest", finding.largest.map { .integer(Int64($0)) } ?? .null),
                            ("count", finding.count.map { .integer(Int64($0)) } ?? .null),
                        ])
                    }))
        } else {
            try console.line("\(report)")
        }
        return report.findings.isEmpty ? .done : .found
    }
}
