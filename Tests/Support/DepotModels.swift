import CoreData
import Foundation

/// Four versions of a model, for tests that kill a migrating process. Between the second and the third a text becomes a number,
/// which takes a mapping model with a policy, or a stage with a handler.
public enum DepotModels {
    public static let versions = [
        """
        entity Item
          name string
          size string
          cover data external
          shelf one Shelf.items
          tags many Tag.items
        entity Shelf
          room string
          items many Item.shelf
        entity Tag
          label string
          items many Item.tags
        """,
        """
        entity Item
          title string was name index
          size string
          cover data external
          shelf one Shelf.items
          tags many Tag.items
        entity Shelf
          room string
          items many Item.shelf
        entity Tag
          label string
          items many Item.tags
        """,
        """
        entity Item
          title string index
          size int32!
          cover data external
          shelf one Shelf.items
          tags many Tag.items
        entity Shelf
          room string
          items many Item.shelf
        entity Tag
          label string
          items many Item.tags
        """,
        """
        entity Item
          title string
          size int64!
          cover data external
          note string! = none
          shelf one Shelf.items
          tags many Tag.items
        entity Shelf
          room string
          items ordered Item.shelf
        entity Tag
          label string
          items many Item.tags
        """,
    ]

    /// The versions of the staged migration: the number comes beside the text, is filled, and the text goes; then every item
    /// gets a note.
    public static let stages = [
        versions[0],
        versions[0].replacingOccurrences(of: "  size string\n", with: "  size string\n  number int32\n"),
        versions[0].replacingOccurrences(of: "  size string\n", with: "  number int32\n"),
        versions[0].replacingOccurrences(of: "  size string\n", with: "  number int32\n  note string\n"),
    ]

    public static func model(_ version: Int) -> NSManagedObjectModel { ModelText.model(versions[version]) }

    /// Fills a store of one of the models' first versions: every item has a shelf, two tags, a size; some have a large cover.
    public static func fill(_ url: URL, _ text: String, items: Int) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(text))
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            func make(_ entity: String, _ count: Int, _ key: String) -> [NSManagedObject] {
                (0..<count).map { number in
                    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
                    object.setValue("\(entity) \(number)", forKey: key)
                    return object
                }
            }
            let (shelves, tags) = (make("Shelf", 10, "room"), make("Tag", 7, "label"))
            let hasName = text.contains("name string\n")
            for (number, item) in make("Item", items, hasName ? "name" : "title").enumerated() {
                item.setValue("\(number * 3)", forKey: "size")
                item.setValue(shelves[number % 10], forKey: "shelf")
                item.setValue(NSSet(array: [tags[number % 7], tags[(number + 2) % 7]]), forKey: "tags")
                let isLarge = number % 50 == 0
                item.setValue(Data(repeating: UInt8(number % 251), count: isLarge ? 130_000 : 20), forKey: "cover")
            }
            try context.save()
        }
        try coordinator.remove(store)
    }

    /// The mapping model between the second version and the third, with a policy or with an expression.
    public static func mapping(hasPolicy: Bool = true) -> NSMappingModel {
        let (older, newer) = (model(1).entityVersionHashesByName, model(2).entityVersionHashesByName)
        func property(_ name: String, _ expression: String) -> NSPropertyMapping {
            let mapping = NSPropertyMapping()
            mapping.name = name
            mapping.valueExpression = NSExpression(format: expression)
            return mapping
        }
        func entity(_ name: String, _ attributes: [String], _ links: [(String, String)]) -> NSEntityMapping {
            let mapping = NSEntityMapping()
            mapping.name = "\(name)To\(name)"
            mapping.mappingType = .transformEntityMappingType
            mapping.sourceEntityName = name
            mapping.destinationEntityName = name
            mapping.sourceEntityVersionHash = older[name]
            mapping.destinationEntityVersionHash = newer[name]
            mapping.sourceExpression = NSExpression(
                format: """
                    FETCH(FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", "\(name)", \
                    "TRUEPREDICATE"), $manager.sourceContext, NO)
                    """)
            mapping.attributeMappings = attributes.map { property($0, "$source.\($0)") }
            mapping.relationshipMappings = links.map { name, target in
                property(
                    name,
                    """
                    FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "\(target)", \
                    $source.\(name))
                    """)
            }
            return mapping
        }
        let item = entity("Item", ["title", "cover"], [("shelf", "ShelfToShelf"), ("tags", "TagToTag")])
        if hasPolicy {
            item.mappingType = .customEntityMappingType
            item.entityMigrationPolicyClassName = NSStringFromClass(DepotPolicy.self)
        } else {
            item.attributeMappings?.append(property("size", "CAST($source.size, 'NSNumber')"))
        }
        let mapping = NSMappingModel()
        mapping.entityMappings = [
            item, entity("Shelf", ["room"], [("items", "ItemToItem")]),
            entity("Tag", ["label"], [("items", "ItemToItem")]),
        ]
        return mapping
    }

    /// The stages, with a handler that fills the numbers and one that writes the notes.
    public static func manager() -> NSStagedMigrationManager {
        let models = stages.map { ModelText.model($0) }
        func stage(_ number: Int) -> NSCustomMigrationStage {
            func reference(_ place: Int) -> NSManagedObjectModelReference {
                NSManagedObjectModelReference(model: models[place], versionChecksum: models[place].versionChecksum)
            }
            return NSCustomMigrationStage(migratingFrom: reference(number), to: reference(number + 1))
        }
        let numbers = stage(0)
        numbers.label = "numbers"
        numbers.didMigrateHandler = { manager, _ in
            try each(manager) { $0.setValue(Int32($0.value(forKey: "size") as? String ?? ""), forKey: "number") }
        }
        let notes = stage(2)
        notes.label = "notes"
        notes.willMigrateHandler = { manager, _ in try each(manager) { _ in } }
        notes.didMigrateHandler = { manager, _ in
            try each(manager) { $0.setValue("number \($0.value(forKey: "number") ?? "-")", forKey: "note") }
        }
        return NSStagedMigrationManager([numbers, stage(1), notes])
    }

    /// Changes every item, and saves now and then, so that a kill finds some saved and some not.
    private static func each(
        _ manager: NSStagedMigrationManager, _ body: (NSManagedObject) throws -> Void
    ) throws {
        guard let context = manager.container?.newBackgroundContext() else { return }
        try context.performAndWait {
            for (number, item) in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item")).enumerated() {
                try body(item)
                if number % 100 == 99 { try context.save() }
            }
            try context.save()
        }
    }
}

/// Makes a number of the text.
public final class DepotPolicy: NSEntityMigrationPolicy {
    public override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        made.first?.setValue(Int32(sInstance.value(forKey: "size") as? String ?? ""), forKey: "size")
    }
}
