import CoreData
import Foundation

/// Changes a store in every way its model allows: new objects of every entity, new values for every attribute, new
/// relationships, deletions. A change that the model's own validation refuses is taken back and counted.
///
/// All methods are called inside of `perform`.
struct StoreChanges {
    let context: NSManagedObjectContext
    let model: NSManagedObjectModel
    private(set) var inserted: [NSManagedObject] = []
    private(set) var updated = 0
    private(set) var related = 0
    private(set) var deleted: [String] = []
    private(set) var refused = 0
    private var number = 100

    init(context: NSManagedObjectContext, model: NSManagedObjectModel) {
        self.context = context
        self.model = model
    }

    private var concrete: [NSEntityDescription] {
        model.entities.filter { !$0.isAbstract }.sorted { ($0.name ?? "") < ($1.name ?? "") }
    }

    private func existing(_ entity: NSEntityDescription) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
        request.includesSubentities = false
        request.fetchLimit = 20
        return try context.fetch(request)
    }

    /// Saves, or takes everything back when the model's rules forbid it. All other errors are thrown.
    private mutating func saveOrTakeBack() throws -> Bool {
        do {
            try context.save()
            return true
        } catch let error as NSError where (1550...1690).contains(error.code) {
            context.rollback()
            refused += 1
            return false
        }
    }

    // MARK: Insertion

    /// One new object of every entity, all attributes set, related among each other.
    mutating func insert() throws {
        var objects: [NSManagedObject] = []
        for entity in concrete {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity.name ?? "", into: context)
            setValues(of: object)
            objects.append(object)
        }
        for object in objects {
            for relationship in object.entity.relationshipsByName.values where !relationship.isTransient {
                relate(object, relationship, among: objects)
            }
        }
        if try saveOrTakeBack() {
            inserted = objects
            return
        }
        // Together they break a rule of the model: one by one, without relationships, those that may.
        for entity in concrete {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity.name ?? "", into: context)
            setValues(of: object)
            if try saveOrTakeBack() { inserted.append(object) }
        }
    }

    private func relate(
        _ object: NSManagedObject, _ relationship: NSRelationshipDescription, among objects: [NSManagedObject]
    ) {
        guard let destination = relationship.destinationEntity else { return }
        let candidates = objects.filter { $0 !== object && $0.entity.isKindOf(entity: destination) }
        guard let target = candidates.first else { return }
        if !relationship.isToMany {
            if object.value(forKey: relationship.name) == nil { object.setValue(target, forKey: relationship.name) }
        } else if relationship.isOrdered {
            guard (object.value(forKey: relationship.name) as? NSOrderedSet)?.count == 0 else { return }
            object.setValue(NSOrderedSet(object: target), forKey: relationship.name)
        } else {
            guard (object.value(forKey: relationship.name) as? NSSet)?.count == 0 else { return }
            object.setValue(NSSet(object: target), forKey: relationship.name)
        }
    }

    private mutating func setValues(of object: NSManagedObject) {
        for attribute in object.entity.attributesByName.values
        where !attribute.isTransient && !(attribute is NSDerivedAttributeDescription) {
            number += 1
            if let name = attribute.valueTransformerName.map({ NSValueTransformerName($0) }),
                ValueTransformer(forName: name) == nil
            {
                // The applications' own transformers are not here; any other way to archive the value will do.
                ValueTransformer.setValueTransformer(NSSecureUnarchiveFromDataTransformer(), forName: name)
            }
            let fitting = Self.candidates(attribute.attributeType, number).first { candidate in
                attribute.validationPredicates.allSatisfy { $0.evaluate(with: candidate) }
            }
            if let fitting { object.setValue(fitting, forKey: attribute.name) }
        }
    }

    /// Values of a type, the first of them different at every call.
    private static func candidates(_ type: NSAttributeType, _ number: Int) -> [Any] {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: [number, 1, 5, 0]
        case .doubleAttributeType, .floatAttributeType: [Double(number) + 0.25, 0.5, 1.0, 0.0]
        case .decimalAttributeType: [NSDecimalNumber(string: "\(number).11"), NSDecimalNumber(string: "0.5")]
        case .booleanAttributeType: [number % 2 == 0]
        case .stringAttributeType: ["Ærø \(number)", "a@b.example", "a", "1", "12345"]
        case .dateAttributeType: [Date(timeIntervalSinceReferenceDate: Double(number) + 0.5)]
        case .binaryDataAttributeType: [Data("bytes \(number)".utf8)]
        case .UUIDAttributeType: [UUID()]
        case .URIAttributeType: [URL(string: "https://example.org/\(number)?q=%20") as Any]
        case .transformableAttributeType: [["a", "\(number)"] as NSArray]
        default: []
        }
    }

    // MARK: Updates, relationships, deletions

    /// New values for all attributes of one object of every entity.
    mutating func update() throws {
        for entity in concrete {
            guard let object = try existing(entity).first(where: { (try? $0.validateForUpdate()) != nil }) else {
                continue
            }
            setValues(of: object)
            if try saveOrTakeBack() { updated += 1 }
        }
    }

    /// One existing object per relationship gets another partner.
    mutating func relate() throws {
        for entity in concrete {
            for relationship in entity.relationshipsByName.values.sorted(by: { $0.name < $1.name })
            where !relationship.isTransient && relationship.entity === entity {
                guard let destination = relationship.destinationEntity,
                    let object = try existing(entity).first(where: { (try? $0.validateForUpdate()) != nil }),
                    let target = try existing(destination).last(where: { $0 !== object })
                else { continue }
                if !relationship.isToMany {
                    object.setValue(target, forKey: relationship.name)
                } else if relationship.isOrdered {
                    var members = (object.value(forKey: relationship.name) as? NSOrderedSet)?.array ?? []
                    members.removeAll { ($0 as? NSManagedObject) === target }
                    object.setValue(NSOrderedSet(array: [target] + members), forKey: relationship.name)
                } else {
                    let members = object.value(forKey: relationship.name) as? Set<NSManagedObject> ?? []
                    object.setValue(members.union([target]), forKey: relationship.name)
                }
                if try saveOrTakeBack() { related += 1 }
            }
        }
    }

    /// One of the old objects of every entity that has several goes.
    mutating func delete() throws {
        for entity in concrete {
            let all = try existing(entity)
            guard all.count >= 3, let object = all.dropFirst().first(where: { !inserted.contains($0) }) else {
                continue
            }
            let name = GraphDump.name(object)
            context.delete(object)
            if try saveOrTakeBack() { deleted.append(name) }
        }
    }
}
