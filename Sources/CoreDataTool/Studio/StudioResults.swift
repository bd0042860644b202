import CoreData
import Foundation
import StudioServer

/// What is computed of many objects, and what is taken away as a file.
struct StudioResults {
    let session: StudioSession

    private static let mostGroups = 1_000
    private static let blockSize = 64 << 10

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

    /// Writes the objects to a file that has no name any more, and hands it out part by part.
    func export(_ request: HTTPRequest) throws -> HTTPResponse {
        let query = try StudioQuery(request)
        let columns = try query.columns(request, in: try session.store.entity(query.entity))
        guard let format = ["csv": OutputFormat.csv, "json": .json][try request.required("format")] else {
            throw StudioFailure(400, "'format' is csv or json")
        }
        let file = try UnnamedFile()
        try session.perform {
            let console = Console(output: file.descriptor)
            var writer = ResultWriter(format, columns, on: console)
            try writer.write(try session.objects(query), of: session.store, in: session.context)
            try console.flush()
        }
        let name = "\(query.entity).\(format == .csv ? "csv" : "json")"
        return HTTPResponse(
            type: format == .csv ? "text/csv; charset=utf-8" : "application/json; charset=utf-8",
            headers: [("Content-Disposition", "attachment; filename*=UTF-8''\(Self.escaped(name))")],
            body: .parts(file.parts(of: Self.blockSize)))
    }

    private static func escaped(_ name: String) -> String {
        name.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "._-")))
            ?? "export"
    }
}

/// A temporary file that goes with its last reader.
private final class UnnamedFile: Sendable {
    let descriptor: Int32

    init() throws {
        let folder = FileManager.default.temporaryDirectory.path
        var path = Array("\(folder)/coredata-XXXXXX".utf8CString)
        descriptor = mkstemp(&path)
        guard descriptor >= 0 else {
            throw ToolError(.failed, "\(folder): \(String(cString: strerror(errno)).lowercased())")
        }
        unlink(path)
    }

    deinit { close(descriptor) }

    /// The file from its beginning, in parts.
    func parts(of size: Int) -> @Sendable () -> Data? {
        lseek(descriptor, 0, SEEK_SET)
        return { [self] in
            var bytes = [UInt8](repeating: 0, count: size)
            let count = read(descriptor, &bytes, size)
            return count > 0 ? Data(bytes.prefix(count)) : nil
        }
    }
}
