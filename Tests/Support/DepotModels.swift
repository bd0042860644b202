import CoreData
import Foundation

/// Four versions of a model, for tests that kill a migrating process. Between the second and the third a text becomes a
/// number, which takes a mapping model with a policy, or a stage with a handler.
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

    /// The versions of the staged migration: the number comes beside the text, is filled, and the text goes; then every
    /// item gets a note.
    public static let stages = [
        versions[0],
        versions[0].replacingOccurrences(of: "  size string\n", with: "  size string\n  number int32\n"),
        versions[0].replacingOccurrences(of: "  size string\n", with: "  number int32\n"),
        versions[0].replacingOccurrences(of: "  size string\n", with: "  number int32\n  note string\n"),
    ]

    public static func model(_ version: Int) -> NSManagedObjectModel { ModelText.model(versions[version]) }

    /// Fills a store of one of the models' first versions: every item has a shelf, two tags, a size; some have a large
    /// cover.
    public static func fill(_ url: URL, _ text: String, items: Int, type: String = NSSQLiteStoreType) throws {
        try withStore(url, ModelText.model(text), type: type) { context in
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
    }

    /// The mapping model between the second version and the third, with a policy for the items or with an expression.
    /// The items come first, or last.
    public static func mapping(
        policy: NSEntityMigrationPolicy.Type? = DepotPolicy.self, itemsLast: Bool = false
    ) -> NSMappingModel {
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
        if let policy {
            item.mappingType = .customEntityMappingType
            item.entityMigrationPolicyClassName = NSStringFromClass(policy)
        } else {
            item.attributeMappings?.append(property("size", "CAST($source.size, 'NSNumber')"))
        }
        let mapping = NSMappingModel()
        let others = [
            entity("Shelf", ["room"], [("items", "ItemToItem")]), entity("Tag", ["label"], [("items", "ItemToItem")]),
        ]
        mapping.entityMappings = itemsLast ? others + [item] : [item] + others
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

    /// The stages without code of the program's own: the numbers are empty, the texts removed.
    public static func plainManager() -> NSStagedMigrationManager {
        let stage = NSLightweightMigrationStage(stages.map { ModelText.model($0).versionChecksum })
        return NSStagedMigrationManager([stage])
    }

    /// One pass by the mapping model from a store of the second version into one of the third.
    public static func pass(from source: URL, into destination: URL, type: String = NSSQLiteStoreType) throws {
        let manager = NSMigrationManager(sourceModel: model(1), destinationModel: model(2))
        try manager.migrateStore(
            from: source, sourceType: NSSQLiteStoreType, options: nil, with: mapping(), toDestinationURL: destination,
            destinationType: type, destinationOptions: nil)
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
public class DepotPolicy: NSEntityMigrationPolicy {
    public override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        made.first?.setValue(Int32(sInstance.value(forKey: "size") as? String ?? ""), forKey: "size")
    }
}

/// A policy that another process can resume. It prints which hooks are called, and does in them what must not be done
/// twice: it counts them in a row of its own, and writes large values anew.
public final class TellingDepotPolicy: DepotPolicy {
    public override class var canResume: Bool { true }

    /// The text in the row for the number of hooks, for a number of items.
    public static func room(ofItems count: Int) -> String { "\(2 * count + 5) hooks" }

    private func tell(_ hook: String, _ manager: NSMigrationManager) throws {
        FileHandle.standardOutput.write(Data("hook \(hook)\n".utf8))
        let request = NSFetchRequest<NSManagedObject>(entityName: "Shelf")
        request.predicate = NSPredicate(format: "room ENDSWITH 'hooks'")
        let row =
            try manager.destinationContext.fetch(request).first
            ?? NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: manager.destinationContext)
        let count = (row.value(forKey: "room") as? String).flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        row.setValue("\(count + 1) hooks", forKey: "room")
    }

    public override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        try tell("begin", manager)
    }

    public override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        if let cover = sInstance.value(forKey: "cover") as? Data { made.first?.setValue(cover + [1], forKey: "cover") }
        try tell("create \(sInstance.value(forKey: "size") ?? "-")", manager)
    }

    public override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        try tell("endInstanceCreation", manager)
    }

    public override func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
        if let cover = dInstance.value(forKey: "cover") as? Data {
            dInstance.setValue(Data(cover.dropLast()), forKey: "cover")
        }
        try tell("relate \(dInstance.value(forKey: "size") ?? "-")", manager)
    }

    public override func endRelationshipCreation(
        forMapping mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try tell("endRelationshipCreation", manager)
    }

    public override func performCustomValidation(
        forMapping mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try tell("validate", manager)
    }

    public override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        try tell("end", manager)
    }
}
