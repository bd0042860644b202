import CoreData
import Foundation

/// The notes of policies in tests.
final class HookLog {
    var lines: [String] = []
}

extension NSMigrationManager {
    func note(_ line: String) { (userInfo?["log"] as? HookLog)?.lines.append(line) }
}

/// Writes down every hook.
final class RecordingPolicy: NSEntityMigrationPolicy {
    private func name(_ mapping: NSEntityMapping) -> String { mapping.destinationEntityName ?? "" }

    override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        manager.note("\(name(mapping)) begin")
        try super.begin(mapping, with: manager)
    }

    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        let key = name(mapping) == "Book" ? "title" : "name"
        manager.note("\(name(mapping)) create \(sInstance.value(forKey: key) ?? "-")")
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    }

    override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        manager.note("\(name(mapping)) endInstanceCreation")
        try super.endInstanceCreation(forMapping: mapping, manager: manager)
    }

    override func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        let key = name(mapping) == "Book" ? "heading" : "name"
        manager.note("\(name(mapping)) relate \(dInstance.value(forKey: key) ?? "-")")
        try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
    }

    override func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        manager.note("\(name(mapping)) endRelationshipCreation")
        try super.endRelationshipCreation(forMapping: mapping, manager: manager)
    }

    override func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        manager.note("\(name(mapping)) validate")
        try super.performCustomValidation(forMapping: mapping, manager: manager)
    }

    override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        manager.note("\(name(mapping)) end")
        try super.end(mapping, manager: manager)
    }
}

/// Reads the source store and the properties of the manager.
final class LookingPolicy: NSEntityMigrationPolicy {
    override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        let count = try manager.sourceContext.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author"))
        manager.note("\(manager.currentEntityMapping.name ?? "-") \(count) authors")
    }

    override func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
        let source = manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: [dInstance])
        let title = source.first?.value(forKey: "title") ?? "-"
        manager.note("\(manager.currentEntityMapping.name ?? "-") \(type(of: dInstance)) \(title)")
    }
}

/// Makes a second object of each.
final class DoublingPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let second = NSEntityDescription.insertNewObject(
            forEntityName: mapping.destinationEntityName ?? "", into: manager.destinationContext)
        second.setValue("\(sInstance.value(forKey: "word") ?? "")!", forKey: "word")
        manager.associate(sourceInstance: sInstance, withDestinationInstance: second, for: mapping)
    }
}

/// Makes one object of all.
final class MergingPolicy: NSEntityMigrationPolicy {
    private var everybody: NSManagedObject?
    private var count = 0

    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        let object =
            everybody
            ?? NSEntityDescription.insertNewObject(forEntityName: "Author", into: manager.destinationContext)
        object.setValue("everybody", forKey: "name")
        everybody = object
        count += 1
        manager.associate(sourceInstance: sInstance, withDestinationInstance: object, for: mapping)
    }

    override func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        manager.note("relate \(dInstance.value(forKey: "name") ?? "-") of \(count)")
    }
}

/// Has a function for expressions.
final class CountingPolicy: NSEntityMigrationPolicy {
    override func performFunction(_ name: String, arguments: [Any?]) throws -> Any? {
        guard name == "join:with:" else { return try super.performFunction(name, arguments: arguments) }
        return arguments.compactMap { $0 as? String }.joined()
    }
}

/// Makes an object of nothing.
final class ShelfPolicy: NSEntityMigrationPolicy {
    override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: manager.destinationContext)
            .setValue("first", forKey: "label")
    }
}

/// Puts every book's label on a shelf: on the one that is registered, or else on a new one.
final class SortingPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let label = "shelf \((sInstance.value(forKey: "pages") as? Int ?? 0) % 3)"
        let context = manager.destinationContext
        let isThere = context.registeredObjects.contains {
            $0.entity.name == "Shelf" && !$0.isFault && $0.value(forKey: "label") as? String == label
        }
        if isThere { return }
        NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context).setValue(label, forKey: "label")
    }
}

/// Fails at the second object.
final class ThrowingPolicy: NSEntityMigrationPolicy {
    private var count = 0

    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        count += 1
        if count == 2 { throw NSError(domain: "Shop", code: 7) }
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    }
}

/// Cancels the migration.
final class CancellingPolicy: NSEntityMigrationPolicy {
    override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        manager.cancelMigrationWithError(NSError(domain: "Shop", code: 3))
    }
}

/// Signals its beginning, and continues when the migration was cancelled.
final class AwaitingCancellationPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        (manager.userInfo?["started"] as? DispatchSemaphore)?.signal()
        // The first object waits for the event; it comes once.
        let asked = manager.userInfo?["asked"] as? Int ?? 0
        if asked == 0 { (manager.userInfo?["cancelled"] as? DispatchSemaphore)?.wait() }
        manager.userInfo?["asked"] = asked + 1
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    }
}

/// Takes its objects' authors away once all are made.
final class OrphaningPolicy: NSEntityMigrationPolicy {
    override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        for book in try manager.destinationContext.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")) {
            book.setValue(nil, forKey: "author")
        }
    }
}

/// Makes a book more than there are, with an author, that nothing is associated with.
final class AddingPolicy: NSEntityMigrationPolicy {
    override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        let authors = manager.destinationInstances(forEntityMappingName: "AuthorToAuthor", sourceInstances: nil)
        let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: manager.destinationContext)
        book.setValuesForKeys(["heading": "book x", "pages": 0])
        book.setValue(authors.first, forKey: "author")
        manager.note("added to \(authors.count)")
    }
}

/// Notes how many books have an author when all are made.
final class SeeingPolicy: NSEntityMigrationPolicy {
    override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "author != nil")
        let count = try manager.destinationContext.count(for: request)
        manager.note("\(count) with an author")
    }
}

/// Gives every book another author than that of the mapping model, before or after it.
final class EagerPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let authors = manager.destinationInstances(forEntityMappingName: "AuthorToAuthor", sourceInstances: nil)
        for book in manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance]) {
            book.setValue(authors.last, forKey: "author")
        }
    }
}

/// Gives every book the last author, after the mapping model.
final class LatePolicy: NSEntityMigrationPolicy {
    override func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
        let authors = manager.destinationInstances(forEntityMappingName: "AuthorToAuthor", sourceInstances: nil)
        dInstance.setValue(authors.last, forKey: "author")
    }
}
