import CoreData

/// A book of the shop. Programs name it by `id`; `version` counts its changes.
final class Book: NSManagedObject {
    @NSManaged var id: UUID
    @NSManaged var title: String
    @NSManaged var year: Int32
    @NSManaged var pages: Int32
    @NSManaged var version: Int64
    @NSManaged var authors: Set<Author>
    /// Only the second version of the model has this attribute. It must not be read under the first one.
    @NSManaged var language: String

    override func awakeFromInsert() {
        super.awakeFromInsert()
        id = UUID()
    }
}

/// An author of books; the name is unique.
final class Author: NSManagedObject {
    @NSManaged var name: String
    @NSManaged var books: Set<Book>
}

extension Author {
    /// The author of that name, made if there is none.
    static func named(_ name: String, in context: NSManagedObjectContext) throws -> Author {
        let request = NSFetchRequest<Author>(entityName: "Author")
        request.predicate = NSPredicate(format: "name == %@", name)
        if let author = try context.fetch(request).first { return author }
        let author = Author(context: context)
        author.name = name
        return author
    }
}

/// The service's answer about a book.
struct BookText: Encodable {
    let id: UUID
    let title: String
    let year: Int32
    let pages: Int32
    let authors: [String]
    let language: String?
    let version: Int64

    init(_ book: Book) {
        (id, title, year, pages, version) = (book.id, book.title, book.year, book.pages, book.version)
        authors = book.authors.map(\.name).sorted()
        language = book.hasLanguage ? book.language : nil
    }
}

/// The values that a client sends for a book. A value that is absent stays as it is.
struct BookChange: Decodable {
    var title: String?
    var year: Int32?
    var pages: Int32?
    var authors: [String]?
    var language: String?
    /// The version of the book that the change is meant for.
    var version: Int64?
}

extension Book {
    var hasLanguage: Bool { entity.attributesByName["language"] != nil }

    func apply(_ change: BookChange) throws {
        if let title = change.title { self.title = title }
        if let year = change.year { self.year = year }
        if let pages = change.pages { self.pages = pages }
        if let names = change.authors, let context = managedObjectContext {
            authors = try Set(names.map { try Author.named($0, in: context) })
        }
        if let language = change.language {
            guard hasLanguage else { throw Refusal(422, "this version of the service knows no languages") }
            self.language = language
        }
    }
}
