import CoreData
import Foundation

/// Objects as lines of JSON, fast enough for millions. Frequent values are read without boxing and written without a
/// `JSON` value in between.
struct ObjectLines {
    /// The way to read the value of a column.
    private enum Reading {
        case name
        case string, integer, boolean, double, float, date
        case reference
        case other
    }

    private let columns: [(column: Column, reading: Reading, title: [UInt8])]
    private let depth: Int
    /// The last entity, with its name as the beginning of a text of JSON.
    private var named: (entity: String, bytes: [UInt8]) = ("", [])

    init(_ columns: [Column], depth: Int) {
        self.columns = columns.enumerated().map { place, column in
            var title = [UInt8(ascii: place == 0 ? "{" : ",")]
            JSON.append(column.title, to: &title)
            title.append(UInt8(ascii: ":"))
            return (column, Self.reading(column, depth: depth), title)
        }
        self.depth = depth
    }

    private static func reading(_ column: Column, depth: Int) -> Reading {
        switch column.content {
        case .id: return .name
        case .object: return depth == 0 ? .reference : .other
        case .objects, .count: return .other
        case .attribute(let attribute):
            guard column.keys.count == 1, !attribute.isTransient else { return .other }
            switch attribute.attributeType {
            case .stringAttributeType: return .string
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: return .integer
            case .booleanAttributeType: return .boolean
            case .doubleAttributeType: return .double
            case .floatAttributeType: return .float
            case .dateAttributeType: return .date
            default: return .other
            }
        }
    }

    mutating func append(_ object: NSManagedObject, to bytes: inout [UInt8]) {
        for (column, reading, title) in columns {
            bytes.append(contentsOf: title)
            guard let owner = column.owner(of: object) else {
                Self.appendNull(&bytes)
                continue
            }
            let slot = column.slot
            switch reading {
            case .name: append(object.rowReference, or: { object.objectID }, to: &bytes)
            case .string:
                if let text = owner.string(slot) { JSON.append(text, to: &bytes) } else { Self.appendNull(&bytes) }
            case .integer:
                if let number = owner.integer(slot) {
                    JSON.append(number, to: &bytes)
                } else {
                    Self.appendNull(&bytes)
                }
            case .boolean:
                bytes.append(contentsOf: (owner.boolean(slot).map { $0 ? "true" : "false" } ?? "null").utf8)
            case .double: (owner.double(slot).map(JSON.number) ?? .null).append(to: &bytes)
            case .float: (owner.double(slot).map { ValueText.float(Float($0)) } ?? .null).append(to: &bytes)
            case .date:
                guard let date = owner.date(slot) else {
                    Self.appendNull(&bytes)
                    continue
                }
                bytes.append(UInt8(ascii: "\""))
                DateText.append(date.timeIntervalSinceReferenceDate, to: &bytes)
                bytes.append(UInt8(ascii: "\""))
            case .reference:
                append(owner.rowReference(of: slot), or: { owner.toOne(slot)?.objectID }, to: &bytes)
            case .other:
                let value = column.value(of: object)
                (nested(value, column.content) ?? ValueText.json(value, column.content)).append(to: &bytes)
            }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private static func appendNull(_ bytes: inout [UInt8]) { bytes.append(contentsOf: "null".utf8) }

    /// Appends the name of a row, or of an id if there is no row; null without either.
    private mutating func append(
        _ reference: RowReference?, or id: () -> NSManagedObjectID?, to bytes: inout [UInt8]
    ) {
        guard let reference else {
            return (id().map { .string(ObjectName.of($0)) } ?? JSON.null).append(to: &bytes)
        }
        if reference.entityName != named.entity || named.bytes.isEmpty {
            var name: [UInt8] = []
            JSON.append(reference.entityName, to: &name)
            name[name.count - 1] = UInt8(ascii: "/")
            named = (reference.entityName, name)
        }
        bytes.append(contentsOf: named.bytes)
        JSON.append(reference.number, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Related objects as objects; nil if the value has none, or names are enough.
    private func nested(_ value: Any?, _ content: Column.Content) -> JSON? {
        guard depth > 0 else { return nil }
        switch content {
        case .object: return (value as? NSManagedObject).map { ObjectJSON.of($0, depth: depth - 1) }
        case .objects: return .array(Column.members(value).map { ObjectJSON.of($0, depth: depth - 1) })
        default: return nil
        }
    }
}
