import Foundation
import TestSupport
import Testing

@testable import CoreData

/// A store of an older model with some objects, and a migration to a newer model by a mapping model.
struct MappedMigrationFixture {
    static let older = """
        entity Author
          name string
          born int32
          books many Book.author
        entity Book
          title string
          pages int32
          author one Author.books
          tags many Tag.books
          chapters ordered Chapter.book
        entity Chapter
          name string
          book one Book.chapters
        entity Tag
          word string
          books many Book.tags
        """
    static let newer = """
        entity Author
          name string!
          century int16
          books many Book.author
        entity Book
          heading string!
          pages int64
          author one! Author.books
          tags many Tag.books
          chapters ordered Chapter.book
        entity Chapter
          name string
          book one Book.chapters
        entity Tag
          word string
          books many Book.tags
        entity Shelf
          label string
        """

    let folder: URL
    let source: URL
    let destination: URL
    let olderModel = ModelText.model(Self.older)
    let newerModel = ModelText.model(Self.newer)

    /// Makes the older store: every book has one of the authors, two tags and two chapters.
    init(_ folder: URL, books: Int = 6, authors: Int = 2) throws {
        self.folder = folder
        source = folder.appendingPathComponent("Old.sqlite")
        destination = folder.appendingPathComponent("New.sqlite")
        try withStore(source, ModelText.model(Self.older)) { try Self.fill($0, books: books, authors: authors) }
    }

    static func fill(_ context: NSManagedObjectContext, books: Int, authors: Int) throws {
        let writers = (0..<authors).map { number in
            make("Author", ["name": "author \(number)", "born": 1801 + 100 * number], context)
        }
        let tags = ["red", "blue", "green"].map { make("Tag", ["word": $0], context) }
        for number in 0..<books {
            let book = make("Book", ["title": "book \(number)", "pages": number], context)
            book.setValue(writers[number % authors], forKey: "author")
            book.setValue(NSSet(array: [tags[number % 3], tags[(number + 1) % 3]]), forKey: "tags")
            let chapters = ["end", "begin"].map { make("Chapter", ["name": "\($0) \(number)"], context) }
            book.setValue(NSOrderedSet(array: chapters), forKey: "chapters")
        }
        try context.save()
    }

    @discardableResult
    static func make(_ entity: String, _ values: [String: Any], _ context: NSManagedObjectContext) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValuesForKeys(values)
        return object
    }

    /// The mapping model that an editor would make: names of the usual kind, expressions written out.
    func mapping(policies: [String: AnyClass] = [:]) -> NSMappingModel {
        let model = NSMappingModel()
        model.entityMappings = [
            entity("Author", ["name": "$source.name", "century": "$source.born"], ["books": ("BookToBook", "books")]),
            entity(
                "Book", ["heading": "$source.title", "pages": "$source.pages"],
                [
                    "author": ("AuthorToAuthor", "author"), "tags": ("TagToTag", "tags"),
                    "chapters": ("ChapterToChapter", "chapters"),
                ]),
            entity("Chapter", ["name": "$source.name"], ["book": ("BookToBook", "book")]),
            entity("Tag", ["word": "$source.word"], ["books": ("BookToBook", "books")]),
        ]
        for mapping in model.entityMappings {
            guard let policy = policies[mapping.destinationEntityName ?? ""] else { continue }
            mapping.mappingType = .customEntityMappingType
            mapping.entityMigrationPolicyClassName = NSStringFromClass(policy)
        }
        return model
    }

    func entity(
        _ name: String, _ attributes: [String: String], _ relationships: [String: (String, String)]
    ) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.name = "\(name)To\(name)"
        mapping.mappingType = .transformEntityMappingType
        mapping.sourceEntityName = name
        mapping.destinationEntityName = name
        mapping.sourceExpression = NSExpression(
            format: """
                FETCH(FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", "\(name)", "TRUEPREDICATE"), \
                $manager.sourceContext, NO)
                """)
        mapping.attributeMappings = attributes.sorted { $0.key < $1.key }.map { Self.property($0.key, $0.value) }
        mapping.relationshipMappings = relationships.sorted { $0.key < $1.key }.map { name, origin in
            Self.property(
                name,
                """
                FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "\(origin.0)", \
                $source.\(origin.1))
                """)
        }
        return mapping
    }

    static func property(_ name: String, _ expression: String?) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = name
        mapping.valueExpression = expression.map { NSExpression(format: $0) }
        return mapping
    }

    func manager() -> NSMigrationManager {
        NSMigrationManager(sourceModel: olderModel, destinationModel: newerModel)
    }

    func migrate(_ mapping: NSMappingModel, _ manager: NSMigrationManager? = nil) throws {
        try (manager ?? self.manager()).migrateStore(
            from: source, sourceType: NSSQLiteStoreType, options: nil, with: mapping, toDestinationURL: destination,
            destinationType: NSSQLiteStoreType, destinationOptions: nil)
    }

    /// Migrates the older store in its place, as adding it does.
    func migrateInPlace(_ mapping: NSMappingModel, progress: Progress? = nil) throws {
        let hop = MigrationHop(source: olderModel, target: newerModel, means: .mapping(mapping))
        let options: [AnyHashable: Any]? = progress.map { [NSMigrationProgressOption: $0] }
        try MigrationFeed.during(progress) {
            try WayMigration(request: MigrationRequest(at: source, to: newerModel, options: options), hops: [hop])
                .carryOut(from: SQLiteStoreMetadata.metadata(at: source))
        }
    }

    /// One line for every book of the migrated store.
    func books(at url: URL? = nil, type: String = NSSQLiteStoreType) throws -> [String] {
        try withStore(url ?? destination, ModelText.model(Self.newer), type: type) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = [NSSortDescriptor(key: "heading", ascending: true)]
            return try context.fetch(request).map { book in
                let author = book.value(forKeyPath: "author.name") as? String ?? "-"
                let tags = (book.value(forKey: "tags") as? NSSet)?.allObjects.compactMap {
                    ($0 as? NSManagedObject)?.value(forKey: "word") as? String
                }
                let chapters = (book.value(forKey: "chapters") as? NSOrderedSet)?.array.compactMap {
                    ($0 as? NSManagedObject)?.value(forKey: "name") as? String
                }
                return "\(book.value(forKey: "heading") ?? "-") \(book.value(forKey: "pages") ?? "-") \(author) "
                    + "\((tags ?? []).sorted().joined(separator: "+")) \((chapters ?? []).joined(separator: "+"))"
            }
        }
    }

    /// The books as they are to be.
    static func expectedBooks(_ count: Int, authors: Int = 2) -> [String] {
        let words = ["red", "blue", "green"]
        return (0..<count).map { number in
            let tags = [words[number % 3], words[(number + 1) % 3]].sorted().joined(separator: "+")
            return "book \(number) \(number) author \(number % authors) \(tags) end \(number)+begin \(number)"
        }
        .sorted()
    }

    /// The names of the files in the folder.
    func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
}
