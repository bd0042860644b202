import CoreData
import Foundation

/// Writes rows, one after the other, in the requested format.
struct ResultWriter {
    private let format: OutputFormat
    private let columns: [Column]
    private let depth: Int
    private let console: Console
    private var table: Table
    private var isFirst = true
    private var objects: ObjectLines
    /// The number of objects in a batch.
    static let batchSize = 500

    init(_ format: OutputFormat, _ columns: [Column], depth: Int = 0, on console: Console) {
        self.format = format
        self.columns = columns
        self.depth = depth
        self.console = console
        table = Table(columns.map { .init($0.title, isNumber: $0.isNumber) }, on: console)
        objects = ObjectLines(columns, depth: depth)
    }

    func begin() throws {
        switch format {
        case .json: try console.write("[")
        case .csv: try console.line(columns.map { csv($0.title) }.joined(separator: ","))
        case .table, .ndjson: break
        }
    }

    /// Adds an object, unless it turns out to be deleted when it is read.
    mutating func add(_ object: NSManagedObject) throws {
        guard format.isJSON else {
            let values = columns.map { $0.value(of: object) }
            return object.isDeleted ? () : try add(values)
        }
        var isGone = false
        try console.append { bytes in
            let start = bytes.count
            separate(&bytes)
            objects.append(object, to: &bytes)
            isGone = object.isDeleted
            if isGone {
                bytes.removeLast(bytes.count - start)
            } else if format == .ndjson {
                bytes.append(UInt8(ascii: "\n"))
            }
        }
        if !isGone { isFirst = false }
    }

    /// Adds values in the order of the columns.
    mutating func add(_ values: [Any?]) throws {
        switch format {
        case .table: try table.add(zip(values, columns).map { ValueText.text($0, $1.content) })
        case .csv:
            try console.line(zip(values, columns).map { csv(Self.plain($0, $1.content)) }.joined(separator: ","))
        case .json, .ndjson:
            let members = zip(values, columns).map { ($1.title, ValueText.json($0, $1.content)) }
            try console.append { bytes in
                separate(&bytes)
                JSON.object(members).append(to: &bytes)
                if format == .ndjson { bytes.append(UInt8(ascii: "\n")) }
            }
            isFirst = false
        }
    }

    /// Writes the rows that a body adds, or none of them if it throws.
    mutating func whole(_ body: (inout ResultWriter) throws -> Void) throws {
        try console.whole { try body(&self) }
    }

    mutating func end() throws {
        switch format {
        case .table: try table.finish()
        case .json: try console.line(isFirst ? "]" : "\n]")
        case .csv, .ndjson: break
        }
    }

    private func separate(_ bytes: inout [UInt8]) {
        guard format == .json else { return }
        bytes.append(contentsOf: (isFirst ? "\n" : ",\n").utf8)
    }

    /// A value as a cell of CSV: bytes in base 64.
    private static func plain(_ value: Any?, _ content: Column.Content) -> String {
        (value as? Data)?.base64EncodedString() ?? ValueText.text(value, content)
    }

    private func csv(_ text: String) -> String {
        // The reader is a terminal, not a program.
        let text = console.columns == nil ? text : Table.onOneLine(text)
        guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
        return "\"\(text.replacingOccurrences(of: "\"", with: "\"\""))\""
    }
}
