import CoreData

/// A person in the address book.
final class Contact: NSManagedObject {
    @NSManaged var givenName: String
    @NSManaged var familyName: String
    @NSManaged var phone: String?
    @NSManaged var email: String?
    @NSManaged var city: String?
}

extension Contact {
    /// Both names, for people to read.
    var fullName: String { [givenName, familyName].filter { !$0.isEmpty }.joined(separator: " ") }

    /// The letter that the contact stands under in the list.
    var letter: String { (familyName.first ?? givenName.first).map { $0.uppercased() } ?? "" }

    /// All contacts by their names, or those in which each word of a text occurs.
    static func matching(_ text: String = "") -> NSFetchRequest<Contact> {
        let request = NSFetchRequest<Contact>(entityName: "Contact")
        request.predicate = predicate(for: text)
        request.sortDescriptors = ["familyName", "givenName"].map {
            NSSortDescriptor(key: $0, ascending: true, selector: .localizedCaseInsensitiveCompare)
        }
        return request
    }

    static func predicate(for text: String) -> NSPredicate? {
        let words = text.split(separator: " ").map(String.init)
        if words.isEmpty { return nil }
        let properties = ["givenName", "familyName", "phone", "email", "city"]
        let condition = properties.map { "\($0) CONTAINS[cd] %@" }.joined(separator: " OR ")
        return NSPredicate(
            format: words.map { _ in "(\(condition))" }.joined(separator: " AND "),
            argumentArray: words.flatMap { Array(repeating: $0, count: properties.count) })
    }
}
