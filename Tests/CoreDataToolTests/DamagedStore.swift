import CoreData
import Foundation
import TestSupport

/// A store that tests damage by means of SQLite, or in the text of its XML.
enum DamagedStore {
    static func model() -> NSManagedObjectModel {
        let model = ModelText.model(
            """
            entity Author
              name string
              books many Book.author
              card one Card.owner
              photo data! external
            entity Card
              owner one Author.card
            abstract entity Thing
              title string
            entity Book : Thing
              pages int16
              rating float
              code int32!
              seen date
              author one Author.books
              cover data external
              tags many Tag.books
              unique code
            entity Tag
              name string
              books ordered Book.tags
            """)
        let derived: [(String, NSAttributeType, String)] = [
            ("count", .integer64AttributeType, "books.@count"), ("sum", .integer64AttributeType, "books.@sum.pages"),
            ("plain", .stringAttributeType, "canonical:(name)"), ("small", .stringAttributeType, "lowercase:(name)"),
            ("large", .stringAttributeType, "uppercase:(name)"), ("changed", .dateAttributeType, "now()"),
        ]
        model.entitiesByName["Author"]?.properties += derived.map { name, type, expression in
            let attribute = NSDerivedAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            attribute.derivationExpression = NSExpression(format: expression)
            return attribute
        }
        return model
    }

    /// Two authors with a card each, three books, two tags: Author/1 (Émile) has Book/1 and Book/3, Author/2 (Bob) has
    /// Book/2; Tag/1 has Book/2 and Book/1, Tag/2 has Book/1. Card/1 is of Author/1, Card/2 of Author/2.
    static func make(in folder: URL, type: String = NSSQLiteStoreType) throws -> URL {
        let url = folder.appendingPathComponent("Store")
        let model = model()
        try model.archive().write(to: folder.appendingPathComponent("Model.mom"))
        try withStore(url, model, type: type, options: nil) { context in
            func make(_ entity: String, _ values: [String: Any]) throws -> NSManagedObject {
                let object = context.make(entity, values)
                try context.obtainPermanentIDs(for: [object])
                return object
            }
            let file = Data(repeating: 7, count: 200_000)
            let authors = try ["Émile", "Bob"].map { try make("Author", ["name": $0, "photo": file]) }
            for author in authors { _ = try make("Card", ["owner": author]) }
            var books: [NSManagedObject] = []
            for number in 0..<3 {
                var values: [String: Any] = ["title": "t\(number)", "pages": 10 * (number + 1), "code": number]
                values["author"] = authors[number % 2]
                values["cover"] = Data(repeating: UInt8(number), count: 200_000)
                books.append(try make("Book", values))
            }
            _ = try make("Tag", ["name": "one", "books": NSOrderedSet(array: [books[1], books[0]])])
            _ = try make("Tag", ["name": "two", "books": NSOrderedSet(array: [books[0]])])
            try context.save()
        }
        return url
    }

    static func damage(_ url: URL, _ statements: String) throws { try RawDatabase(url).execute(statements) }

    /// Takes the file of a value away.
    static func removeFile(of column: String, _ table: String, _ key: Int64, _ url: URL) throws {
        let rows = try RawDatabase(url).column("SELECT \(column) FROM \(table) WHERE Z_PK = \(key)")
        guard case .blob(let bytes)? = rows.first else { return }
        // A tag stands in front of the name, and a zero behind it.
        let name = String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
        let folder = url.deletingLastPathComponent().appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
}
