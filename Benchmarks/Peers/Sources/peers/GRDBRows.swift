import Foundation
import GRDB

/// GRDB as a program uses it for speed: SQL, statements that GRDB caches, values taken from the row by their place. The
/// statements are those of plain C.
struct GRDBRows {
    private let queue: DatabaseQueue

    init(store: String) throws {
        queue = try GRDBStore.opened(store)
    }

    struct Author: FetchableRecord {
        var key: Int64
        var name: String
        var joined: Date
        var active: Bool

        init(row: Row) {
            key = row[0]
            name = row[1]
            joined = Date(timeIntervalSinceReferenceDate: row[2])
            active = row[3]
        }

        init(key: Int64, _ row: SwiftRows.AuthorRow) {
            self.key = key
            (name, joined, active) = (row.name, row.joined, row.active)
        }
    }

    struct Book: FetchableRecord, GRDBBook {
        var key: Int64
        var title: String
        var isbn: String
        var pages: Int64
        var price: Double
        var published: Date
        var rating: Float
        var note: String?
        var author: Int64?

        init(row: Row) {
            key = row[0]
            title = row[1]
            isbn = row[2]
            pages = row[3]
            price = row[4]
            published = Date(timeIntervalSinceReferenceDate: row[5])
            rating = row[6]
            note = row[7]
            author = row[8]
        }

        init(key: Int64, author: Int64, _ row: SwiftRows.BookRow) {
            self.key = key
            self.author = author
            (title, isbn, note) = (row.title, row.isbn, row.note)
            (pages, price, published, rating) = (row.pages, row.price, row.published, row.rating)
        }
    }

    private static let books = "SELECT Z_PK,ZTITLE,ZISBN,ZPAGES,ZPRICE,ZPUBLISHED,ZRATING,ZNOTE,ZAUTHOR FROM ZBOOK"
    private static let authors = "SELECT Z_PK,ZNAME,ZJOINED,ZACTIVE FROM ZAUTHOR"

    func run(_ work: Work, data: SourceData) throws -> Measurement {
        switch work {
        case .insert: try insert(SwiftRows(data))
        case .readAll: try readAll()
        case .query: try query()
        case .queryByAuthor: try queryByAuthor(data.authorCount)
        case .readByKey: try readOne(data.shuffledIndexes.map { Int64($0 + 1) }, where: "Z_PK")
        case .readByISBN: try readOne(isbns(data), where: "ZISBN")
        case .prefetched: try readAuthors()
        case .update: try update()
        case .delete: try deleteHalf()
        default: throw GRDBStore.refusal(of: work)
        }
    }

    private func isbns(_ data: SourceData) -> [String] {
        let rows = SwiftRows(data).books
        return data.shuffledIndexes.map { rows[$0].isbn }
    }

    private func insert(_ rows: SwiftRows) throws -> Measurement {
        try Measurement.of {
            try queue.write { db in
                let (firstAuthor, authorEntity) = try db.reserveKeys(of: "Author", count: rows.authors.count)
                let authors = rows.authors.enumerated().map { Author(key: firstAuthor + Int64($0), $1) }
                let (firstBook, bookEntity) = try db.reserveKeys(of: "Book", count: rows.books.count)
                let books = rows.books.enumerated().map { index, row in
                    Book(key: firstBook + Int64(index), author: authors[row.author].key, row)
                }
                let insertAuthor = try db.cachedStatement(
                    sql: "INSERT INTO ZAUTHOR(Z_PK,Z_ENT,Z_OPT,ZACTIVE,ZJOINED,ZNAME) VALUES(?,?,1,?,?,?)")
                for author in authors {
                    insertAuthor.setUncheckedArguments([
                        author.key, authorEntity, author.active, author.joined.timeIntervalSinceReferenceDate,
                        author.name,
                    ])
                    try insertAuthor.execute()
                }
                let insertBook = try db.cachedStatement(
                    sql: """
                        INSERT INTO ZBOOK(Z_PK,Z_ENT,Z_OPT,ZPAGES,ZAUTHOR,ZPRICE,ZPUBLISHED,ZRATING,ZISBN,ZNOTE,ZTITLE) \
                        VALUES(?,?,1,?,?,?,?,?,?,?,?)
                        """)
                for book in books {
                    insertBook.setUncheckedArguments([
                        book.key, bookEntity, book.pages, book.author, book.price,
                        book.published.timeIntervalSinceReferenceDate, book.rating, book.isbn, book.note, book.title,
                    ])
                    try insertBook.execute()
                }
                return ((authors, books), authors.count + books.count, 0)
            }
        }
    }

    private func readAll() throws -> Measurement {
        try Measurement.of {
            let books = try queue.read { try Book.fetchAll($0.cachedStatement(sql: Self.books)) }
            return (books, books.count, books.reduce(0) { $0 + $1.fieldSum })
        }
    }

    private func query() throws -> Measurement {
        try Measurement.of {
            try queue.read { db in
                let statement = try db.cachedStatement(
                    sql: Self.books
                        + " WHERE ZPAGES>? AND ZTITLE>=? AND ZTITLE<? ORDER BY ZPUBLISHED DESC LIMIT 100")
                var (count, sum) = (0, 0.0)
                for index in 0..<Work.queries {
                    let letter = UInt8(ascii: "A") + UInt8(index % 25)
                    let books = try Book.fetchAll(
                        statement,
                        arguments: [
                            40 + index % 1000, String(UnicodeScalar(letter)), String(UnicodeScalar(letter + 1)),
                        ])
                    for book in books {
                        count += 1
                        sum += book.fieldSum
                    }
                }
                return ((), count, sum)
            }
        }
    }

    private func queryByAuthor(_ authors: Int) throws -> Measurement {
        try Measurement.of {
            try queue.read { db in
                let statement = try db.cachedStatement(
                    sql: Self.books + " WHERE ZAUTHOR=? AND ZPAGES>? ORDER BY ZPUBLISHED DESC LIMIT 20")
                var (count, sum) = (0, 0.0)
                for index in 0..<Work.authorQueries {
                    let arguments: StatementArguments = [index % authors + 1, 40 + index % 1000]
                    for book in try Book.fetchAll(statement, arguments: arguments) {
                        count += 1
                        sum += book.fieldSum
                    }
                }
                return ((), count, sum)
            }
        }
    }

    private func readOne(_ values: [some DatabaseValueConvertible], where column: String) throws -> Measurement {
        try Measurement.of {
            try queue.read { db in
                let statement = try db.cachedStatement(sql: Self.books + " WHERE \(column)=?")
                var (count, sum) = (0, 0.0)
                for value in values {
                    guard let book = try Book.fetchOne(statement, arguments: [value]) else { continue }
                    count += 1
                    sum += book.fieldSum
                }
                return ((), count, sum)
            }
        }
    }

    private func readAuthors() throws -> Measurement {
        try Measurement.of {
            try queue.read { db in
                let books = try Book.fetchAll(db.cachedStatement(sql: Self.books))
                let authors = try Author.fetchAll(db.cachedStatement(sql: Self.authors))
                let places = Dictionary(uniqueKeysWithValues: authors.enumerated().map { ($1.key, $0) })
                var members = [Int](repeating: 0, count: authors.count)
                var sum = 0.0
                for book in books {
                    guard let place = book.author.flatMap({ places[$0] }) else { continue }
                    sum += Double(authors[place].name.utf8.count)
                    members[place] += 1
                }
                return ((books, authors), members.count { $0 > 0 }, sum + Double(members.reduce(0, +)))
            }
        }
    }

    private func update() throws -> Measurement {
        try Measurement.of {
            try queue.write { db in
                var books = try Book.fetchAll(db.cachedStatement(sql: Self.books))
                for index in books.indices {
                    books[index].pages += 1
                    books[index].price += 0.25
                }
                let update = try db.cachedStatement(
                    sql: "UPDATE ZBOOK SET Z_OPT=Z_OPT+1,ZPAGES=?,ZPRICE=? WHERE Z_PK=? AND Z_OPT=1")
                for book in books {
                    update.setUncheckedArguments([book.pages, book.price, book.key])
                    try update.execute()
                    guard db.changesCount == 1 else { throw BenchmarkFailure(description: "a book has gone") }
                }
                return (books, books.count, 0)
            }
        }
    }

    private func deleteHalf() throws -> Measurement {
        try Measurement.of {
            try queue.write { db in
                let authors = try Int64.fetchAll(
                    db.cachedStatement(sql: "SELECT Z_PK FROM ZAUTHOR WHERE Z_PK%2=0"))
                let members = try db.cachedStatement(sql: "SELECT Z_PK FROM ZBOOK WHERE ZAUTHOR=?")
                // Author by author they lie all over the table.
                let books = try authors.flatMap { try Int64.fetchAll(members, arguments: [$0]) }.sorted()
                for (table, keys) in [("ZBOOK", books), ("ZAUTHOR", authors)] {
                    let delete = try db.cachedStatement(sql: "DELETE FROM \(table) WHERE Z_PK=? AND Z_OPT=1")
                    for key in keys {
                        delete.setUncheckedArguments([key])
                        try delete.execute()
                    }
                }
                return ((), books.count + authors.count, 0)
            }
        }
    }
}
