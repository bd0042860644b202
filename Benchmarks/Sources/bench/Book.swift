import CoreData
import Foundation

/// An author as a program declares it; the plugin writes the accessors.
final class Author: NSManagedObject {
    @NSManaged var name: String
    @NSManaged var joined: Date
    @NSManaged var active: Bool
    @NSManaged var books: NSSet?
}

/// A book as a program declares it.
final class Book: NSManagedObject {
    @NSManaged var title: String
    @NSManaged var isbn: String
    @NSManaged var pages: Int64
    @NSManaged var price: Double
    @NSManaged var published: Date
    @NSManaged var rating: Float
    @NSManaged var note: String?
    @NSManaged var author: Author?

    /// Sets every property but the relationship and the note, by a number.
    func fill(with number: Int, title: String, isbn: String) {
        self.title = title
        self.isbn = isbn
        pages = Int64(number % 900)
        price = Double(number % 5_000) / 100
        published = Date(timeIntervalSinceReferenceDate: Double(number))
        rating = Float(number % 50) / 10
    }

    /// Reads every property once, and sums what it read as the C baseline does.
    var fieldSum: Double {
        var sum = Double(pages) + price + published.timeIntervalSinceReferenceDate + Double(rating)
        sum += Double(title.utf8.count + isbn.utf8.count)
        sum += Double(note?.utf8.count ?? 0)
        sum += author == nil ? 0 : 1
        return sum
    }
}
