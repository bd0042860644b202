#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

/// A store with books of some authors, and with programs of both versions.
struct BooksOfTwoVersions {
    static let older = """
        entity Book
          title string
          pages int32
          author one Author.books
        entity Author
          name string
          books many Book.author
        """
    static let newer = """
        entity Book
          title string
          pages int32
          authors many Author.books was author
        entity Author
          name string
          books many Book.authors
        """

    let store: OnlineStore
    let older: NSManagedObjectContext
    let newer: NSManagedObjectContext

    init(_ older: String = Self.older, _ newer: String = Self.newer) throws {
        store = try OnlineStore(older, newer)
        self.older = try store.open(older)
        try Self.fill(self.older)
        self.newer = try store.open(newer)
        // A refreshed object is read from the database, not from the program's caches.
        for context in [self.older, self.newer] { context.performAndWait { context.stalenessInterval = 0 } }
    }

    /// Authors by the order of their names, then books 0 and 1 of Anna, 2 of Bert, and 3 without an author.
    static func fill(_ context: NSManagedObjectContext) throws {
        try context.performAndWait {
            var authors: [NSManagedObject] = []
            for name in ["Anna", "Bert", "Carl", "Dora"] {
                authors.append(context.make("Author", ["name": name]))
                // Keys rise in the order of names.
                try context.save()
            }
            for (number, author) in [authors[0], authors[0], authors[1], nil].enumerated() {
                let book = context.make("Book", ["title": "\(number)", "pages": number])
                book.setValue(author, forKey: "author")
            }
            try context.save()
        }
    }

    func changeOlder(_ book: String, _ author: String?) throws {
        try older.performAndWait {
            older.refreshAllObjects()
            try object(older, "Book", book).setValue(
                author.map { try object(older, "Author", $0) }, forKey: "author")
            try older.save()
        }
    }

    /// Has a book have so many authors more, and so many less.
    func changeNewer(_ book: String, add added: [String] = [], remove removed: [String] = []) throws {
        try newer.performAndWait {
            newer.refreshAllObjects()
            let authors = try object(newer, "Book", book).mutableSetValue(forKey: "authors")
            for name in removed { authors.remove(try object(newer, "Author", name)) }
            for name in added { authors.add(try object(newer, "Author", name)) }
            try newer.save()
        }
    }

    func object(_ context: NSManagedObjectContext, _ entity: String, _ name: String) throws -> NSManagedObject {
        let key = entity == "Author" ? "name" : "title"
        return try #require(try context.all(entity, "\(key) == '\(name)'").first)
    }

    func delete(_ context: NSManagedObjectContext, _ entity: String, _ name: String) throws {
        try context.performAndWait {
            context.refreshAllObjects()
            context.delete(try object(context, entity, name))
            try context.save()
        }
    }

    func deleteBatch(_ context: NSManagedObjectContext, _ entity: String, _ condition: String) throws {
        try context.performAndWait {
            let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
            fetch.predicate = NSPredicate(format: condition)
            _ = try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
            context.reset()
        }
    }

    /// A book's authors in the older version, and in the newer one; nil where the other side of a version has other
    /// links.
    func links(_ book: String) throws -> String {
        let one = try older.performAndWait {
            older.refreshAllObjects()
            let object = try object(older, "Book", book)
            let author = object.value(forKey: "author") as? NSManagedObject
            for other in try older.all("Author") {
                let books = try #require(other.value(forKey: "books") as? Set<NSManagedObject>)
                #expect(books.contains(object) == (other === author), "\(book) \(other)")
            }
            return author?.value(forKey: "name") as? String ?? "-"
        }
        let many = try newer.performAndWait {
            newer.refreshAllObjects()
            let object = try object(newer, "Book", book)
            let authors = try #require(object.value(forKey: "authors") as? Set<NSManagedObject>)
            for other in try newer.all("Author") {
                let books = try #require(other.value(forKey: "books") as? Set<NSManagedObject>)
                #expect(books.contains(object) == authors.contains(other), "\(book) \(other)")
            }
            return authors.compactMap { $0.value(forKey: "name") as? String }.sorted().joined(separator: " ")
        }
        return "\(one) of \(many)"
    }
}
#endif
