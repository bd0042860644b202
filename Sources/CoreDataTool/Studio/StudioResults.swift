import CoreData
import Foundation
import StudioServer

/// Results that are computed of many objects, and exports.
struct StudioResults {
    let session: StudioSession

    private static let mostGroups = 1_000

    func aggregate(_ request: HTTPRequest) throws -> JSON {
        let query = try StudioQuery(request)
        let entity = try session.store.entity(query.entity)
        let computed = try request.list("values").map { text in
            let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
            guard let function = ComputedValue.Function(rawValue: parts[0]) else {
                throw StudioFailure(400, "there is no function '\(parts[0])'")
            }
            if function == .count { return ComputedValue.count }
            guard parts.count == 2 else { throw StudioFailure(400, "'\(parts[0])' needs a key") }
            return try ComputedValue(function, of: parts[1], in: entity)
        }
        if computed.isEmpty { throw StudioFailure(400, "there is nothing to compute") }
        let result = try DictionaryRequest(keys: request.list("group"), computed: computed, in: entity)
        let rows = try session.perform {
            try result.rows(session.context, session.store, try query.options, in: entity)
        }
        let cells = rows.prefix(Self.mostGroups).map { row in
            JSON.array(
                zip(row, result.columns).map { value, column in
                    value == nil ? .null : .string(StudioRows.cut(ValueText.text(value, column.content)))
                })
        }
        return .object([
            (
                "columns",
                .array(
                    result.columns.map { column in
                        .object([("title", .string(column.title)), ("isNumber", .bool(column.isNumber))])
                    })
            ),
            ("rows", .array(Array(cells))), ("isCut", .bool(rows.count > Self.mostGroups)),
        ])
    }

    /// Sends the objects while they are read, by a context of its own, so that a slow reader does not delay other
    /// requests. Unsaved changes are not included.
    func export(_ request: HTTPRequest) throws -> HTTPResponse {
        let query = try StudioQuery(request)
        let columns = try query.columns(request, in: try session.store.entity(query.entity))
        guard let format = ["csv": OutputFormat.csv, "json": .json][try request.required("format")] else {
            throw StudioFailure(400, "'format' is csv or json")
        }
        let export = try StudioExport(query, columns: columns, format: format, store: session.store)
        let name = "\(query.entity).\(format == .csv ? "csv" : "json")"
        return HTTPResponse(
            type: format == .csv ? "text/csv; charset=utf-8" : "application/json; charset=utf-8",
            headers: [("Content-Disposition", "attachment; filename*=UTF-8''\(Self.escaped(name))")],
            body: .parts { export.next() })
    }

    private static func escaped(_ name: String) -> String {
        name.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "._-")))
            ?? "export"
    }
}
