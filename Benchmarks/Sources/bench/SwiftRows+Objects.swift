import CoreData

extension SwiftRows {
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

extension SwiftRows.BookRow {
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
