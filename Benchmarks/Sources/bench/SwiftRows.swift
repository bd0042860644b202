import CBaseline
import Foundation

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
}
