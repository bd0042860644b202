import CoreData
import Foundation

/// The output of `coredata show` for one object.
struct ObjectView {
    private let object: NSManagedObject
    private let isWhole: Bool
    private let showsAllBytes: Bool

    private static let relatedObjects = 10
    private static let firstBytes = 64

    init(_ object: NSManagedObject, isWhole: Bool, showsAllBytes: Bool) {
        self.object = object
        self.isWhole = isWhole
        self.showsAllBytes = showsAllBytes
    }

    private var attributes: [NSAttributeDescription] {
        object.entity.properties.compactMap { $0 as? NSAttributeDescription }.filter { !$0.isTransient }
    }

    private var relationships: [NSRelationshipDescription] {
        object.entity.properties.compactMap { $0 as? NSRelationshipDescription }
    }

    // MARK: Related objects

    private struct Related {
        let count: Int
        /// The first objects, or all, with their labels. The label of a missing object is nil.
        let shown: [(id: NSManagedObjectID, label: String?, isMissing: Bool)]
    }

    private func related(_ relationship: NSRelationshipDescription) -> Related {
        var ids = object.objectIDs(forRelationshipNamed: relationship.name)
        if !relationship.isOrdered { ids.sort(by: ObjectName.order) }
        let part = isWhole ? ids[...] : ids.prefix(Self.relatedObjects)
        return Related(
            count: ids.count,
            shown: part.map { id in
                guard let other = try? object.managedObjectContext?.existingObject(with: id) else {
                    return (id, nil, true)
                }
                return (id, ObjectLabel.of(other), false)
            })
    }

    // MARK: Text

    func write(to console: Console) throws {
        let title = ObjectName.of(object.objectID)
        try console.line(console.styled(title, .bold))
        try console.line("  \(object.objectID.uriRepresentation().absoluteString)")
        let width = (attributes.map(\.name) + relationships.map(\.name)).map { TextWidth.of($0) }.max() ?? 0
        func write(_ name: String, _ lines: [String]) throws {
            for (place, line) in lines.enumerated() {
                let name = TextWidth.padded(place == 0 ? name : "", to: width)
                try console.line("  \(console.styled(name, .dim))  \(Table.onOneLine(line))")
            }
        }
        if !attributes.isEmpty { try console.line() }
        for attribute in attributes { try write(attribute.name, lines(of: attribute)) }
        if !relationships.isEmpty { try console.line() }
        for relationship in relationships { try write(relationship.name, lines(of: relationship)) }
    }

    private func lines(of attribute: NSAttributeDescription) -> [String] {
        guard let value = object.value(forKey: attribute.name) else { return ["-"] }
        guard let data = value as? Data else { return [ValueText.text(value, .attribute(attribute))] }
        let size = Measure.bytes(Int64(data.count))
        if attribute.attributeType == .transformableAttributeType, !showsAllBytes,
            let decoded = DecodedBytes.value(data)
        {
            var bytes: [UInt8] = []
            ValueText.json(decoded).append(to: &bytes)
            return [String(decoding: bytes, as: UTF8.self)]
        }
        if showsAllBytes { return [size] + HexDump.lines(data) }
        if attribute.allowsExternalBinaryDataStorage { return [size] }
        let isCut = data.count > Self.firstBytes
        return [size] + HexDump.lines(data.prefix(Self.firstBytes)) + (isCut ? ["…"] : [])
    }

    private func lines(of relationship: NSRelationshipDescription) -> [String] {
        let related = related(relationship)
        let names = related.shown.map { id, label, isMissing in
            ObjectName.of(id) + (isMissing ? " (missing)" : label.map { "  \($0)" } ?? "")
        }
        if !relationship.isToMany { return names.isEmpty ? ["-"] : names }
        let left = related.count - related.shown.count
        let count = related.count == 1 ? "1 object" : "\(related.count) objects"
        return [count] + names + (left > 0 ? ["… and \(left) more (--all)"] : [])
    }

    // MARK: JSON

    var json: JSON {
        .object([
            ("@id", .string(ObjectName.of(object.objectID))),
            ("uri", .string(object.objectID.uriRepresentation().absoluteString)),
            ("attributes", .object(attributes.map { ($0.name, json(of: $0)) })),
            ("relationships", .object(relationships.map { ($0.name, json(of: $0)) })),
        ])
    }

    /// The JSON of an attribute. Bytes have their size, and their content if it can be decoded.
    private func json(of attribute: NSAttributeDescription) -> JSON {
        guard let value = object.value(forKey: attribute.name) else { return .null }
        guard let data = value as? Data else { return ValueText.json(value, attribute) }
        var members: [(String, JSON)] = [("bytes", .integer(Int64(data.count)))]
        if attribute.attributeType == .transformableAttributeType, let decoded = DecodedBytes.value(data) {
            members.append(("decoded", ValueText.json(decoded)))
        }
        if showsAllBytes || !attribute.allowsExternalBinaryDataStorage {
            members.append(("base64", .string(data.base64EncodedString())))
        }
        return .object(members)
    }

    private func json(of relationship: NSRelationshipDescription) -> JSON {
        let related = related(relationship)
        let objects = related.shown.map { id, label, isMissing -> JSON in
            .object(
                [("@id", .string(ObjectName.of(id))), ("name", label.map(JSON.string) ?? .null)]
                    + (isMissing ? [("isMissing", .bool(true))] : []))
        }
        if !relationship.isToMany { return objects.first ?? .null }
        return .object([("count", .integer(Int64(related.count))), ("objects", .array(objects))])
    }
}
