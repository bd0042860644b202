import CoreData
import Foundation
import Testing

/// The results of a fetch besides all objects: some of them, ids, dictionaries, sums.
@MainActor
struct FetchRequestTests {
    private let container = Journal.inMemoryContainer()
    private var context: NSManagedObjectContext { container.viewContext }

    init() throws {
        for (trip, amounts) in [("North", [10, 20, 30]), ("South", [5, 15]), ("West", [])] {
            let trip = context.insertTrip(trip, "Oslo", "Rome")
            for amount in amounts {
                let expense = Expense(context: context)
                expense.amount = NSDecimalNumber(value: amount)
                expense.category = amount < 15 ? "food" : "travel"
                expense.trip = trip
            }
        }
        try context.save()
    }

    private func expenses() -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: "Expense")
        request.resultType = .dictionaryResultType
        return request
    }

    private func aggregate(_ function: String, of key: String, named name: String) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = NSExpression(forFunction: function, arguments: [NSExpression(forKeyPath: key)])
        description.expressionResultType = .integer64AttributeType
        return description
    }

    @Test func limitAndOffset() throws {
        let request: NSFetchRequest<Trip> = Trip.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        request.fetchLimit = 2
        #expect(try context.fetch(request).map(\.title) == ["North", "South"])
        request.fetchOffset = 2
        #expect(try context.fetch(request).map(\.title) == ["West"])
        #expect(request.entityName == "Trip")
    }

    @Test func sumsOfAll() throws {
        let request = expenses()
        request.propertiesToFetch = [
            aggregate("sum:", of: "cents", named: "total"), aggregate("max:", of: "cents", named: "most"),
            aggregate("min:", of: "cents", named: "least"), aggregate("count:", of: "cents", named: "count"),
            aggregate("average:", of: "cents", named: "average"),
        ]
        let result = try #require(context.fetch(request).first)
        #expect(result["total"] as? Int == 8000)
        #expect(result["most"] as? Int == 3000)
        #expect(result["least"] as? Int == 500)
        #expect(result["count"] as? Int == 5)
        #expect(result["average"] as? Int == 1600)
    }

    @Test func sumsByGroup() throws {
        let request = expenses()
        request.propertiesToGroupBy = ["category"]
        request.propertiesToFetch = ["category", aggregate("sum:", of: "cents", named: "total")]
        request.sortDescriptors = [NSSortDescriptor(key: "category", ascending: true)]
        let rows = try context.fetch(request).map { "\($0["category"] ?? "") \($0["total"] ?? "")" }
        #expect(rows == ["food 1500", "travel 6500"])
        request.havingPredicate = NSPredicate(format: "sum:(cents) > 2000")
        #expect(try context.fetch(request).map { $0["category"] as? String } == ["travel"])
    }

    @Test func distinctValues() throws {
        let request = expenses()
        request.propertiesToFetch = ["category"]
        request.returnsDistinctResults = true
        request.sortDescriptors = [NSSortDescriptor(key: "category", ascending: false)]
        let rows = try context.fetch(request) as? [[String: String]]
        #expect(rows == [["category": "travel"], ["category": "food"]])
    }

    @Test func keyPathsInDictionaries() throws {
        let request = expenses()
        request.propertiesToFetch = ["trip.title", "cents"]
        request.predicate = NSPredicate(format: "cents == 500")
        #expect(try context.fetch(request).first?["trip.title"] as? String == "South")
    }

    @Test func numbersOfObjects() throws {
        let request: NSFetchRequest<Expense> = Expense.fetchRequest()
        #expect(try context.count(for: request) == 5)
        let numbers = NSFetchRequest<NSNumber>(entityName: "Expense")
        numbers.resultType = .countResultType
        numbers.predicate = NSPredicate(format: "category == 'food'")
        #expect(try context.fetch(numbers).first?.intValue == 2)
    }

    @Test func identifiers() throws {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Trip")
        request.resultType = .managedObjectIDResultType
        let ids = try context.fetch(request)
        #expect(ids.count == 3 && ids.allSatisfy { $0.entity.name == "Trip" && !$0.isTemporaryID })
        #expect(Set(ids.map { (context.object(with: $0) as? Trip)?.title }) == ["North", "South", "West"])
    }

    @Test func unsavedChangesCount() throws {
        let trip = try #require(context.fetch(Trip.fetchRequest()).first { $0.title == "West" })
        trip.title = "East"
        context.insertTrip("Eastern")
        let request: NSFetchRequest<Trip> = Trip.fetchRequest()
        request.predicate = NSPredicate(format: "title BEGINSWITH 'East'")
        #expect(try context.fetch(request).count == 2)
        request.includesPendingChanges = false
        #expect(try context.fetch(request).isEmpty)
    }

    @Test func subentities() throws {
        let cruise = Cruise(context: context)
        cruise.title = "Fjords"
        cruise.ship = "Fram"
        try context.save()
        let request: NSFetchRequest<Trip> = Trip.fetchRequest()
        #expect(try context.fetch(request).contains { $0 is Cruise })
        request.includesSubentities = false
        #expect(try context.count(for: request) == 3)
        let cruises: NSFetchRequest<Cruise> = Cruise.fetchRequest()
        #expect(try context.fetch(cruises).map(\.ship) == ["Fram"])
    }

    @Test func faultsAndPrefetching() throws {
        context.reset()
        let request: NSFetchRequest<Trip> = Trip.fetchRequest()
        request.predicate = NSPredicate(format: "title == 'North'")
        let trip = try #require(context.fetch(request).first)
        #expect(trip.isFault)
        #expect(trip.title == "North")
        #expect(!trip.isFault)
        context.refresh(trip, mergeChanges: false)
        #expect(trip.isFault)

        context.reset()
        request.returnsObjectsAsFaults = false
        request.relationshipKeyPathsForPrefetching = ["stops"]
        let whole = try #require(context.fetch(request).first)
        #expect(!whole.isFault)
        #expect(!whole.hasFault(forRelationshipNamed: "stops"))
        #expect(whole.orderedStops.map(\.place) == ["Oslo", "Rome"])
    }

    @Test func templatesOfTheModel() throws {
        let template = Journal.model.fetchRequestFromTemplate(
            withName: "TripsNamed", substitutionVariables: ["NAME": "South"])
        let request = try #require(template)
        let trips = try context.fetch(request) as? [Trip]
        #expect(trips?.map(\.title) == ["South"])
    }

    @Test func requestsWithoutAClass() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Trip")
        request.predicate = NSPredicate(format: "title == %@", "West")
        let object = try #require(context.fetch(request).first)
        #expect(object.value(forKey: "title") as? String == "West")
        object.setValue("East", forKey: "title")
        #expect((object as? Trip)?.title == "East")
        let general: NSFetchRequest<NSFetchRequestResult> = NSFetchRequest(entityName: "Trip")
        #expect(try (context.fetch(general) as? [Trip])?.count == 3)
    }
}
