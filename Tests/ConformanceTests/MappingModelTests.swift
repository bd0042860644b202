import CoreData
import Foundation
import Testing

/// A trip's name becomes its title, and every stop gets a rating that a policy makes of the name of its place.
final class StopRatingPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        let place = sInstance.value(forKey: "place") as? String ?? ""
        made.first?.setValue(place.count, forKey: "rating")
    }
}

/// Has a function for expressions, which names it as Objective-C does.
final class StopWordsPolicy: NSEntityMigrationPolicy {
    #if canImport(ObjectiveC)
    @objc
    #endif
    func rating(of place: String, plus number: NSNumber) -> NSNumber {
        NSNumber(value: Double(place.count) + number.doubleValue)
    }
}

/// A store of the model's first version becomes one of the second by a mapping model, object by object.
struct MappingModelTests {
    private let older = Journal.model(version: "Journal")
    private let newer = Journal.model(version: "Journal 2")

    /// A store of the first version: a trip with two stops, and who made it.
    private func withOldStore(_ body: (URL, URL) throws -> Void) throws {
        let (source, destination) = (Journal.temporaryStoreURL(), Journal.temporaryStoreURL())
        defer {
            Journal.remove(source)
            Journal.remove(destination)
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: older)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: source, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let trip = NSEntityDescription.insertNewObject(forEntityName: "Trip", into: context)
            trip.setValue("North", forKey: "name")
            for place in ["Oslo", "Tromsø"] {
                let stop = NSEntityDescription.insertNewObject(forEntityName: "Stop", into: context)
                stop.setValue(place, forKey: "place")
                stop.setValue(trip, forKey: "trip")
            }
            let traveller = NSEntityDescription.insertNewObject(forEntityName: "Traveller", into: context)
            traveller.setValue("Ann", forKey: "name")
            traveller.setValue(NSSet(object: trip), forKey: "trips")
            try context.save()
        }
        try coordinator.remove(store)
        try body(source, destination)
    }

    /// The inferred mapping model, with a policy of our own for the stops.
    private func mapping() throws -> NSMappingModel {
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: older, destinationModel: newer)
        let stops = try #require(mapping.entityMappings.first { $0.destinationEntityName == "Stop" })
        stops.mappingType = .customEntityMappingType
        stops.entityMigrationPolicyClassName = NSStringFromClass(StopRatingPolicy.self)
        return mapping
    }

    private func journey(at url: URL) throws -> [String] {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Journal.model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            let trip = try #require(context.fetch(Trip.fetchRequest()).first)
            let stops = trip.orderedStops.map { "\($0.place ?? "") \($0.rating)" }
            let travellers = (trip.travellers as? Set<Traveller>)?.compactMap(\.name) ?? []
            return [trip.title] + stops.sorted() + travellers
        }
    }

    @Test func whatIsInferred() throws {
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: older, destinationModel: newer)
        let trip = try #require(mapping.entityMappings.first { $0.destinationEntityName == "Trip" })
        #expect(trip.mappingType == .transformEntityMappingType)
        #expect(trip.attributeMappings?.contains { $0.name == "title" && $0.valueExpression != nil } == true)
        let expense = try #require(mapping.entityMappings.first { $0.destinationEntityName == "Expense" })
        #expect(expense.mappingType == .addEntityMappingType)
        #expect(expense.sourceEntityName == nil)
        #expect(mapping.entityMappingsByName[trip.name] === trip)
    }

    @Test func byManager() throws {
        try withOldStore { source, destination in
            let manager = NSMigrationManager(sourceModel: older, destinationModel: newer)
            try manager.migrateStore(
                from: source, sourceType: NSSQLiteStoreType, options: nil, with: mapping(),
                toDestinationURL: destination, destinationType: NSSQLiteStoreType, destinationOptions: nil)
            #expect(manager.migrationProgress == 1)
            #expect(try journey(at: destination) == ["North", "Oslo 4.0", "Tromsø 6.0", "Ann"])
        }
    }

    @Test func functionOfAPolicy() throws {
        try withOldStore { source, destination in
            let manager = NSMigrationManager(sourceModel: older, destinationModel: newer)
            let mapping = try mapping()
            let stops = try #require(mapping.entityMappings.first { $0.destinationEntityName == "Stop" })
            stops.entityMigrationPolicyClassName = NSStringFromClass(StopWordsPolicy.self)
            let rating = NSPropertyMapping()
            rating.name = "rating"
            stops.attributeMappings = (stops.attributeMappings ?? []).filter { $0.name != "rating" } + [rating]
            rating.valueExpression = NSExpression(
                format: "FUNCTION($entityPolicy, 'ratingOf:plus:', $source.place, 0.5)")
            try manager.migrateStore(
                from: source, sourceType: NSSQLiteStoreType, options: nil, with: mapping,
                toDestinationURL: destination, destinationType: NSSQLiteStoreType, destinationOptions: nil)
            #expect(try journey(at: destination) == ["North", "Oslo 4.5", "Tromsø 6.5", "Ann"])
        }
    }

    @Test func theOldStoreStays() throws {
        try withOldStore { source, destination in
            let manager = NSMigrationManager(sourceModel: older, destinationModel: newer)
            let wrong = try mapping()
            wrong.entityMappings.first?.entityMigrationPolicyClassName = "NoSuchPolicy"
            #expect(throws: (any Error).self) {
                try manager.migrateStore(
                    from: source, sourceType: NSSQLiteStoreType, options: nil, with: wrong,
                    toDestinationURL: destination, destinationType: NSSQLiteStoreType, destinationOptions: nil)
            }
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: source, options: nil)
            #expect(older.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        }
    }

    @Test func inAnotherPlace() throws {
        try withOldStore { source, destination in
            let manager = NSMigrationManager(sourceModel: older, destinationModel: newer)
            try manager.migrateStore(
                from: source, type: .sqlite, mapping: mapping(), to: destination, type: .sqlite)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: newer)
            try coordinator.replacePersistentStore(
                at: source, destinationOptions: nil, withPersistentStoreFrom: destination, sourceOptions: nil,
                ofType: NSSQLiteStoreType)
            try coordinator.destroyPersistentStore(at: destination, ofType: NSSQLiteStoreType, options: nil)
            #expect(try journey(at: source) == ["North", "Oslo 4.0", "Tromsø 6.0", "Ann"])
        }
    }
}
