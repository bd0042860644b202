import CBaseline
import CoreData

/// The source rows as Swift values, made before the clock starts.
struct SwiftRows {
    struct AuthorRow {
        var name: String
        var joined: Date
        var active: Bool
    }
    struct BookRow {
        var title: String
        var isbn: String
        var note: String?
        var pages: Int64
        var price: Double
        var published: Date
        var rating: Float
        var author: Int

        /// Gives a book all values except its author.
        func fill(_ book: Book) {
            book.title = title
            book.isbn = isbn
            book.note = note
            book.pages = pages
            book.price = price
            book.published = published
            book.rating = rating
        }
    }
    var authors: [AuthorRow]
    var books: [BookRow]

    init(_ data: SourceData) {
        let rows = data.rows
        authors = (0..<data.authorCount).compactMap { index in
            guard let row = rows?.pointee.authors[index] else { return nil }
            return AuthorRow(
                name: String(cString: row.name), joined: Date(timeIntervalSinceReferenceDate: row.joined),
                active: row.active != 0)
        }
        books = (0..<data.bookCount).compactMap { index in
            guard let row = rows?.pointee.books[index] else { return nil }
            return BookRow(
                title: String(cString: row.title), isbn: String(cString: row.isbn),
                note: row.note.map { String(cString: $0) }, pages: row.pages, price: row.price,
                published: Date(timeIntervalSinceReferenceDate: row.published), rating: row.rating,
                author: Int(row.author))
        }
    }

    /// Makes the objects of all rows in a context, with their relationships.
    func makeObjects(in context: NSManagedObjectContext) {
        let made = authors.map { row in
            let author = Author(context: context)
            author.name = row.name
            author.joined = row.joined
            author.active = row.active
            return author
        }
        for row in books {
            let book = Book(context: context)
            row.fill(book)
            book.author = made[row.author]
        }
    }
}
