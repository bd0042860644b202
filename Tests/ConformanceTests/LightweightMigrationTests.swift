import CoreData
import Foundation
import Testing

/// A store of the model's first version is opened by the second.
struct LightweightMigrationTests {
    /// A store of the first version.
    private func withOldStore(_ body: (URL) throws -> Void) throws {
        let url = Journal.temporaryStoreURL()
        defer { Journal.remove(url) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Journal.model(version: "Journal"))
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let trip = NSEntityDescription.insertNewObject(forEntityName: "Trip", into: context)
            trip.setValue("North", forKey: "name")
            trip.setValue(Date(timeIntervalSinceReferenceDate: 1000), forKey: "startDate")
            let stop = NSEntityDescription.insertNewObject(forEntityName: "Stop", into: context)
            stop.setValue("Oslo", forKey: "place")
            stop.setValue(trip, forKey: "trip")
            let traveller = NSEntityDescription.insertNewObject(forEntityName: "Traveller", into: context)
            traveller.setValue("Ann", forKey: "name")
            traveller.setValue(NSSet(object: trip), forKey: "trips")
            try context.save()
        }
        try coordinator.remove(store)
        try body(url)
    }

    private func checkJourney(in context: NSManagedObjectContext) throws {
        try context.performAndWait {
            let trip = try #require(context.fetch(Trip.fetchRequest()).first)
            #expect(trip.title == "North")
            #expect(trip.startDate == Date(timeIntervalSinceReferenceDate: 1000))
            #expect(trip.orderedStops.map(\.place) == ["Oslo"])
            #expect(trip.orderedStops.map(\.rating) == [0])
            #expect((trip.travellers as? Set<Traveller>)?.map(\.name) == ["Ann"])
            #expect(trip.expenses.isEmpty)
            let expense = Expense(context: context)
            expense.amount = 5
            expense.trip = trip
            try context.save()
        }
    }

    @Test func isItNeeded() throws {
        try withOldStore { url in
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url, options: nil)
            #expect(!Journal.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
            let old = Journal.model(version: "Journal")
            #expect(old.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
            #expect(
                metadata[NSStoreModelVersionHashesKey] as? [String: Data] == old.entityVersionHashesByName)
            let found = try #require(
                NSManagedObjectModel.mergedModel(from: [Bundle.module], forStoreMetadata: metadata))
            #expect(found.entitiesByName["Expense"] == nil)
        }
    }

    @Test func byOptions() throws {
        try withOldStore { url in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Journal.model)
            #expect {
                try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
            } throws: { error in
                (error as NSError).code == NSPersistentStoreIncompatibleVersionHashError
            }
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                ])
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            try checkJourney(in: context)
        }
    }

    /// A description migrates the store by default.
    @Test func byDescription() throws {
        try withOldStore { url in
            let container = NSPersistentContainer(name: "Journal", managedObjectModel: Journal.model)
            let description = NSPersistentStoreDescription(url: url)
            description.shouldMigrateStoreAutomatically = false
            container.persistentStoreDescriptions = [description]
            container.loadPersistentStores { _, error in
                #expect((error as NSError?)?.code == NSPersistentStoreIncompatibleVersionHashError)
            }
            description.shouldMigrateStoreAutomatically = true
            description.shouldInferMappingModelAutomatically = true
            container.loadPersistentStores { _, error in
                #expect(error == nil)
            }
            try checkJourney(in: container.newBackgroundContext())

            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url, options: nil)
            #expect(Journal.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        }
    }

    @Test func versionsOfTheModel() throws {
        let old = Journal.model(version: "Journal")
        let new = Journal.model(version: "Journal 2")
        #expect(new.entityVersionHashesByName == Journal.model.entityVersionHashesByName)
        #expect(new.versionIdentifiers == ["2"])
        let changed = new.entitiesByName.keys.filter {
            old.entityVersionHashesByName[$0] != new.entityVersionHashesByName[$0]
        }
        #expect(changed.sorted() == ["Cruise", "Expense", "Stop", "Traveller", "Trip"])
        #expect(new.entitiesByName["Trip"]?.attributesByName["title"]?.renamingIdentifier == "name")
    }
}
