import CoreData
import Foundation
import StudioServer

/// The rows of the page's table.
struct StudioRows {
    let session: StudioSession

    private static let mostRows = 500
    private static let longestText = 300

    func answer(_ request: HTTPRequest) throws -> JSON {
        let query = try StudioQuery(request)
        let offset = try request.number("offset", in: 0...Int.max, else: 0)
        let limit = try request.number("limit", in: 1...Self.mostRows, else: 100)
        let columns = try query.columns(request, in: try session.store.entity(query.entity))
        return try session.stoppable(request.query["work"]) {
            try session.perform { try part(of: query, columns, offset, limit) }
        }
    }

    private func part(of query: StudioQuery, _ columns: [Column], _ offset: Int, _ limit: Int) throws -> JSON {
        let objects = try session.objects(query)
        let first = min(offset, objects.count)
        let shown = (first..<min(first + limit, objects.count)).map { objects[$0] }
        let rows = try rows(shown, columns)
        return .object([
            ("total", .integer(Int64(objects.count))), ("offset", .integer(Int64(offset))),
            ("generation", .integer(Int64(session.generation))), ("columns", .array(columns.map(description))),
            ("rows", .array(rows)),
        ])
    }

    /// The rows of objects. They are read together with the objects of their columns' relationships, in few requests. A
    /// value that cannot be read affects its own row only.
    private func rows(_ objects: [NSManagedObject], _ columns: [Column]) throws -> [JSON] {
        do {
            try read(objects, columns)
            return objects.map { row($0, columns) }
        } catch {
            return objects.map { object in
                do {
                    try read([object], columns)
                    return row(object, columns)
                } catch {
                    return broken(object, columns, ToolError(error).message)
                }
            }
        }
    }

    /// Reads the objects. A deleted one stays a fault, which has no values.
    private func read(_ objects: [NSManagedObject], _ columns: [Column]) throws {
        do {
            try session.context.fulfillFaults(of: objects, relationshipKeyPaths: columns.compactMap(Self.way))
        } catch let error as NSError where error.code == NSManagedObjectReferentialIntegrityError {}
    }

    /// The row of an object that cannot be read: its name, and the reason in the place of its first value.
    private func broken(_ object: NSManagedObject, _ columns: [Column], _ message: String) -> JSON {
        let name = ObjectName.of(object.objectID)
        var reason: JSON? = .string(Self.cut(message))
        let cells = columns.map { column in
            if case .id = column.content { return JSON.string(name) }
            defer { reason = nil }
            return reason ?? .null
        }
        return .object([
            ("id", .string(name)), ("entity", .string(object.entity.name ?? "")), ("state", .string("broken")),
            ("cells", .array(cells)), ("error", .string(message)),
        ])
    }

    /// The to-one relationships whose objects a column needs; nil for none.
    private static func way(_ column: Column) -> String? {
        if case .object = column.content { return column.keyPath }
        if case .attribute = column.content { return column.prefetched }
        return nil
    }

    private func description(_ column: Column) -> JSON {
        var (kind, type, isSortable) = ("", JSON.null, false)
        switch column.content {
        case .id: kind = "id"
        case .object: kind = "object"
        case .objects: kind = "objects"
        case .count: kind = "count"
        case .attribute(let attribute):
            kind = "attribute"
            type = .string(attribute.attributeType.readableName)
            isSortable = attribute.isComparable
        }
        return .object([
            ("title", .string(column.title)), ("kind", .string(kind)), ("type", type),
            ("isNumber", .bool(column.isNumber)), ("isSortable", .bool(isSortable)),
        ])
    }

    /// An object's row. A deleted object keeps its place, without values.
    private func row(_ object: NSManagedObject, _ columns: [Column]) -> JSON {
        let cells = columns.map { cell(object, $0) }
        return .object([
            ("id", .string(ObjectName.of(object.objectID))), ("entity", .string(object.entity.name ?? "")),
            ("state", .string(object.studioState)), ("cells", .array(cells)),
        ])
    }

    private func cell(_ object: NSManagedObject, _ column: Column) -> JSON {
        if case .objects = column.content {
            guard let owner = column.owner(of: object), let key = column.keys.first else { return .null }
            return .object([("count", .integer(Int64(owner.objectIDs(forRelationshipNamed: key).count)))])
        }
        switch column.value(of: object) {
        case nil: return .null
        case let data as Data:
            if case .attribute(let attribute) = column.content, SwiftDataValue.collection(data, attribute) != nil {
                return .string(Self.cut(ValueText.text(data, column.content)))
            }
            return .object([("bytes", .integer(Int64(data.count)))])
        case let other as NSManagedObject:
            return .object([
                ("id", .string(ObjectName.of(other.objectID))), ("label", .optional(other.studioLabel)),
            ])
        case let value?: return .string(Self.cut(ValueText.text(value, column.content)))
        }
    }

    static func cut(_ text: String) -> String { ObjectLabel.shortened(text, to: longestText) }
}

extension NSAttributeDescription {
    /// Whether a store can sort by the type.
    fileprivate var isComparable: Bool {
        switch attributeType {
        case .transformableAttributeType, .compositeAttributeType, .undefinedAttributeType: false
        default: !isTransient
        }
    }
}

extension NSManagedObject {
    /// The state of the object's changes, for the page.
    var studioState: String {
        if isDeleted { return "deleted" }
        if isInserted { return "new" }
        return hasPersistentChangedValues ? "changed" : "clean"
    }

    /// The label of the object; nil if it has none, or does not exist.
    var studioLabel: String? {
        guard isInserted || (try? managedObjectContext?.existingObject(with: objectID)) != nil else { return nil }
        return ObjectLabel.short(self)
    }
}
