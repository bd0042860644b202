import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Proof: our derived attributes, read here.
@Suite("Derived attributes of a store in tables", .leavesNothingBehind, .onEveryDatabase)
struct DerivedAttributeTests {
    private static let text = """
        entity Author
          name string
          books many Book.author
        entity Book
          pages int64
          author one Author.books
        """

    private static func add(
        _ name: String, _ type: NSAttributeType, _ format: String, to entity: String, of model: NSManagedObjectModel
    ) {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        attribute.derivationExpression = CoreData.NSExpression(format: format)
        model.entitiesByName[entity]?.properties.append(attribute)
    }

    private func stack() throws -> TextStack {
        try TextStack(Self.text, kind: .current) { model in
            for (name, type, format) in [
                ("plainName", NSAttributeType.stringAttributeType, "canonical:(name)"),
                ("bookCount", .integer64AttributeType, "books.@count"),
                ("pageSum", .integer64AttributeType, "books.pages.@sum"),
                ("touched", .dateAttributeType, "now()"),
            ] {
                Self.add(name, type, format, to: "Author", of: model)
            }
            Self.add("authorName", .stringAttributeType, "author.name", to: "Book", of: model)
        }
    }

    @Test("Derived attributes follow own values and relationships as rows are inserted, changed and deleted")
    func follow() throws {
        let stack = try stack()
        let before = Date().timeIntervalSinceReferenceDate
        let context = stack.context()
        func authors() throws -> [String] {
            try stack.lines("Author", "plainName", "bookCount", "pageSum", versions: false).sorted()
        }
        func books() throws -> [String] { try stack.lines("Book", "pages", "authorName", versions: false).sorted() }
        try context.performAndWait {
            let (zoe, ann) = (context.make("Author", ["name": "Zoë"]), context.make("Author", ["name": "Ann"]))
            let small = context.make("Book", ["pages": 10, "author": zoe])
            let large = context.make("Book", ["pages": 20, "author": zoe])
            try context.save()
            #expect(try authors() == ["ann 0 0", "zoe 2 30"])
            #expect(try books() == ["10 Zoë", "20 Zoë"])
            let touched = try stack.lines("Author", "touched", versions: false).compactMap { Double($0) }
            #expect(touched.count == 2)
            // A database may count in microseconds.
            #expect(touched.allSatisfy { $0 >= before - 0.000_001 })

            small.setValue(ann, forKey: "author")
            try context.save()
            #expect(try authors() == ["ann 1 10", "zoe 1 20"])
            #expect(try books() == ["10 Ann", "20 Zoë"])

            zoe.setValue("Zora", forKey: "name")
            try context.save()
            #expect(try books() == ["10 Ann", "20 Zora"])

            // A row that was not read.
            let store = try #require(stack.coordinator.persistentStores.first as? SQLStore)
            try store.commit(ChangeSet(deleted: [.init(key: large.objectID.objectKey, row: nil)]))
            #expect(try authors() == ["ann 1 10", "zora 0 0"])
            #expect(try books() == ["10 Ann"])
        }
    }

    @Test("an attribute that another row changes is computed; one that reads it is computed when its own row changes")
    func readsDerived() throws {
        let stack = try TextStack(Self.text, kind: .current) { model in
            Self.add("authorName", .stringAttributeType, "author.name", to: "Book", of: model)
            Self.add("loudName", .stringAttributeType, "uppercase:(authorName)", to: "Book", of: model)
        }
        func books() throws -> [String] { try stack.lines("Book", "authorName", "loudName", versions: false) }
        let context = stack.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "Ann"])
            let book = context.make("Book", ["pages": 10, "author": author])
            try context.save()
            #expect(try books() == ["Ann ANN"])
            author.setValue("Zoe", forKey: "name")
            try context.save()
            #expect(try books() == ["Zoe ANN"])
            book.setValue(20, forKey: "pages")
            try context.save()
            #expect(try books() == ["Zoe ZOE"])
        }
    }

    @Test("a derivation that a store cannot keep refuses the model and leaves nothing")
    func impossible() throws {
        let folder = try TemporaryFolder()
        let error = try #require(throws: NSError.self) {
            _ = try TextStack("entity Odd\n values data", in: folder, kind: .current) { model in
                model.entitiesByName["Odd"]?.attributesByName["values"]?.attributeType = .transformableAttributeType
                Self.add("middle", .doubleAttributeType, "median:(values)", to: "Odd", of: model)
            }
        }
        #expect(error.localizedDescription.contains("Odd.middle"))
        if StoreKind.current == .sqlite {
            let files = SQLiteStoreFiles(folder.url.appendingPathComponent("Store.sqlite"))
            #expect(!files.exist)
        }
        // Another model can have the place.
        let stack = try TextStack(Self.text, in: folder, kind: .current)
        #expect(try stack.count("Author") == 0)
    }
}
