import CoreData

// A class written by hand, as "Codegen: Manual/None" leaves it to the programmer.

public class Trip: NSManagedObject {
    @NSManaged public var isFavourite: Bool
    @NSManaged public var startDate: Date?
    @NSManaged public var title: String
    @NSManaged public var expenses: Set<Expense>
    @NSManaged public var stops: NSOrderedSet?
    @NSManaged public var travellers: NSSet?

    /// What a list shows. The getter reads one of its two values past its accessor.
    #if canImport(ObjectiveC)
    @objc
    #endif
    var heading: String { Trip.mark(of: self) + title }

    private static func mark(of trip: Trip) -> String {
        trip.primitiveValue(forKey: "isFavourite") as? Bool == true ? "★ " : ""
    }

    public override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "heading" ? ["title", "isFavourite"] : super.keyPathsForValuesAffectingValue(forKey: key)
    }
}

extension Trip {
    @nonobjc public class func fetchRequest() -> NSFetchRequest<Trip> {
        return NSFetchRequest<Trip>(entityName: "Trip")
    }

    @NSManaged public func addToStops(_ value: Stop)
    @NSManaged public func removeFromStops(_ value: Stop)
    @NSManaged public func insertIntoStops(_ value: Stop, at idx: Int)
    @NSManaged public func addToTravellers(_ value: Traveller)
    @NSManaged public func addToTravellers(_ values: NSSet)
    @NSManaged public func removeFromTravellers(_ value: Traveller)
    @NSManaged public func addToExpenses(_ value: Expense)
}

extension Trip {
    /// The stops in the order of the journey.
    var orderedStops: [Stop] {
        stops?.array as? [Stop] ?? []
    }
}
