import Foundation
import TestSupport
import Testing

@testable import CoreData

/// A model with everything a SQL store has to deal with: inheritance, ordered and many-to-many relationships, one
/// without an inverse, one that is its own inverse, external data, a uniqueness constraint.
enum StoreFixtureModel {
    static func make(extraBookAttribute: String? = nil) -> NSManagedObjectModel {
        let person = entity("Person", [attribute("name", .stringAttributeType), attribute("born", .dateAttributeType)])
        let author = entity("Author", [attribute("penName", .stringAttributeType)])
        let book = entity(
            "Book",
            [
                attribute("title", .stringAttributeType), attribute("isbn", .stringAttributeType),
                attribute("pages", .integer64AttributeType), attribute("price", .decimalAttributeType),
                attribute("rating", .doubleAttributeType), attribute("published", .dateAttributeType),
                attribute("inPrint", .booleanAttributeType), attribute("identifier", .UUIDAttributeType),
                attribute("link", .URIAttributeType), attribute("digest", .binaryDataAttributeType),
                attribute("cover", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
                attribute("note", .stringAttributeType) { $0.isTransient = true },
            ] + (extraBookAttribute.map { [attribute($0, .stringAttributeType)] } ?? []))
        let tag = entity("Tag", [attribute("label", .stringAttributeType)])
        let shelf = entity("Shelf", [attribute("room", .stringAttributeType)])
        person.subentities = [author]
        pair(book, "author", .one, person, "books", .many)
        pair(book, "tags", .many, tag, "books", .many)
        pair(book, "shelf", .one, shelf, "order", .ordered)
        let related = relationship("related", .many, to: book)
        related.inverseRelationship = related
        book.properties.append(related)
        let loans = relationship("recent", .many, to: book)
        shelf.properties.append(loans)
        book.uniquenessConstraints = [["isbn"]]
        book.indexes = [
            NSFetchIndexDescription(
                name: "byTitle",
                elements: [
                    NSFetchIndexElementDescription(
                        property: book.attributesByName["title"] ?? NSAttributeDescription(), collationType: .binary)
                ])
        ]
        let model = NSManagedObjectModel()
        model.entities = [person, author, book, tag, shelf]
        model.versionIdentifiers = ["library"]
        return model
    }

    enum Count {
        case one, many, ordered
    }

    static func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = properties
        return entity
    }

    static func attribute(
        _ name: String, _ type: NSAttributeType, _ configure: (NSAttributeDescription) -> Void = { _ in }
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        configure(attribute)
        return attribute
    }

    static func relationship(_ name: String, _ count: Count, to entity: NSEntityDescription)
        -> NSRelationshipDescription
    {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = entity
        relationship.maxCount = count == .one ? 1 : 0
        relationship.isOrdered = count == .ordered
        return relationship
    }

    static func pair(
        _ a: NSEntityDescription, _ nameA: String, _ countA: Count, _ b: NSEntityDescription, _ nameB: String,
        _ countB: Count
    ) {
        let toB = relationship(nameA, countA, to: b)
        let toA = relationship(nameB, countB, to: a)
        toB.inverseRelationship = toA
        toA.inverseRelationship = toB
        a.properties.append(toB)
        b.properties.append(toA)
    }
}

/// A store of the library model, with rows written and read by the names of their properties.
final class StoreFixture {
    let model: NSManagedObjectModel
    let layout: ModelLayout
    let store: SQLiteStore

    init(
        model: NSManagedObjectModel = StoreFixtureModel.make(), at url: URL?, options: [AnyHashable: Any]? = nil,
        storeNumber: Int = 1
    ) throws {
        self.model = model
        model.freeze()
        layout = model.layout
        store = try SQLiteStore(layout: layout, storeNumber: storeNumber, at: url, options: options)
    }

    func entity(_ name: String) -> EntityLayout {
        guard let entity = layout.layout(named: name) else { preconditionFailure("No entity \(name)") }
        return entity
    }

    func slot(_ entity: String, _ key: String) -> Int {
        switch self.entity(entity).access[key] {
        case .attribute(let slot), .toOne(let slot): return slot
        default: preconditionFailure("No slot \(key)")
        }
    }

    func toMany(_ entity: String, _ key: String) -> ToManySlot {
        guard case .toMany(let index) = self.entity(entity).access[key] else {
            preconditionFailure("No to-many \(key)")
        }
        return self.entity(entity).toManys[index]
    }

    /// A snapshot with values by property name; references are `ObjectKey`s.
    func row(
        _ name: String, key: Int64, version: Int32 = 1, _ values: [String: Any?], based: Snapshot? = nil
    ) -> Snapshot {
        let entity = entity(name)
        var slots = Array(repeating: SlotValue.null, count: entity.slots.count)
        if let based {
            for (index, slot) in entity.slots.enumerated() { slots[index] = based.value(index, kind: slot.kind) }
        }
        for (property, value) in values {
            if let number = Int(property) {
                slots[number] = SlotValue(value, as: entity.slots[number].kind) ?? .null
                continue
            }
            let slot = slot(name, property)
            if let reference = value as? ObjectKey {
                slots[slot] = .int(reference.key)
                if case .toOne(_, let companion?) = entity.slots[slot].role {
                    slots[companion] = .int(Int64(reference.layoutIndex))
                }
            } else {
                slots[slot] = SlotValue(value, as: entity.slots[slot].kind) ?? .null
            }
        }
        var builder = SnapshotBuilder(
            layout: entity, key: key, version: version, tailBytes: slots.reduce(0) { $0 + $1.tailBytes })
        for (index, value) in slots.enumerated() { builder.set(index, value: value) }
        return builder.finish()
    }

    /// Inserts rows of one entity and returns their keys.
    @discardableResult
    func insert(_ name: String, _ rows: [[String: Any?]]) throws -> [ObjectKey] {
        let entity = entity(name)
        let keys = try #require(try store.reserveKeys([entity.rootIndex: rows.count])[entity.rootIndex])
        var changes = ChangeSet()
        for (key, values) in zip(keys.joined(), rows) { changes.inserted.append(row(name, key: key, values)) }
        try store.commit(changes)
        return changes.inserted.map { ObjectKey(layoutIndex: $0.layoutIndex, key: $0.key) }
    }

    func rows(
        _ name: String, _ predicate: NSPredicate? = nil, sort: [NSSortDescriptor] = [], limit: Int = 0, offset: Int = 0
    ) throws -> [Snapshot] {
        let request = StoreFetch(
            layout: entity(name), predicate: predicate, sortDescriptors: sort, limit: limit, offset: offset)
        var rows: [Snapshot] = []
        try store.fetchRows(request) { rows += $0 }
        return rows
    }

    /// The values of a string property of the rows a predicate finds, sorted.
    func strings(_ name: String, _ key: String, _ predicate: NSPredicate? = nil) throws -> [String] {
        try rows(name, predicate).map { $0.string(slot(name, key)) }.sorted()
    }

    func update(_ old: Snapshot, _ values: [String: Any?]) throws {
        let name = layout.entities[old.layoutIndex].name
        try store.commit(ChangeSet(updated: [change(name, old, values)]))
    }

    func change(_ name: String, _ old: Snapshot, _ values: [String: Any?]) -> ChangeSet.Update {
        var mask = SlotMask()
        for key in values.keys { mask.insert(Int(key) ?? slot(name, key)) }
        return ChangeSet.Update(
            old: old, new: row(name, key: old.key, version: old.version + 1, values, based: old), changed: mask)
    }
}
