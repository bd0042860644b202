import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Compares all values that a context has of a store with the store's raw rows.
struct StoreComparison {
    let raw: RawEntities
    let context: NSManagedObjectContext
    let name: String
    private(set) var entities = 0
    private(set) var rows = 0
    private(set) var values = 0
    private(set) var links = 0
    /// How many values that are not nil were compared, by type of attribute.
    private(set) var valuesByType: [NSAttributeType: Int] = [:]
    private(set) var derivedValues = 0
    private var failures: [String] = []

    init(_ url: URL, model: NSManagedObjectModel, context: NSManagedObjectContext, name: String) throws {
        raw = try RawEntities(url, model: model)
        self.context = context
        self.name = name
    }

    /// Fetches every entity and compares it. Call inside of `perform`.
    mutating func run() throws {
        for entity in raw.model.entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) {
            entities += 1
            try compare(entity)
        }
        for root in raw.model.entities where root.superentity == nil {
            try compareTotal(root)
        }
        let shown = failures.prefix(8).joined(separator: "\n")
        #expect(failures.isEmpty, "\(name): \(failures.count) differences, such as\n\(shown)")
    }

    private mutating func compareTotal(_ root: NSEntityDescription) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: root.name ?? "")
        let total = try raw.database.integer("SELECT count(*) FROM \(RawEntities.table(of: root))")
        let counted = try Int64(context.count(for: request))
        expect(counted == total, "\(root.name ?? ""): not \(total ?? -1) with sub-entities")
    }

    private mutating func compare(_ entity: NSEntityDescription) throws {
        let entityName = entity.name ?? ""
        let request = NSFetchRequest<NSManagedObject>(entityName: entityName)
        request.includesSubentities = false
        let objects = try context.fetch(request)
        let count = try raw.count(of: entity)
        expect(objects.count == count, "\(entityName): \(objects.count) objects, \(count) rows")
        let counted = try context.count(for: request)
        expect(counted == count, "\(entityName): counted as \(counted), \(count) rows")
        rows += objects.count
        let rawRows = try raw.rows(of: entity)
        var membersByName: [String: [Int64: [Int64]]] = [:]
        for (name, relationship) in entity.relationshipsByName where relationship.isToMany && !relationship.isTransient
        {
            membersByName[name] = try raw.members(of: relationship)
        }
        if !membersByName.isEmpty { try prefetch(entityName, membersByName.keys.sorted()) }
        for object in objects {
            let key = Self.key(object.objectID)
            guard let row = rawRows[key] else {
                expect(false, "\(entityName) \(key): no such row")
                continue
            }
            for attribute in entity.attributesByName.values where !attribute.isTransient {
                try compare(attribute, [attribute.name], of: object, row, "\(entityName) \(key)")
            }
            for (name, relationship) in entity.relationshipsByName where !relationship.isTransient {
                let place = "\(entityName) \(key).\(name)"
                if relationship.isToMany {
                    compareMembers(of: object, relationship, membersByName[name]?[key] ?? [], place)
                } else {
                    try compareReference(relationship, of: object, row, place)
                }
            }
        }
    }

    private func prefetch(_ entityName: String, _ names: [String]) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: entityName)
        request.includesSubentities = false
        request.relationshipKeyPathsForPrefetching = names
        _ = try context.fetch(request)
    }

    static func key(_ identifier: NSManagedObjectID) -> Int64 {
        Int64(identifier.uriRepresentation().lastPathComponent.dropFirst()) ?? -1
    }

    // MARK: Attributes

    private mutating func compare(
        _ attribute: NSAttributeDescription, _ path: [String], of object: NSManagedObject, _ row: RawEntities.Row,
        _ owner: String
    ) throws {
        let place = "\(owner).\(path.joined(separator: "."))"
        if let composite = attribute as? NSCompositeAttributeDescription {
            for element in composite.elements {
                try compare(element, path + [element.name], of: object, row, owner)
            }
            return
        }
        if Self.isAmbiguous(attribute.name, in: object.entity) {
            let value = object.value(forKeyPath: path.joined(separator: "."))
            let stored = try raw.values(attribute.name, of: row, in: object.entity)
            values += 1
            let isThere = stored.contains {
                $0.isNull ? value == nil : Self.equal(value, $0, attribute.attributeType)
            }
            expect(isThere, "\(place): \(String(describing: value)), which is none of \(stored)")
            return
        }
        guard let stored = try raw.value(attribute.name, of: row, in: object.entity) else {
            expect(false, "\(place): no column")
            return
        }
        let value = object.value(forKeyPath: path.joined(separator: "."))
        values += 1
        if stored.isNull {
            expect(value == nil, "\(place): \(String(describing: value)) for NULL")
            return
        }
        valuesByType[attribute.attributeType, default: 0] += 1
        if attribute is NSDerivedAttributeDescription { derivedValues += 1 }
        let isEqual = Self.equal(value, stored, attribute.attributeType)
        expect(isEqual, "\(place): \(String(describing: value)) for \(stored)")
    }

    /// Whether more than one attribute of an entity has columns of a name: elements of composite ones are called by
    /// their own.
    private static func isAmbiguous(_ name: String, in entity: NSEntityDescription) -> Bool {
        let names = entity.attributesByName.values.flatMap { attribute in
            (attribute as? NSCompositeAttributeDescription)?.elements.map(\.name) ?? [attribute.name]
        }
        return names.count { $0 == name } > 1
    }

    private static func equal(_ value: Any?, _ stored: RawDatabase.Value, _ type: NSAttributeType) -> Bool {
        switch (type, stored) {
        case (.integer16AttributeType, .int(let raw)), (.integer32AttributeType, .int(let raw)),
            (.integer64AttributeType, .int(let raw)):
            return (value as? NSNumber)?.int64Value == raw
        case (.booleanAttributeType, .int(let raw)): return (value as? NSNumber)?.boolValue == (raw != 0)
        case (.doubleAttributeType, .double(let raw)): return (value as? NSNumber)?.doubleValue == raw
        case (.doubleAttributeType, .int(let raw)): return (value as? NSNumber)?.doubleValue == Double(raw)
        case (.floatAttributeType, .double(let raw)): return (value as? NSNumber)?.floatValue == Float(raw)
        case (.floatAttributeType, .int(let raw)): return (value as? NSNumber)?.floatValue == Float(raw)
        case (.dateAttributeType, .double(let raw)): return (value as? Date)?.timeIntervalSinceReferenceDate == raw
        case (.dateAttributeType, .int(let raw)):
            return (value as? Date)?.timeIntervalSinceReferenceDate == Double(raw)
        case (.decimalAttributeType, .int(let raw)): return (value as? NSDecimalNumber)?.decimalValue == Decimal(raw)
        case (.decimalAttributeType, .double(let raw)):
            return (value as? NSDecimalNumber).flatMap { Double($0.stringValue) } == raw
        case (.decimalAttributeType, .text("NaN")): return (value as? NSDecimalNumber)?.decimalValue.isNaN == true
        case (.stringAttributeType, .text(let raw)): return value as? String == raw
        case (.URIAttributeType, .text(let raw)): return (value as? URL)?.absoluteString == raw
        case (.UUIDAttributeType, .blob(let raw)):
            return (value as? UUID).map { withUnsafeBytes(of: $0.uuid) { Data($0) } } == raw
        case (.binaryDataAttributeType, .blob(let raw)):
            return value as? Data == raw || (raw.first == 1 && value as? Data == raw.dropFirst())
        // The transformer decides the result of the bytes; only its presence can be checked here.
        case (.transformableAttributeType, .blob): return value != nil
        default: return false
        }
    }

    // MARK: Relationships

    private mutating func compareReference(
        _ relationship: NSRelationshipDescription, of object: NSManagedObject, _ row: RawEntities.Row, _ place: String
    ) throws {
        guard let stored = try raw.value(relationship.name, of: row, in: object.entity),
            let destination = relationship.destinationEntity
        else {
            expect(false, "\(place): no column")
            return
        }
        let target = object.value(forKey: relationship.name) as? NSManagedObject
        guard let key = stored.int, key > 0 else {
            expect(target == nil, "\(place): leads to \(String(describing: target?.objectID)), the column is \(stored)")
            return
        }
        links += 1
        expect(
            target.map { Self.key($0.objectID) } == key,
            "\(place): leads to \(String(describing: target?.objectID)), the column is \(key)")
        // A reference may lead nowhere; then there is no row with its entity.
        if let name = try raw.entityName(of: key, in: destination) {
            expect(target?.entity.name == name, "\(place): leads to a \(target?.entity.name ?? "-"), not a \(name)")
        }
    }

    private mutating func compareMembers(
        of object: NSManagedObject, _ relationship: NSRelationshipDescription, _ stored: [Int64], _ place: String
    ) {
        links += stored.count
        let value = object.value(forKey: relationship.name)
        if relationship.isOrdered {
            let members = (value as? NSOrderedSet)?.array.compactMap { ($0 as? NSManagedObject)?.objectID } ?? []
            expect(members.map(Self.key) == stored, "\(place): \(members.map(Self.key)), the rows say \(stored)")
        } else {
            let members = (value as? NSSet)?.allObjects.compactMap { ($0 as? NSManagedObject)?.objectID } ?? []
            expect(
                members.map(Self.key).sorted() == stored.sorted(),
                "\(place): \(members.map(Self.key).sorted()), the rows say \(stored)")
        }
    }

    private mutating func expect(_ condition: @autoclosure () throws -> Bool, _ text: @autoclosure () -> String)
        rethrows
    {
        if try !condition() { failures.append(text()) }
    }
}
