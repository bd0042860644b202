import CoreData
import Foundation
import StudioServer

/// Changes that the page makes. They stay in the context until they are saved.
struct StudioEditing {
    let session: StudioSession

    private struct Setting: Decodable {
        let id: String
        let key: String
        let value: EditedValue?
    }

    private struct Linking: Decodable {
        private enum CodingKeys: CodingKey { case id, key, to, add, remove }

        let id: String
        let key: String
        let to: String?
        /// Whether the request has a `to`, which may be null. Without `to` the link does not change.
        let hasTo: Bool
        let add: String?
        let remove: String?

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            id = try values.decode(String.self, forKey: .id)
            key = try values.decode(String.self, forKey: .key)
            hasTo = values.contains(.to)
            to = try values.decodeIfPresent(String.self, forKey: .to)
            add = try values.decodeIfPresent(String.self, forKey: .add)
            remove = try values.decodeIfPresent(String.self, forKey: .remove)
        }
    }

    private struct Making: Decodable { let entity: String }
    private struct Deleting: Decodable { let ids: [String] }
    private struct Resolving: Decodable {
        enum Policy: String, Decodable { case mine, store }
        let policy: Policy
    }

    var context: NSManagedObjectContext { session.context }

    func answer(_ name: String, _ request: HTTPRequest) throws -> JSON {
        // The changes of a request are one step of undo, whose group ends with this block.
        return try session.perform {
            defer { session.changed() }
            switch name {
            case "set": return try set(request.value())
            case "link": return try link(request.value())
            case "make": return try make(request.value())
            case "delete": return try delete(request.value())
            case "undo": context.undo()
            case "redo": context.redo()
            case "discard": discard()
            case "save": return try save(NSMergePolicy.error)
            case "resolve":
                let order: Resolving = try request.value()
                return try save(
                    StudioMergePolicy(
                        order.policy == .mine
                            ? .mergeByPropertyObjectTrumpMergePolicyType : .mergeByPropertyStoreTrumpMergePolicyType,
                        told: session.toldConflicts))
            default: throw StudioFailure(404, "there is no '\(name)'")
            }
            return answer()
        }
    }

    // MARK: Unsaved changes

    /// The unsaved changes, object by object.
    func pending() throws -> JSON {
        try session.perform {
            let objects = session.unsavedObjects.flatMap { objects, state in
                objects.sorted { ObjectName.order($0.objectID, $1.objectID) }.map { object in
                    JSON.object([
                        ("id", .string(ObjectName.of(object.objectID))),
                        ("label", .optional(ObjectLabel.short(object))),
                        ("state", .string(state)),
                    ])
                }
            }
            return .object([("pending", counts), ("objects", .array(objects))])
        }
    }

    private var counts: JSON {
        let numbers = session.unsavedObjects.map { Int64($0.0.count) }
        return .object([
            ("inserted", .integer(numbers[0])), ("updated", .integer(numbers[1])), ("deleted", .integer(numbers[2])),
            ("hasChanges", .bool(numbers != [0, 0, 0])),
            ("canUndo", .bool(context.undoManager?.canUndo ?? false)),
            ("canRedo", .bool(context.undoManager?.canRedo ?? false)),
        ])
    }

    func answer(_ members: (String, JSON)...) -> JSON { .object([("pending", counts)] + members) }

    private func discard() {
        context.rollback()
        context.undoManager?.removeAllActions()
    }

    // MARK: Values and links

    private func set(_ order: Setting) throws -> JSON {
        let object = try session.object(order.id)
        let place = try AttributePlace(order.key, in: object.entity)
        let attribute = place.attribute
        guard EditedValue.isEditable(attribute) else {
            throw StudioFailure(422, "'\(order.key)' cannot be edited", key: order.key)
        }
        let present = place.value(of: object)
        let edited = (order.value ?? .nothing).keepingLineEnds(of: present as? String)
        // A value that is sent as it was shown is no change, because the stored value may be more exact than its text.
        if edited.isSame(as: EditedValue(shownOf: present, attribute)) {
            return answer(("object", StudioObject(session: session).json(object)))
        }
        let new: Any?
        do {
            new = try edited.value(for: attribute)
        } catch let failure as StudioFailure {
            throw StudioFailure(failure.status, failure.message, key: order.key)
        }
        var value = place.setting(new, in: object).map { $0 as AnyObject }
        do {
            try object.validateValue(&value, forKey: place.key)
        } catch {
            throw StudioFailure(422, error.localizedDescription, key: order.key)
        }
        object.setValue(value, forKey: place.key)
        return answer(("object", StudioObject(session: session).json(object)))
    }

    private func link(_ order: Linking) throws -> JSON {
        let object = try session.object(order.id)
        guard let relationship = object.entity.relationshipsByName[order.key] else {
            throw Column.unknown(order.key, in: object.entity)
        }
        func target(_ name: String) throws -> NSManagedObject {
            let other = try session.object(name)
            if let wanted = relationship.destinationEntity, other.entity.isKindOf(entity: wanted) { return other }
            throw StudioFailure(
                422, "\(name) is no \(relationship.destinationEntity?.name ?? "object")", key: order.key)
        }
        switch (relationship.isToMany, order.to, order.add, order.remove) {
        case (false, let name, nil, nil) where order.hasTo:
            object.setValue(try name.map(target), forKey: order.key)
        case (true, nil, let name?, nil):
            change(object, relationship: relationship, by: { $0.add($1) }, with: try target(name))
        case (true, nil, nil, let name?):
            change(object, relationship: relationship, by: { $0.remove($1) }, with: try target(name))
        default:
            throw StudioFailure(
                400, relationship.isToMany ? "'add' or 'remove' is expected" : "'to' is expected", key: order.key)
        }
        return answer(("object", StudioObject(session: session).json(object)))
    }

    private func change(
        _ object: NSManagedObject, relationship: NSRelationshipDescription,
        by body: (any LinkedObjects, NSManagedObject) -> Void, with other: NSManagedObject
    ) {
        let members: any LinkedObjects =
            relationship.isOrdered
            ? object.mutableOrderedSetValue(forKey: relationship.name)
            : object.mutableSetValue(forKey: relationship.name)
        body(members, other)
    }

    // MARK: Objects

    private func make(_ order: Making) throws -> JSON {
        let entity = try session.store.entity(order.entity)
        guard !entity.isAbstract else {
            throw StudioFailure(422, "\(order.entity) is abstract: it has no objects of its own")
        }
        let object = NSEntityDescription.insertNewObject(forEntityName: entity.name ?? "", into: context)
        return answer(("object", StudioObject(session: session).json(object)))
    }

    private func delete(_ order: Deleting) throws -> JSON {
        for object in try order.ids.map(session.object) { context.delete(object) }
        return answer()
    }
}

/// The objects of a relationship, ordered or not.
private protocol LinkedObjects {
    func add(_ object: Any)
    func remove(_ object: Any)
}

extension NSMutableSet: LinkedObjects {}
extension NSMutableOrderedSet: LinkedObjects {}
