import CoreData
import CoreDataManager

/// The store and the two versions of its model.
enum AddressStore {
    /// The store of a user who names none.
    static var defaultURL: URL {
        let folder = NSPersistentContainer.defaultDirectoryURL()
        return folder.appendingPathComponent("AddressBook.sqlite")
    }

    /// A version of `AddressBook.xcdatamodeld`, which the plugin has compiled.
    static func model(_ version: String) throws -> NSManagedObjectModel {
        let bundle = Bundle.module.url(forResource: "AddressBook", withExtension: "momd")
        guard let url = bundle?.appendingPathComponent("\(version).mom"),
            let model = NSManagedObjectModel(contentsOf: url)
        else { throw CocoaError(.fileReadNoSuchFile) }
        return model
    }

    /// A manager of a store, which migrates a store of the older version when it is launched.
    static func manager(at url: URL) throws -> CoreDataManager {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        var configuration = CoreDataManager.Configuration()
        configuration.adapter = MappingModelAdapter(mappingModel: { older, newer in
            let mapping = try? NSMappingModel.inferredMappingModel(forSourceModel: older, destinationModel: newer)
            for contacts in mapping?.entityMappings ?? [] {
                contacts.mappingType = .customEntityMappingType
                contacts.entityMigrationPolicyClassName = NSStringFromClass(SplitNames.self)
            }
            return mapping
        })
        return CoreDataManager(model: try model("AddressBook 2"), storeURL: url, configuration: configuration)
    }

    /// Makes a store of the older version with made-up contacts.
    static func makeOlder(at url: URL, count: Int) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model("AddressBook"))
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for number in 0..<count {
                let contact = NSEntityDescription.insertNewObject(forEntityName: "Contact", into: context)
                for (key, value) in madeUp(number) { contact.setValue(value, forKey: key) }
            }
            try context.save()
        }
    }

    private static func madeUp(_ number: Int) -> [String: String] {
        let given = ["Ada", "Bruno", "Chiara", "David", "Emre", "Freya", "Goran", "Hana", "Ines", "Jun", "Kofi"]
        let family = [
            "Abe", "Berg", "Costa", "Dahl", "Eriksen", "Ferrari", "Gruber", "Haddad", "Ito", "Jansen", "Kaya", "Lopez",
            "Moreau",
        ]
        let cities = ["Athens", "Bergen", "Cairo", "Delhi", "Essen", "Faro", "Genoa"]
        let name = (given[number % given.count], family[number % family.count])
        return [
            "name": "\(name.0) \(name.1)", "city": cities[number % cities.count], "phone": "555 \(100_000 + number)",
            "email": "\(name.0).\(name.1)\(number)@example.org".lowercased(),
        ]
    }

    /// The contacts of a store of either version, which is only read.
    static func lines(at url: URL, matching text: String) throws -> [String] {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: url, options: nil)
        let newer = try model("AddressBook 2")
        let isNewer = newer.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: isNewer ? newer : try model("AddressBook"))
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: [NSReadOnlyPersistentStoreOption: true]
        )
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let names = isNewer ? ["givenName", "familyName"] : ["name"]
        return try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Contact")
            request.sortDescriptors = names.reversed().map { NSSortDescriptor(key: $0, ascending: true) }
            if !text.isEmpty { request.predicate = NSPredicate(format: "\(names.last ?? "") CONTAINS[cd] %@", text) }
            let rows = try context.fetch(request).map { contact in
                (names + ["phone", "email", "city"]).map { contact.value(forKey: $0) as? String ?? "" }
            }
            return ["version \(isNewer ? 2 : 1)"] + rows.map { $0.joined(separator: " | ") }
        }
    }
}

/// Makes two names of one: the last word is the family's.
final class SplitNames: NSEntityMigrationPolicy {
    override class var canResume: Bool { true }

    override func createDestinationInstances(
        forSource source: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
        let words = (source.value(forKey: "name") as? String ?? "").split(separator: " ")
        let made = manager.destinationInstances(forEntityMappingName: mapping.name ?? "", sourceInstances: [source])
        for contact in made {
            contact.setValue(words.dropLast().joined(separator: " "), forKey: "givenName")
            contact.setValue(words.last.map(String.init) ?? "", forKey: "familyName")
        }
    }
}
