import CoreData
import Foundation
import Testing

/// Properties named by key paths, which the compiler checks.
@MainActor
struct KeyPathTests {
    private let container = Journal.inMemoryContainer()
    private var context: NSManagedObjectContext { container.viewContext }

    init() throws {
        for (title, days) in [("North", 20.0), ("South", 10), ("West", 30)] {
            let trip = context.insertTrip(title, "Oslo", "Rome")
            trip.startDate = Date(timeIntervalSinceReferenceDate: days * 86_400)
            trip.isFavourite = title == "West"
        }
        try context.save()
    }

    @Test func sortDescriptorsByKeyPath() throws {
        let request: NSFetchRequest<Trip> = Trip.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Trip.startDate, ascending: true)]
        #expect(try context.fetch(request).map(\.title) == ["South", "North", "West"])
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Trip.title, ascending: false)]
        #expect(try context.fetch(request).map(\.title) == ["West", "South", "North"])
        let stops: NSFetchRequest<Stop> = Stop.fetchRequest()
        stops.sortDescriptors = [
            NSSortDescriptor(keyPath: \Stop.trip?.title, ascending: true),
            NSSortDescriptor(keyPath: \Stop.nights, ascending: false),
        ]
        #expect(try context.fetch(stops).prefix(2).map(\.place) == ["Rome", "Oslo"])
    }

    @Test func sortDescriptorsOfSwift() throws {
        let order = [SortDescriptor(\Trip.title, order: .reverse)]
        let request: NSFetchRequest<Trip> = Trip.fetchRequest()
        request.sortDescriptors = order.map(NSSortDescriptor.init)
        #expect(try context.fetch(request).map(\.title) == ["West", "South", "North"])
        let trips = try context.fetch(Trip.fetchRequest())
        #expect(trips.sorted(using: order).map(\.title) == ["West", "South", "North"])
    }

    @Test func predicatesOfSwift() throws {
        let start = "N"
        let predicate = #Predicate<Trip> { $0.title.starts(with: start) || $0.isFavourite }
        let request: NSFetchRequest<Trip> = Trip.fetchRequest()
        request.predicate = NSPredicate(predicate)
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Trip.title, ascending: true)]
        #expect(try context.fetch(request).map(\.title) == ["North", "West"])

        let stops: NSFetchRequest<Stop> = Stop.fetchRequest()
        stops.predicate = NSPredicate(#Predicate<Stop> { $0.nights > 1 && $0.rating < 5 })
        #expect(try context.count(for: stops) == 3)
    }

    @Test func namesForStrings() throws {
        #expect(NSExpression(forKeyPath: \Trip.title).keyPath == "title")
        let request: NSFetchRequest<Trip> = Trip.fetchRequest()
        request.predicate = NSPredicate(format: "%K == %@", NSExpression(forKeyPath: \Trip.title).keyPath, "South")
        #expect(try context.count(for: request) == 1)
    }
}
