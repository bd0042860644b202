import SwiftData

/// The library of the benchmark as a program of SwiftData declares it. The classes stand in an enumeration, because the
/// `@NSManaged` classes of the same entities have their names.
enum Models {
    /// An author.
    @Model final class Author {
        var name: String
        var joined: Date
        var active: Bool
        @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

        init(name: String, joined: Date, active: Bool) {
            self.name = name
            self.joined = joined
            self.active = active
        }
    }

    /// A book.
    @Model final class Book {
        var title: String
        @Attribute(.unique) var isbn: String
        var pages: Int64
        var price: Double
        var published: Date
        var rating: Float
        var note: String?
        var author: Author?

        init(
            title: String, isbn: String, pages: Int64, price: Double, published: Date, rating: Float, note: String?,
            author: Author?
        ) {
            self.title = title
            self.isbn = isbn
            self.pages = pages
            self.price = price
            self.published = published
            self.rating = rating
            self.note = note
            self.author = author
        }

        /// Reads every property once, and sums what it read as `Book.fieldSum` of the `@NSManaged` class does.
        var fieldSum: Double {
            var sum = Double(pages) + price + published.timeIntervalSinceReferenceDate + Double(rating)
            sum += Double(title.utf8.count + isbn.utf8.count)
            sum += Double(note?.utf8.count ?? 0)
            sum += author == nil ? 0 : 1
            return sum
        }
    }

    /// A place with an enumeration and a structure of four fields.
    @Model final class Stop {
        var kind: StopKind
        var place: Place

        init(kind: StopKind, place: Place) {
            self.kind = kind
            self.place = place
        }
    }

    /// Four fields of the kinds that most structures have.
    struct Place: Codable {
        var name: String
        var latitude: Double
        var floor: Int
        var isOpen: Bool
    }
}
