import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Derived attributes of a SQLite store", .leavesNothingBehind)
struct DerivedAttributeTests {
    private static func derived(_ name: String, _ type: NSAttributeType, _ format: String)
        -> NSDerivedAttributeDescription
    {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        attribute.derivationExpression = CoreData.NSExpression(format: format)
        return attribute
    }

    private static func model() -> NSManagedObjectModel {
        let make = StoreFixtureModel.self
        let author = make.entity(
            "Author",
            [
                make.attribute("name", .stringAttributeType),
                derived("plainName", .stringAttributeType, "canonical:(name)"),
                derived("bookCount", .integer64AttributeType, "books.@count"),
                derived("pageSum", .integer64AttributeType, "books.pages.@sum"),
                derived("touched", .dateAttributeType, "now()"),
            ])
        let book = make.entity(
            "Book",
            [
                make.attribute("pages", .integer64AttributeType),
                derived("authorName", .stringAttributeType, "author.name"),
            ])
        make.pair(book, "author", .one, author, "books", .many)
        let model = NSManagedObjectModel()
        model.entities = [author, book]
        return model
    }

    @Test("they follow own values, relationships to one and to many, as rows are inserted, changed and deleted")
    func follow() throws {
        let fixture = try StoreFixture(model: Self.model(), at: nil)
        let before = Date().timeIntervalSinceReferenceDate
        let authors = try fixture.insert("Author", [["name": "Zoë"], ["name": "Ann"]])
        try fixture.insert("Book", [["pages": 10, "author": authors[0]], ["pages": 20, "author": authors[0]]])
        func authorLine(_ name: String) throws -> String {
            let row = try #require(try fixture.rows("Author", NSPredicate(format: "name == %@", name)).first)
            return "\(row.string(fixture.slot("Author", "plainName"))) \(row.int(fixture.slot("Author", "bookCount"))) "
                + "\(row.int(fixture.slot("Author", "pageSum")))"
        }
        #expect(try authorLine("Zoë") == "zoe 2 30")
        #expect(try authorLine("Ann") == "ann 0 0")
        let touched = try #require(try fixture.rows("Author").first).double(fixture.slot("Author", "touched"))
        #expect(touched >= before)
        #expect(try fixture.strings("Book", "authorName") == ["Zoë", "Zoë"])

        let books = try fixture.rows("Book", sort: [NSSortDescriptor(key: "pages", ascending: true)])
        try fixture.update(books[0], ["author": authors[1]])
        #expect(try authorLine("Zoë") == "zoe 1 20")
        #expect(try authorLine("Ann") == "ann 1 10")
        #expect(try fixture.strings("Book", "authorName") == ["Ann", "Zoë"])

        let zoe = try #require(try fixture.rows("Author", NSPredicate(format: "name == 'Zoë'")).first)
        try fixture.update(zoe, ["name": "Zora"])
        #expect(try fixture.strings("Book", "authorName") == ["Ann", "Zora"])

        let book = ObjectKey(layoutIndex: books[1].layoutIndex, key: books[1].key)
        try fixture.store.write(ChangeSet(deleted: [.init(key: book, row: nil)]))
        #expect(try authorLine("Zora") == "zora 0 0")
    }

    @Test("a derivation that a store cannot keep refuses the model and leaves no file")
    func impossible() throws {
        try withTemporaryFolder { folder in
            let model = NSManagedObjectModel()
            model.entities = [
                StoreFixtureModel.entity(
                    "Odd",
                    [
                        StoreFixtureModel.attribute("values", .transformableAttributeType),
                        Self.derived("middle", .doubleAttributeType, "median:(values)"),
                    ])
            ]
            let url = folder.appendingPathComponent("odd.sqlite")
            let error = try #require(throws: NSError.self) { _ = try StoreFixture(model: model, at: url) }
            #expect(error.localizedDescription.contains("Odd.middle"))
            #expect(!SQLiteStoreFiles(url).exist)
        }
    }
}
