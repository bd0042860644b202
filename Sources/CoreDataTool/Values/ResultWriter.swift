import CoreData
import Foundation

/// Writes objects, one after the other, in the format that was asked for.
struct ResultWriter {
    private let format: FetchCommand.Format
    private let columns: [Column]
    private let depth: Int
    private let console: Console
    private var table: Table
    private var isFirst = true

    init(_ format: FetchCommand.Format, _ columns: [Column], depth: Int, on console: Console) {
        self.format = format
        self.columns = columns
        self.depth = depth
        self.console = console
        table = Table(columns.map { .init($0.title, isNumber: $0.isNumber) }, on: console)
    }

    func begin() throws {
        switch format {
        case .json: try console.write("[")
        case .csv: try console.line(columns.map { Self.csv($0.title) }.joined(separator: ","))
        case .table, .ndjson: break
        }
    }

    mutating func add(_ object: NSManagedObject) throws {
        switch format {
        case .table:
            try table.add(columns.map { ValueText.text($0.value(of: object), $0.content) })
        case .csv:
            try console.line(columns.map { Self.csv(plain($0.value(of: object), $0.content)) }.joined(separator: ","))
        case .json, .ndjson:
            if format == .json { try console.write(isFirst ? "\n" : ",\n") }
            isFirst = false
            try console.append { bytes in
                bytes.append(UInt8(ascii: "{"))
                for (place, column) in columns.enumerated() {
                    if place > 0 { bytes.append(UInt8(ascii: ",")) }
                    JSON.append(column.title, to: &bytes)
                    bytes.append(UInt8(ascii: ":"))
                    append(column, of: object, to: &bytes)
                }
                bytes.append(UInt8(ascii: "}"))
            }
            if format == .ndjson { try console.line() }
        }
    }

    mutating func end() throws {
        switch format {
        case .table: try table.finish()
        case .json: try console.line(isFirst ? "]" : "\n]")
        case .csv, .ndjson: break
        }
    }

    /// Appends a value as JSON; the kinds that are frequent without a detour.
    private func append(_ column: Column, of object: NSManagedObject, to bytes: inout [UInt8]) {
        let value = column.value(of: object)
        switch value {
        case nil: bytes.append(contentsOf: "null".utf8)
        case let text as String: JSON.append(text, to: &bytes)
        case let date as Date:
            bytes.append(UInt8(ascii: "\""))
            DateText.append(date.timeIntervalSinceReferenceDate, to: &bytes)
            bytes.append(UInt8(ascii: "\""))
        default:
            let json = depth > 0 ? nested(value, column.content) : nil
            (json ?? ValueText.json(value, column.content)).append(to: &bytes)
        }
    }

    /// Related objects as objects; nil where the value is none.
    private func nested(_ value: Any?, _ content: Column.Content) -> JSON? {
        switch content {
        case .object:
            (value as? NSManagedObject).map { ObjectJSON.of($0, depth: depth - 1) }
        case .objects:
            .array(Column.members(value).map { ObjectJSON.of($0, depth: depth - 1) })
        default: nil
        }
    }

    /// A value as a cell of CSV: bytes in base 64.
    private func plain(_ value: Any?, _ content: Column.Content) -> String {
        (value as? Data)?.base64EncodedString() ?? ValueText.text(value, content)
    }

    private static func csv(_ text: String) -> String {
        guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
        return "\"\(text.replacingOccurrences(of: "\"", with: "\"\""))\""
    }
}

/// An object as JSON: its id, its attributes, and its relationships as deep as asked for.
package enum ObjectJSON {
    package static func of(_ object: NSManagedObject, depth: Int) -> JSON {
        var members: [(String, JSON)] = [("@id", .string(ObjectName.of(object.objectID)))]
        for property in object.entity.properties where !property.isTransient {
            if let attribute = property as? NSAttributeDescription {
                let value = object.value(forKey: attribute.name)
                members.append((attribute.name, value.map { ValueText.json($0, attribute) } ?? .null))
            } else if let relationship = property as? NSRelationshipDescription {
                if relationship.isToMany, depth == 0 { continue }
                let related = Column.members(object.value(forKey: relationship.name))
                    .map { depth > 0 ? of($0, depth: depth - 1) : .string(ObjectName.of($0.objectID)) }
                members.append((relationship.name, relationship.isToMany ? .array(related) : related.first ?? .null))
            }
        }
        return .object(members)
    }
}
