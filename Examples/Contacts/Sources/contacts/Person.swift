import CoreData

/// A person with telephone numbers.
final class Person: NSManagedObject {
    @NSManaged var name: String
    @NSManaged var email: String
    @NSManaged var city: String?
    @NSManaged var numbers: NSOrderedSet?
    @NSManaged func addToNumbers(_ value: PhoneNumber)
}

/// A number of one person, who owns it.
final class PhoneNumber: NSManagedObject {
    @NSManaged var digits: String
    @NSManaged var person: Person?
}
