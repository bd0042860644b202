import CoreData
import Foundation
import Testing

/// Asking for some objects, in some order.
@MainActor
struct PredicatesAndSortingTests {
    private let container = Journal.inMemoryContainer()
    private var context: NSManagedObjectContext { container.viewContext }

    init() throws {
        let north = context.insertTrip("North", "Oslo", "Bergen", "Ålesund")
        north.startDate = Date(timeIntervalSinceReferenceDate: 86_400 * 10)
        north.isFavourite = true
        let south = context.insertTrip("south", "Rome", "Naples")
        south.isFavourite = false
        south.startDate = Date(timeIntervalSinceReferenceDate: 86_400 * 20)
        context.insertTrip("Trip 10", "Oslo")
        context.insertTrip("Trip 9")
        let ann = Traveller(context: context)
        ann.name = "Ann"
        ann.email = "ann@example.org"
        north.addToTravellers(ann)
        let bob = Traveller(context: context)
        bob.name = "Bob"
        south.addToTravellers([ann, bob] as Set<Traveller> as NSSet)
        try context.save()
    }

    private func titles(_ format: String, _ arguments: Any...) throws -> [String] {
        let request: NSFetchRequest<Trip> = Trip.fetchRequest()
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return try context.fetch(request).map(\.title)
    }

    @Test func comparisons() throws {
        #expect(try titles("title == %@", "North") == ["North"])
        #expect(try titles("title != %@", "North") == ["Trip 10", "Trip 9", "south"])
        #expect(try titles("title ==[c] %@", "SOUTH") == ["south"])
        #expect(try titles("isFavourite == YES") == ["North"])
        #expect(try titles("isFavourite == %@", NSNumber(value: true)) == ["North"])
        #expect(try titles("startDate == nil") == ["Trip 10", "Trip 9"])
        #expect(try titles("startDate > %@", Date(timeIntervalSinceReferenceDate: 86_400 * 15) as NSDate) == ["south"])
        #expect(try titles("%K BEGINSWITH %@", "title", "Trip") == ["Trip 10", "Trip 9"])
    }

    @Test func strings() throws {
        #expect(try titles("title CONTAINS[cd] %@", "OUT") == ["south"])
        #expect(try titles("title ENDSWITH %@", "th") == ["North", "south"])
        #expect(try titles("title LIKE %@", "Trip ?") == ["Trip 9"])
        #expect(try titles("title LIKE[c] %@", "*OR*") == ["North"])
        #expect(try titles("title MATCHES %@", "Trip [0-9]{2}") == ["Trip 10"])
        #expect(try titles("ANY stops.place CONTAINS[d] %@", "Alesund") == ["North"])
    }

    @Test func collections() throws {
        #expect(try titles("title IN %@", ["North", "south", "West"]) == ["North", "south"])
        let range = [0, 86_400 * 15].map { Date(timeIntervalSinceReferenceDate: $0) as NSDate }
        #expect(try titles("startDate BETWEEN %@", range) == ["North"])
        #expect(try titles("stops.@count > 1") == ["North", "south"])
        #expect(try titles("stops.@count == 0") == ["Trip 9"])
        #expect(try titles("ANY stops.place == %@", "Oslo") == ["North", "Trip 10"])
        #expect(try titles("NONE stops.place == %@ AND stops.@count > 0", "Oslo") == ["south"])
        #expect(try titles("ALL stops.nights < 3 AND stops.@count > 0") == ["Trip 10", "south"])
        #expect(try titles("SUBQUERY(stops, $s, $s.nights > 1 AND $s.place BEGINSWITH 'B').@count > 0") == ["North"])
        #expect(try titles("stops.@sum.nights == 3") == ["south"])
        #expect(try titles("stops.@max.rating >= 5 AND NOT title BEGINSWITH 'Trip'") == ["North", "south"])
    }

    @Test func relationships() throws {
        let request: NSFetchRequest<Traveller> = Traveller.fetchRequest()
        request.predicate = NSPredicate(format: "email ENDSWITH %@", "example.org")
        let ann = try #require(context.fetch(request).first)
        #expect(try titles("%@ IN travellers", ann) == ["North", "south"])
        #expect(try titles("travellers CONTAINS %@ AND travellers.@count == 1", ann) == ["North"])

        let stops: NSFetchRequest<Stop> = Stop.fetchRequest()
        stops.predicate = NSPredicate(format: "trip.title == %@ AND trip.isFavourite == YES", "North")
        stops.sortDescriptors = [
            NSSortDescriptor(key: "trip.title", ascending: true), NSSortDescriptor(key: "place", ascending: true),
        ]
        #expect(try context.fetch(stops).map(\.place) == ["Bergen", "Oslo", "Ålesund"])
    }

    @Test func compounds() throws {
        let long = NSPredicate(format: "stops.@count > %d", 1)
        let favourite = NSPredicate(format: "isFavourite == YES")
        let request: NSFetchRequest<Trip> = Trip.fetchRequest()
        request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [long, favourite])
        #expect(try context.fetch(request).map(\.title) == ["North"])
        request.predicate = NSCompoundPredicate(
            andPredicateWithSubpredicates: [long, NSCompoundPredicate(notPredicateWithSubpredicate: favourite)])
        #expect(try context.fetch(request).map(\.title) == ["south"])
        request.predicate = NSCompoundPredicate(orPredicateWithSubpredicates: [long, favourite])
        #expect(try context.count(for: request) == 2)
        request.predicate = NSPredicate(value: false)
        #expect(try context.count(for: request) == 0)
    }

    @Test func comparisonFromItsParts() throws {
        let predicate = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "title"), rightExpression: NSExpression(forConstantValue: "NORTH"),
            modifier: .direct, type: .equalTo, options: .caseInsensitive)
        let request: NSFetchRequest<Trip> = Trip.fetchRequest()
        request.predicate = predicate
        #expect(try context.fetch(request).map(\.title) == ["North"])
        #expect(predicate.predicateFormat == "title ==[c] \"NORTH\"")
    }

    @Test func variables() throws {
        let template = NSPredicate(format: "title == $NAME OR ANY stops.place == $PLACE")
        let request: NSFetchRequest<Trip> = Trip.fetchRequest()
        request.predicate = template.withSubstitutionVariables(["NAME": "south", "PLACE": "Bergen"])
        #expect(Set(try context.fetch(request).map(\.title)) == ["North", "south"])
    }

    /// The predicates of fetches also filter objects in memory.
    @Test func inMemory() throws {
        let trips = try context.fetch(Trip.fetchRequest())
        let predicate = NSPredicate(format: "isFavourite == YES AND ANY stops.nights == 3")
        #expect(trips.filter { predicate.evaluate(with: $0) }.map(\.title) == ["North"])
        #expect((trips as NSArray).filtered(using: predicate).count == 1)
        let north = try #require(trips.first { $0.isFavourite })
        let found = north.stops?.filtered(using: NSPredicate(format: "place BEGINSWITH 'O'"))
        #expect(found?.count == 1)
    }

    @Test func orders() throws {
        func sorted(_ descriptors: NSSortDescriptor...) throws -> [String] {
            let request: NSFetchRequest<Trip> = Trip.fetchRequest()
            request.sortDescriptors = descriptors
            return try context.fetch(request).map(\.title)
        }
        #expect(try sorted(NSSortDescriptor(key: "title", ascending: true)) == ["North", "Trip 10", "Trip 9", "south"])
        #expect(
            try sorted(NSSortDescriptor(key: "title", ascending: false)) == ["south", "Trip 9", "Trip 10", "North"])
        #expect(
            try sorted(
                NSSortDescriptor(key: "isFavourite", ascending: false),
                NSSortDescriptor(key: "startDate", ascending: false),
                NSSortDescriptor(key: "title", ascending: true)) == ["North", "south", "Trip 10", "Trip 9"])
    }
}
