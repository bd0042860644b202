import Foundation
import GRDB

/// GRDB as its manual begins: Codable records, and requests that it makes SQL of.
struct GRDBRecords {
    private let queue: DatabaseQueue

    init(store: String) throws {
        queue = try GRDBStore.opened(store)
    }

    // The columns are all of the table, so that the default selection is the right one. Their names are in lower case
    // here: SQLite ignores the case, and GRDB finds lower-case names without a second search.
    struct Author: Codable, DatedRecord {
        static let databaseTableName = "ZAUTHOR"
        static let books = hasMany(Book.self, using: ForeignKey([Book.CodingKeys.author]))

        var key: Int64
        var entity: Int64
        var version: Int64 = 1
        var active: Bool
        var joined: Date
        var name: String

        enum CodingKeys: String, CodingKey, ColumnExpression {
            case key = "z_pk"
            case entity = "z_ent"
            case version = "z_opt"
            case active = "zactive"
            case joined = "zjoined"
            case name = "zname"
        }
    }

    struct Book: Codable, DatedRecord, GRDBBook {
        static let databaseTableName = "ZBOOK"
        static let writer = belongsTo(Author.self, key: "author", using: ForeignKey([CodingKeys.author]))

        var key: Int64
        var entity: Int64
        var version: Int64 = 1
        var pages: Int64
        var author: Int64?
        var price: Double
        var published: Date
        var rating: Float
        var isbn: String
        var note: String?
        var title: String

        enum CodingKeys: String, CodingKey, ColumnExpression {
            case key = "z_pk"
            case entity = "z_ent"
            case version = "z_opt"
            case pages = "zpages"
            case author = "zauthor"
            case price = "zprice"
            case published = "zpublished"
            case rating = "zrating"
            case isbn = "zisbn"
            case note = "znote"
            case title = "ztitle"
        }
    }

    private struct WrittenBook: Decodable, FetchableRecord {
        var book: Book
        var author: Author
    }

    private struct CountedAuthor: Decodable, FetchableRecord {
        var author: Author
        var members: Int
    }

    func run(_ work: Work, data: SourceData) throws -> Measurement {
        switch work {
        case .insert: return try insert(SwiftRows(data))
        case .readAll: return try readAll()
        case .query: return try query()
        case .queryByAuthor: return try queryByAuthor(data.authorCount)
        case .readByKey:
            let keys = data.shuffledIndexes.map { Int64($0 + 1) }
            return try readOne(keys) { try Book.fetchOne($0, key: $1) }
        case .readByISBN:
            let rows = SwiftRows(data).books
            let isbns = data.shuffledIndexes.map { rows[$0].isbn }
            return try readOne(isbns) { try Book.filter(Book.CodingKeys.isbn == $1).fetchOne($0) }
        case .prefetched: return try readAuthors()
        case .update: return try update()
        case .delete: return try deleteHalf()
        default: throw GRDBStore.refusal(of: work)
        }
    }

    private func insert(_ rows: SwiftRows) throws -> Measurement {
        try Measurement.of {
            try queue.write { db in
                let (firstAuthor, authorEntity) = try db.reserveKeys(of: "Author", count: rows.authors.count)
                let authors = rows.authors.enumerated().map { index, row in
                    Author(
                        key: firstAuthor + Int64(index), entity: authorEntity, active: row.active, joined: row.joined,
                        name: row.name)
                }
                let (firstBook, bookEntity) = try db.reserveKeys(of: "Book", count: rows.books.count)
                let books = rows.books.enumerated().map { index, row in
                    Book(
                        key: firstBook + Int64(index), entity: bookEntity, pages: row.pages,
                        author: authors[row.author].key, price: row.price, published: row.published,
                        rating: row.rating, isbn: row.isbn, note: row.note, title: row.title)
                }
                for author in authors { try author.insert(db) }
                for book in books { try book.insert(db) }
                return ((authors, books), authors.count + books.count, 0)
            }
        }
    }

    private func readAll() throws -> Measurement {
        try Measurement.of {
            let books = try queue.read { try Book.fetchAll($0) }
            return (books, books.count, books.reduce(0) { $0 + $1.fieldSum })
        }
    }

    private func query() throws -> Measurement {
        try Measurement.of {
            try queue.read { db in
                var (count, sum) = (0, 0.0)
                for index in 0..<Work.queries {
                    let letter = UInt8(ascii: "A") + UInt8(index % 25)
                    let (first, next) = (String(UnicodeScalar(letter)), String(UnicodeScalar(letter + 1)))
                    let request = Book.filter(Book.CodingKeys.pages > 40 + index % 1000)
                        .filter(Book.CodingKeys.title >= first && Book.CodingKeys.title < next)
                        .order(Book.CodingKeys.published.desc).limit(100)
                    for book in try request.fetchAll(db) {
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
                var (count, sum) = (0, 0.0)
                for index in 0..<Work.authorQueries {
                    let request = Book.filter(Book.CodingKeys.author == index % authors + 1)
                        .filter(Book.CodingKeys.pages > 40 + index % 1000)
                        .order(Book.CodingKeys.published.desc).limit(20)
                    for book in try request.fetchAll(db) {
                        count += 1
                        sum += book.fieldSum
                    }
                }
                return ((), count, sum)
            }
        }
    }

    private func readOne<Value>(
        _ values: [Value], _ fetch: (Database, Value) throws -> Book?
    ) throws -> Measurement {
        try Measurement.of {
            try queue.read { db in
                var (count, sum) = (0, 0.0)
                for value in values {
                    guard let book = try fetch(db, value) else { continue }
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
                let books = try Book.including(required: Book.writer).asRequest(of: WrittenBook.self).fetchAll(db)
                var sum = books.reduce(0) { $0 + Double($1.author.name.utf8.count) }
                let authors = try Author.annotated(with: Author.books.count.forKey("members"))
                    .asRequest(of: CountedAuthor.self).fetchAll(db)
                sum += Double(authors.reduce(0) { $0 + $1.members })
                return ((books, authors), authors.count { $0.members > 0 }, sum)
            }
        }
    }

    /// GRDB leaves it to programs whether a row is still the one that was read: nothing here compares the version.
    private func update() throws -> Measurement {
        try Measurement.of {
            try queue.write { db in
                var books = try Book.fetchAll(db)
                for index in books.indices {
                    books[index].version += 1
                    books[index].pages += 1
                    books[index].price += 0.25
                }
                for book in books {
                    try book.update(
                        db, columns: [Book.CodingKeys.version, Book.CodingKeys.pages, Book.CodingKeys.price])
                }
                return (books, books.count, 0)
            }
        }
    }

    private func deleteHalf() throws -> Measurement {
        try Measurement.of {
            try queue.write { db in
                let authors = try Author.fetchAll(db).filter { $0.key % 2 == 0 }
                // Author by author they lie all over the table.
                let books = try authors.flatMap { author in
                    try Book.filter(Book.CodingKeys.author == author.key).selectPrimaryKey(as: Int64.self).fetchAll(db)
                }.sorted()
                for key in books { try Book.deleteOne(db, key: key) }
                for author in authors { try author.delete(db) }
                return ((), books.count + authors.count, 0)
            }
        }
    }
}

/// A record whose dates are stored as Core Data stores them.
protocol DatedRecord: FetchableRecord, PersistableRecord {}

extension DatedRecord {
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSinceReferenceDate
    }
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .timeIntervalSinceReferenceDate
    }
}
