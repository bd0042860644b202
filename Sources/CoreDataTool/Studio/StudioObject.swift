import CoreData
import Foundation
import StudioServer

/// An object for a page of its own.
struct StudioObject {
    let session: StudioSession

    private static let firstRelated = 50
    private static let mostRelated = 500
    /// The length up to which texts are shown whole and can be edited.
    private static let longestText = 20_000

    func answer(_ request: HTTPRequest) throws -> JSON {
        let name = try request.required("id")
        return try session.perform { json(try session.object(name)) }
    }

    /// Call it on the context's queue.
    func json(_ object: NSManagedObject) -> JSON {
        .object([
            ("id", .string(ObjectName.of(object.objectID))),
            ("uri", .string(object.objectID.uriRepresentation().absoluteString)),
            ("entity", .string(object.entity.name ?? "")),
            ("label", .optional(object.studioLabel)), ("state", .string(object.studioState)),
            (
                "attributes",
                .array(
                    object.entity.sortedProperties(NSAttributeDescription.self).filter { !$0.isTransient }
                        .map { json(object.value(forKey: $0.name), $0, at: $0.name) })
            ),
            (
                "relationships",
                .array(object.entity.sortedProperties(NSRelationshipDescription.self).map { json(object, $0) })
            ),
        ])
    }

    // MARK: Attributes

    /// - Parameter path: the attribute's name, after those of the composite attributes that contain it.
    private func json(_ value: Any?, _ attribute: NSAttributeDescription, at path: String) -> JSON {
        var (edited, text, isCut) = (JSON.null, "", false)
        var members: [(String, JSON)] = []
        if let composite = attribute as? NSCompositeAttributeDescription {
            let values = value as? [String: Any] ?? [:]
            let elements = composite.elements.map { json(values[$0.name], $0, at: "\(path).\($0.name)") }
            members.append(("elements", .array(elements)))
        }
        switch value {
        case let data as Data:
            text = Measure.bytes(Int64(data.count))
            members.append(("bytes", .integer(Int64(data.count))))
            if let decoded = DecodedBytes.readable(data, within: Self.longestText) {
                members.append(("decoded", decoded))
            }
        case let value?:
            text = ValueText.text(value, .attribute(attribute))
            isCut = text.utf8.count > Self.longestText
            text = ObjectLabel.shortened(text, to: Self.longestText)
            edited = attribute.attributeType == .booleanAttributeType ? .bool(value as? Bool ?? false) : .string(text)
        case nil: break
        }
        let isImage = (value as? Data).map { ImageType.of($0) != nil } ?? false
        let isEditable = session.isWritable && !isCut && EditedValue.isEditable(attribute)
        return .object(
            [
                ("name", .string(path)), ("type", .string(attribute.attributeType.readableName)),
                ("isOptional", .bool(attribute.isOptional)), ("isEditable", .bool(isEditable)), ("value", edited),
                ("text", .string(text)), ("isImage", .bool(isImage)), ("isCut", .bool(isCut)),
            ] + members)
    }

    /// The bytes of a value.
    func value(_ request: HTTPRequest) throws -> HTTPResponse {
        let (name, key) = (try request.required("id"), try request.required("key"))
        return try session.perform {
            let object = try session.object(name)
            let place = try AttributePlace(key, in: object.entity)
            let data: Data
            switch place.value(of: object) {
            case let bytes as Data: data = bytes
            case let value?: data = Data(ValueText.text(value, .attribute(place.attribute)).utf8)
            case nil: throw StudioFailure(404, "\(name) has no \(key)")
            }
            if let type = ImageType.of(data) { return HTTPResponse(type: type, body: .bytes(data)) }
            return HTTPResponse(
                type: "application/octet-stream", headers: [("Content-Disposition", "attachment")], body: .bytes(data))
        }
    }

    // MARK: Relationships

    private func json(_ object: NSManagedObject, _ relationship: NSRelationshipDescription) -> JSON {
        let ids = related(object, relationship)
        return .object([
            ("name", .string(relationship.name)),
            ("destination", .string(relationship.destinationEntity?.name ?? "")),
            ("isToMany", .bool(relationship.isToMany)), ("isOrdered", .bool(relationship.isOrdered)),
            ("isOptional", .bool(relationship.isOptional)), ("isEditable", .bool(session.isWritable)),
            ("count", .integer(Int64(ids.count))), ("objects", .array(ids.prefix(Self.firstRelated).map(link))),
        ])
    }

    private func related(_ object: NSManagedObject, _ relationship: NSRelationshipDescription) -> [NSManagedObjectID] {
        let ids = object.objectIDs(forRelationshipNamed: relationship.name)
        return relationship.isOrdered ? ids : ids.sorted(by: ObjectName.order)
    }

    private func link(_ id: NSManagedObjectID) -> JSON {
        let other = session.context.object(with: id)
        let isThere = other.isInserted || (try? session.context.existingObject(with: id)) != nil
        return .object([
            ("id", .string(ObjectName.of(id))),
            ("label", .optional(isThere ? other.studioLabel : nil)), ("isMissing", .bool(!isThere)),
        ])
    }

    /// The objects of a relationship, part by part.
    func members(_ request: HTTPRequest) throws -> JSON {
        let (name, key) = (try request.required("id"), try request.required("key"))
        let offset = try request.number("offset", in: 0...Int.max, else: 0)
        let limit = try request.number("limit", in: 1...Self.mostRelated, else: 100)
        return try session.perform {
            let object = try session.object(name)
            guard let relationship = object.entity.relationshipsByName[key] else {
                throw Column.unknown(key, in: object.entity)
            }
            let ids = related(object, relationship)
            return .object([
                ("count", .integer(Int64(ids.count))),
                ("objects", .array(ids.dropFirst(offset).prefix(limit).map(link))),
            ])
        }
    }
}

extension NSEntityDescription {
    /// The properties of a kind, inherited ones among them, in the model's order.
    func sortedProperties<Property: NSPropertyDescription>(_: Property.Type) -> [Property] {
        properties.compactMap { $0 as? Property }
    }
}
