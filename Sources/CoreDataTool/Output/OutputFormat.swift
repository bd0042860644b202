/// The format of printed rows.
package enum OutputFormat: String, CaseIterable, Sendable {
    case table, json, ndjson, csv

    package static let option = Option(
        "format", letter: "f", value: "FORMAT", completion: .words(allCases.map(\.rawValue)),
        "table (the default), json, ndjson (one object a line) or csv")

    /// The format by the options `--format` and `--json`.
    package init(_ arguments: Arguments) throws {
        let format = try arguments.choice("format", OutputFormat.self)
        if arguments.has(.json), let format, format != .json, format != .ndjson {
            throw arguments.misuse("'--json' and '--format \(format.rawValue)' exclude each other")
        }
        self = format ?? (arguments.has(.json) ? .json : .table)
    }

    var isJSON: Bool { self == .json || self == .ndjson }
}
