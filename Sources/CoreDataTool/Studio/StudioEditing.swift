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
        /// Whether there is a `to`, if only null: without it nothing is said of the link.
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

    private var context: NSManagedObjectContext { session.context }

    func answer(_ name: String, _ request: HTTPRequest) throws -> JSON {
        guard session.isWritable else {
            throw StudioFailure(403, "the store was opened to be read; start 'coredata studio' with --write")
        }
        // What a request does is one step of undo: its group ends with this block.
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

    // MARK: What is not saved

    /// What is not saved, object by object.
    func pending() throws -> JSON {
        try session.perform {
            let objects = session.unsavedObjects.flatMap { objects, state in
                objects.sorted { ObjectName.order($0.objectID, $1.objectID) }.map { object in
                    JSON.object([
                        ("id", .string(ObjectName.of(object.objectID))),
                        ("label", ObjectLabel.of(object).map { .string(StudioRows.cut($0)) } ?? .null),
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

    private func answer(_ members: (String, JSON)...) -> JSON { .object([("pending", counts)] + members) }

    private func discard() {
        context.rollback()
        context.undoManager?.removeAllActions()
    }

    // MARK: Values and links

    private func set(_ order: Setting) throws -> JSON {
        let object = try session.object(order.id)
        guard let attribute = object.entity.attributesByName[order.key] else {
            throw Column.unknown(order.key, in: object.entity)
        }
        guard EditedValue.isEditable(attribute) else {
            throw StudioFailure(422, "'\(order.key)' cannot be edited", key: order.key)
        }
        let present = object.value(forKey: order.key)
        let edited = (order.value ?? .nothing).keepingLineEnds(of: present as? String)
        // What is sent as it was shown changes nothing: a value may be finer than its text.
        if edited == EditedValue(shownOf: present, attribute) {
            return answer(("object", StudioObject(session: session).json(object)))
        }
        var value = try edited.value(for: attribute).map { $0 as AnyObject }
        do {
            try object.validateValue(&value, forKey: order.key)
        } catch {
            throw StudioFailure(422, error.localizedDescription, key: order.key)
        }
        object.setValue(value, forKey: order.key)
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
        case (true, nil, let name?, nil): change(object, relationship, { $0.add($1) }, try target(name))
        case (true, nil, nil, let name?): change(object, relationship, { $0.remove($1) }, try target(name))
        default:
            throw StudioFailure(
                400, relationship.isToMany ? "'add' or 'remove' is expected" : "'to' is expected", key: order.key)
        }
        return answer(("object", StudioObject(session: session).json(object)))
    }

    private func change(
        _ object: NSManagedObject, _ relationship: NSRelationshipDescription,
        _ body: (any LinkedObjects, NSManagedObject) -> Void, _ other: NSManagedObject
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
        guard !entity.isAbstract,
            let known = context.persistentStoreCoordinator?.managedObjectModel
                .entitiesByName[entity.name ?? ""]
        else { throw StudioFailure(422, "\(entity.name ?? "") is abstract: it has no objects of its own") }
        let object = NSManagedObject(entity: known, insertInto: context)
        return answer(("object", StudioObject(session: session).json(object)))
    }

    private func delete(_ order: Deleting) throws -> JSON {
        for object in try order.ids.map(session.object) { context.delete(object) }
        return answer()
    }

    // MARK: Saving

    private func save(_ policy: NSMergePolicy) throws -> JSON {
        if session.isFileAnother {
            throw StudioFailure(
                409, "another program has written or replaced the store's file; nothing was saved",
                details: ["Discard the changes: then the file is read anew."])
        }
        let names = context.insertedObjects.map { ($0, ObjectName.of($0.objectID)) }
        context.mergePolicy = policy
        defer { context.mergePolicy = NSMergePolicy.error }
        do {
            try context.save()
        } catch {
            throw failure(of: error as NSError)
        }
        session.noteFile()
        session.toldConflicts = []
        context.undoManager?.removeAllActions()
        for (object, name) in names { session.rename(name, object.objectID) }
        let ids = names.map { ($1, JSON.string(ObjectName.of($0.objectID))) }
        session.refresh()
        return answer(("ids", .object(ids)))
    }

    private func failure(of error: NSError) -> StudioFailure {
        if let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict] {
            session.toldConflicts = Set(conflicts.map(ToldConflict.init))
            var failure = StudioFailure(409, "another program has changed what was changed here; nothing was saved")
            failure.members = [("conflicts", .array(conflicts.map(Self.json)))]
            return failure
        }
        if let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict] {
            let lines = conflicts.map { conflict in
                let values = conflict.constraintValues.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
                return "Another object has the \(values.joined(separator: ", ")), which is unique."
            }
            return StudioFailure(422, "nothing was saved: values that are unique are there twice", details: lines)
        }
        let errors = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
        let failed = errors.compactMap { error in
            (error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject).map { (error, $0) }
        }
        guard !failed.isEmpty else { return StudioFailure(ToolError(error, at: session.store.shown)) }
        var failure = StudioFailure(
            422, "nothing was saved: \(failed.count == 1 ? "a value is" : "values are") not valid")
        failure.members = [
            (
                "validation",
                .array(
                    failed.map { error, object in
                        .object([
                            ("id", .string(ObjectName.of(object.objectID))),
                            ("label", ObjectLabel.of(object).map { .string(StudioRows.cut($0)) } ?? .null),
                            ("key", (error.userInfo[NSValidationKeyErrorKey] as? String).map(JSON.string) ?? .null),
                            ("message", .string(error.localizedDescription)),
                        ])
                    })
            )
        ]
        return failure
    }

    /// A conflict, value by value: as it was read, as the page has it, as it is.
    private static func json(_ conflict: NSMergeConflict) -> JSON {
        let object = conflict.sourceObject
        let mine = object.changedValues()
        let theirs = conflict.persistedSnapshot ?? conflict.cachedSnapshot ?? [:]
        let base = conflict.objectSnapshot ?? [:]
        func text(_ value: Any?) -> JSON {
            switch value {
            case nil, is NSNull: .null
            case let object as NSManagedObject: .string(ObjectName.of(object.objectID))
            case let value?: .string(StudioRows.cut(ValueText.text(value)))
            }
        }
        func isEqual(_ one: Any?, _ other: Any?) -> Bool {
            (one as? NSObject ?? NSNull()).isEqual(other as? NSObject ?? NSNull())
        }
        let isDeleted = conflict.newVersionNumber == 0
        let keys = Set(mine.keys).union(isDeleted ? [] : base.keys.filter { !isEqual(base[$0], theirs[$0]) })
        let values = keys.sorted().filter { object.entity.relationshipsByName[$0]?.isToMany != true }.map { key in
            JSON.object([
                ("key", .string(key)), ("base", text(base[key])),
                ("yours", text(object.isDeleted ? nil : object.value(forKey: key))), ("theirs", text(theirs[key])),
            ])
        }
        return .object([
            ("id", .string(ObjectName.of(object.objectID))),
            ("label", ObjectLabel.of(object).map { .string(StudioRows.cut($0)) } ?? .null),
            ("isDeleted", .bool(isDeleted)), ("values", .array(values)),
        ])
    }
}

/// The objects of a relationship, in an order or without one.
private protocol LinkedObjects {
    func add(_ object: Any)
    func remove(_ object: Any)
}

extension NSMutableSet: LinkedObjects {}
extension NSMutableOrderedSet: LinkedObjects {}
