import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// A model whose names no table, column or file could have as they are.
private enum OddModel {
    static let entities = [
        "item", "Item", "ITEM1", "_PRIMARYKEY", "_METADATA", "_modelcache", "_migrated", "with space", "dotted.name",
        "quo'te\"", "Straße", "STRASSE", "select", "metadata", "a/b?c#d%e", "sqlite_master", "ACHANGE", "1st", "🙂 é",
        "a\nb",
    ]
    static let attributes = [
        "name", "Name", "NAME1", "a-b", "a_b", "a'b", "a\"b", "_PK", "_ent", "_OPT", "select", "metadata", "größe",
        "GRÖSSE",
        "1st", "a;b", "a(b", "_fok_owner", "🙂",
    ]

    static func make() -> NSManagedObjectModel {
        let entities = Self.entities.map { name in
            StoreFixtureModel.entity(
                name, attributes.map { StoreFixtureModel.attribute($0, .stringAttributeType) { $0.isIndexed = true } })
        }
        for (entity, next) in zip(entities, entities.dropFirst() + entities.prefix(1)) {
            StoreFixtureModel.pair(entity, "next-one", .one, next, "all_of'em", .ordered)
            StoreFixtureModel.pair(entity, "many", .many, next, "back", .many)
            StoreFixtureModel.pair(entity, "Many", .many, next, "Back", .many)
            entity.uniquenessConstraints = [["a-b", "a_b"]]
            entity.indexes = ["by.name", "By name", "byName", "BYNAME"].map { name in
                NSFetchIndexDescription(
                    name: name,
                    elements: ["Name", "a-b"].compactMap { entity.propertiesByName[$0] }.map {
                        NSFetchIndexElementDescription(property: $0, collationType: .binary)
                    })
            }
        }
        // The column of the entity's number beside the key is called after the number of the destination's entity.
        let base = StoreFixtureModel.entity("base", [])
        let leaf = StoreFixtureModel.entity("_1many", [])
        base.subentities = [leaf]
        let holder = StoreFixtureModel.entity(
            "holder", (1...24).map { StoreFixtureModel.attribute("\($0)_base", .stringAttributeType) })
        holder.properties.append(StoreFixtureModel.relationship("base", .one, to: base))
        let model = NSManagedObjectModel()
        model.entities = entities + [base, leaf, holder]
        return model
    }

    static func fill(_ context: NSManagedObjectContext) throws {
        let objects = entities.map { NSEntityDescription.insertNewObject(forEntityName: $0, into: context) }
        for object in objects {
            for name in attributes { object.setValue("\(object.entity.name ?? "").\(name)", forKey: name) }
        }
        for (object, next) in zip(objects, objects.dropFirst() + objects.prefix(1)) {
            object.setValue(next, forKey: "next-one")
            object.setValue(NSSet(object: next), forKey: "many")
        }
        objects[0].setValue(NSSet(object: objects[1]), forKey: "Many")
        let holder = NSEntityDescription.insertNewObject(forEntityName: "holder", into: context)
        holder.setValue(NSEntityDescription.insertNewObject(forEntityName: "_1many", into: context), forKey: "base")
        for number in 1...24 { holder.setValue("\(number)", forKey: "\(number)_base") }
        try context.save()
    }

    /// Checks that every object has the values that it was given, by every way of reading them.
    static func check(_ context: NSManagedObjectContext) throws {
        for (place, entity) in entities.enumerated() {
            let next = entities[(place + 1) % entities.count]
            for name in attributes {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                request.predicate = NSPredicate(format: "%K == %@", name, "\(entity).\(name)")
                request.sortDescriptors = [NSSortDescriptor(key: name, ascending: true)]
                #expect(try context.count(for: request) == 1, "\(entity).\(name)")
            }
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = NSPredicate(format: "%K == %@", "next-one.Name", "\(next).Name")
            let object = try #require(try context.fetch(request).first, "\(entity)")
            for name in attributes { #expect(object.value(forKey: name) as? String == "\(entity).\(name)") }
            let many = try #require(object.value(forKey: "many") as? Set<NSManagedObject>)
            #expect(many.map(\.entity.name) == [next])
            #expect((object.value(forKey: "Many") as? Set<NSManagedObject>)?.count == (place == 0 ? 1 : 0))
            #expect((object.value(forKey: "Back") as? Set<NSManagedObject>)?.count == (place == 1 ? 1 : 0))
            let list = try #require(many.first?.value(forKey: "all_of'em") as? NSOrderedSet)
            #expect(list.array as? [NSManagedObject] == [object])
            let coordinator = try #require(context.persistentStoreCoordinator)
            #expect(
                coordinator.managedObjectID(forURIRepresentation: object.objectID.uriRepresentation())
                    == object.objectID)
        }
        let holder = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "holder")).first)
        #expect((holder.value(forKey: "base") as? NSManagedObject)?.entity.name == "_1many")
        for number in 1...24 { #expect(holder.value(forKey: "\(number)_base") as? String == "\(number)") }
    }
}

@Suite("Names that SQL or XML could not distinguish or take", .leavesNothingBehind)
struct OddNamesTests {
    @Test("Every kind of store keeps them: saved, fetched, changed, opened again", arguments: StoreKind.sampled())
    func everyKind(kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            let model = OddModel.make()
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let url = kind.url(in: folder)
            var store = try coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: url)
            func inContext(_ body: (NSManagedObjectContext) throws -> Void) throws {
                let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                context.persistentStoreCoordinator = coordinator
                try context.performAndWait { try body(context) }
            }
            try inContext { try OddModel.fill($0) }
            try inContext { try OddModel.check($0) }
            if kind.keepsRecords {
                try coordinator.remove(store)
                store = try coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: url)
                try inContext { try OddModel.check($0) }
            }
            try inContext { context in
                for entity in OddModel.entities {
                    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                    let object = try #require(try context.fetch(request).first)
                    object.setValue("changed", forKey: "a-b")
                    object.setValue(nil, forKey: "next-one")
                    object.setValue(NSSet(), forKey: "many")
                }
                try context.save()
            }
            try inContext { context in
                for entity in OddModel.entities {
                    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                    let object = try #require(try context.fetch(request).first)
                    #expect(object.value(forKey: "a-b") as? String == "changed")
                    #expect(object.value(forKey: "a_b") as? String == "\(entity).a_b")
                    #expect((object.value(forKey: "many") as? Set<NSManagedObject>)?.isEmpty == true)
                    context.delete(object)
                }
                try context.save()
                for entity in OddModel.entities {
                    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity)) == 0)
                }
            }
            try coordinator.remove(store)
        }
    }

    @Test("Batches, history and derived attributes of a SQLite store use them")
    func batchesAndHistory() throws {
        try withTemporaryFolder { folder in
            let model = OddModel.make()
            for entity in model.entities where OddModel.entities.contains(entity.name ?? "") {
                let derived = NSDerivedAttributeDescription()
                derived.name = "de-rived"
                derived.attributeType = .stringAttributeType
                derived.isOptional = true
                derived.derivationExpression = NSExpression(
                    forFunction: "uppercase:", arguments: [NSExpression(forKeyPath: "a-b")])
                entity.properties.append(derived)
                entity.attributesByName["a'b"]?.preservesValueInHistoryOnDeletion = true
            }
            try withStore(
                folder.appendingPathComponent("S.sqlite"), model, options: [NSPersistentHistoryTrackingKey: true]
            ) { context in
                for entity in OddModel.entities {
                    try context.execute(
                        NSBatchInsertRequest(
                            entityName: entity, objects: [["a-b": "x", "Name": "N", "a'b": "kept"], ["a-b": "y"]]))
                    let update = NSBatchUpdateRequest(entityName: entity)
                    update.predicate = NSPredicate(format: "%K == %@", "a-b", "x")
                    update.propertiesToUpdate = ["name": NSExpression(forKeyPath: "Name"), "a-b": "z"]
                    try context.execute(update)
                    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                    request.predicate = NSPredicate(format: "%K == %@", "de-rived", "Z")
                    #expect(
                        try context.fetch(request).map { $0.value(forKey: "name") as? String } == ["N"], "\(entity)")
                    let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: entity)
                    fetch.predicate = NSPredicate(format: "%K == %@", "a-b", "z")
                    try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
                    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity)) == 1)
                }
                let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast))
                let transactions = try #require(
                    (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction])
                let changes = transactions.flatMap { $0.changes ?? [] }
                for entity in OddModel.entities {
                    let own = changes.filter { $0.changedObjectID.entity.name == entity }
                    #expect(own.map(\.changeType) == [.insert, .insert, .update, .delete], "\(entity)")
                    #expect(own.last?.tombstone?["a'b"] as? String == "kept", "\(entity)")
                }
            }
        }
    }

    @Test("Names that plain words can be keep their tables and columns")
    func plainNames() {
        #expect(
            SQLNames.tables(ofRoots: ["Item1", "Item", "Über", "_DKObject"]).byRoot
                == ["Item1": "ZITEM1", "Item": "ZITEM", "Über": "ZÜBER", "_DKObject": "Z_DKOBJECT"])
        #expect(
            SQLNames.tables(ofRoots: ["Item1", "Item", "item", "_primaryKey", "a b", "a-b"]).byRoot
                == [
                    "Item1": "ZITEM1", "Item": "ZITEM", "item": "ZITEM2", "_primaryKey": "Z_PRIMARYKEY1", "a b": "ZA_B",
                    "a-b": "ZA_B1",
                ])
    }

    @Test(
        "Stores migrate between such names, rows and all",
        arguments: [
            ("entity item\n  title string", "entity Item was item\n  title string"),
            ("entity item\n  title string", "entity Item\n  other string\nentity item\n  title string"),
            ("entity Item\n  title string", "entity ITEM was Item\n  title string\nentity item\n  size int16"),
            ("entity item\n  title string\nentity Item\n  title string", "entity Item\n  title string"),
            (
                "entity item\n  title string\nentity Item\n  title string",
                "entity Item was item\n  title string\n  more string\nentity item was Item\n  title string\n  more string"
            ),
            ("entity with_space\n  title string", "entity with-space was with_space\n  title string"),
            ("entity PRIMARYKEY\n  title string", "entity _PRIMARYKEY was PRIMARYKEY\n  title string"),
            ("entity _PRIMARYKEY\n  title string", "entity Z_PRIMARYKEY was _PRIMARYKEY\n  title string"),
            (
                "entity E\n  a-b string\n  a_b string",
                "entity E\n  a-b string was a_b\n  a_b string was a-b\n  more string"
            ),
            ("entity E\n  a_b string", "entity E\n  a'b string was a_b\n  a-b string"),
            ("entity E\n  name string\n  Name string", "entity E\n  NAME string was Name\n  name string"),
            (
                "entity E\n  tags many F.es\n  Tags many F.Es\nentity F\n  es many E.tags\n  Es many E.Tags",
                "entity E\n  tags many F.es was Tags\n  Tags many F.Es was tags\n"
                    + "entity F\n  es many E.tags was Es\n  Es many E.Tags was es"
            ),
        ])
    func migrations(older: String, newer: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("S.sqlite")
            let (before, after) = (ModelText.model(older), ModelText.model(newer))
            try withStore(url, before) { context in
                for entity in before.entities {
                    let object = NSEntityDescription.insertNewObject(forEntityName: entity.name ?? "", into: context)
                    for name in entity.attributesByName.keys {
                        object.setValue("\(entity.name ?? "").\(name)", forKey: name)
                    }
                }
                try context.save()
                for entity in before.entities {
                    let object = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity.name ?? ""))[0]
                    for (name, relationship) in entity.relationshipsByName where entity.name == "E" {
                        let other = relationship.destinationEntity?.name ?? ""
                        let target = NSEntityDescription.insertNewObject(forEntityName: other, into: context)
                        object.setValue(NSSet(object: target), forKey: name)
                    }
                }
                try context.save()
            }
            try withStore(
                url, after,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                    NSMigrationKnownVersionsOption: [before],
                ]
            ) { context in
                for entity in after.entities {
                    let former = entity.renamingIdentifier ?? entity.name ?? ""
                    let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity.name ?? ""))
                    guard before.entitiesByName[former] != nil else {
                        #expect(objects.isEmpty)
                        continue
                    }
                    let object = try #require(objects.first, "\(entity.name ?? "")")
                    for (name, attribute) in entity.attributesByName {
                        let old = attribute.renamingIdentifier ?? name
                        let had = before.entitiesByName[former]?.attributesByName[old] != nil
                        #expect(object.value(forKey: name) as? String == (had ? "\(former).\(old)" : nil), "\(name)")
                    }
                    for name in entity.relationshipsByName.keys where entity.name == "E" {
                        #expect((object.value(forKey: name) as? Set<NSManagedObject>)?.count == 1)
                    }
                }
            }
        }
    }
}
