import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Batch deletion", .leavesNothingBehind, .onEveryDatabase)
struct BatchDeleteTests {
    private static let model = """
        entity Author
          name string
          books many Book.author
          notes many Note.author
          profile one Profile.author
        entity Book
          title string
          cover data external
          author one Author.books
          pages many Page.book
          tags many Tag.books
          shelf one Shelf.books
        entity Comic : Book
          artist string
        entity Note
          text string
          author one Author.notes
        entity Page
          number int32
          book one! Book.pages
        entity Profile
          text string
          author one Author.profile
        entity Shelf
          name string
          books ordered Book.shelf
          labels many Label
        entity Label
          text string
        entity Tag
          name string
          books many Book.tags
        """

    private func stack(_ prepare: (NSManagedObjectModel) -> Void = { _ in }) throws -> TextStack {
        let stack = try TextStack(Self.model, kind: .current) { model in
            model.setRule(.cascadeDeleteRule, "Author", "books")
            model.setRule(.cascadeDeleteRule, "Book", "pages")
            prepare(model)
        }
        let context = stack.context()
        try context.performAndWait {
            let shelf = context.make("Shelf", ["name": "S"])
            shelf.setValue(NSSet(array: [context.make("Label", ["text": "L"])]), forKey: "labels")
            let tag = context.make("Tag", ["name": "T"])
            for name in ["Anna", "Bert"] {
                let author = context.make("Author", ["name": name])
                author.setValue(context.make("Profile", ["text": name]), forKey: "profile")
                context.make("Note", ["text": name, "author": author])
                for (entity, number) in [("Book", 1), ("Comic", 2)] {
                    let book = context.make(entity, ["title": "\(name) \(number)", "author": author, "shelf": shelf])
                    book.setValue(NSSet(array: [tag]), forKey: "tags")
                    book.setValue(Data(repeating: UInt8(number), count: 120_000), forKey: "cover")
                    for page in 1...3 { context.make("Page", ["number": page, "book": book]) }
                }
            }
            try context.save()
        }
        return stack
    }

    @discardableResult
    private func delete(
        _ stack: TextStack, _ entity: String, _ format: String? = nil,
        _ prepare: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
    ) throws -> Int {
        let context = stack.context()
        return try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = format.map { NSPredicate(format: $0) }
            prepare(request)
            let deletion = NSBatchDeleteRequest(fetchRequest: request)
            deletion.resultType = .resultTypeCount
            let result = try #require(try context.execute(deletion) as? NSBatchDeleteResult)
            return try #require(result.result as? Int)
        }
    }

    private func counts(_ stack: TextStack) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for entity in ["Author", "Book", "Note", "Page", "Profile", "Shelf", "Label", "Tag"] {
            counts[entity.lowercased()] = try stack.count(entity)
        }
        counts["pairs"] = try stack.count("Tag", membersOf: "books")
        if stack.kind == .sqlite {
            let raw = try stack.raw()
            let pairs = try #require(raw.tables.first { $0.hasSuffix("TAGS") && $0.hasPrefix("Z_") })
            #expect(try raw.integer("SELECT COUNT(*) FROM \(pairs)") == counts["pairs"].map(Int64.init))
        }
        return counts
    }

    @Test("cascades go all the way, inverse references become nil and their rows' versions rise, pairs and files go")
    func rules() throws {
        let stack = try stack()
        #expect(try stack.externalFiles()?.count ?? 4 == 4)
        #expect(try delete(stack, "Author", "name == 'Anna'") == 1)
        #expect(
            try counts(stack) == [
                "author": 1, "book": 2, "note": 2, "page": 6, "profile": 2, "shelf": 1, "label": 1, "tag": 1,
                "pairs": 2,
            ])
        #expect(try stack.lines("Note", "text", "author").sorted() == ["Anna - 2", "Bert Bert 1"])
        #expect(try stack.lines("Profile", "text", "author").sorted() == ["Anna - 2", "Bert Bert 1"])
        #expect(try stack.externalFiles()?.count ?? 2 == 2)
        if stack.kind == .sqlite { #expect(try stack.raw().integrityCheck() == ["ok"]) }
    }

    @Test(
        "only rows of the entity and of its subentities go; an ordered relationship without the deleted keeps its order"
    )
    func subentities() throws {
        let stack = try stack()
        #expect(try delete(stack, "Comic") == 2)
        #expect(try counts(stack)["book"] == 2)
        #expect(try counts(stack)["page"] == 6)
        #expect(try delete(stack, "Book", nil) { $0.includesSubentities = false } == 2)
        #expect(try counts(stack)["book"] == 0)
        let shelves = try self.stack()
        #expect(try delete(shelves, "Shelf") == 1)
        let books = try shelves.lines("Book", "shelf", versions: false)
        #expect(books == Array(repeating: "-", count: 4))
        #expect(try counts(shelves)["label"] == 1)
        if shelves.kind == .sqlite {
            let columns = try shelves.raw().rows("SELECT ZSHELF, Z_FOK_SHELF FROM ZBOOK")
            #expect(columns == Array(repeating: [.null, .null], count: 4))
            let label = try #require(try shelves.raw().rows("SELECT * FROM ZLABEL").first)
            #expect(label.filter(\.isNull).count == 1)
        }
    }

    @Test("offset, limit and order choose which rows go")
    func limits() throws {
        let stack = try stack()
        let count = try delete(stack, "Page") {
            $0.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
            $0.fetchLimit = 5
        }
        #expect(count == 5)
        let left = try stack.lines("Page", "number", versions: false).sorted()
        #expect(left == ["1", "1", "1", "1", "2", "2", "2"])
    }

    @Test("ids choose rows too, of several subentities; the ids come back")
    func objectIDs() throws {
        let stack = try stack()
        let context = stack.context()
        try context.performAndWait {
            let books = try context.all("Book", "author.name == 'Bert'").map(\.objectID)
            let request = NSBatchDeleteRequest(objectIDs: books)
            #expect(request.fetchRequest.entityName == "Book")
            request.resultType = .resultTypeObjectIDs
            let result = try #require(try context.execute(request) as? NSBatchDeleteResult)
            #expect(Set(try #require(result.result as? [NSManagedObjectID])) == Set(books))
            #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 2)
            #expect(try context.execute(NSBatchDeleteRequest(objectIDs: [])) is NSBatchDeleteResult)
        }
        #expect(try counts(stack)["book"] == 2)
    }

    @Test("a row that stays without its mandatory owner fails the request, unless the request deletes it too")
    func mandatory() throws {
        let stack = try stack { $0.setRule(.nullifyDeleteRule, "Book", "pages") }
        let before = try counts(stack)
        let error = try #require(throws: NSError.self) { try delete(stack, "Book", "title == 'Anna 1'") }
        #expect(error.localizedDescription.contains("mandatory OTM nullify inverse on Page/book"))
        #expect(try counts(stack) == before)
        #expect(try delete(stack, "Page") == 12)
        #expect(try delete(stack, "Book", "title == 'Anna 1'") == 1)
    }

    @Test("the deny rule fails the request while a member stays")
    func deny() throws {
        let stack = try stack { $0.setRule(.denyDeleteRule, "Author", "notes") }
        let error = try #require(throws: NSError.self) { try delete(stack, "Author") }
        #expect(error.code == NSValidationRelationshipDeniedDeleteError)
        #expect(try counts(stack)["author"] == 2)
        #expect(try delete(stack, "Note", "text == 'Anna'") == 1)
        #expect(try delete(stack, "Author", "name == 'Anna'") == 1)
    }

    @Test("the deny rule has the same code in a batch and in a save; a mandatory owner that goes has 134060 and 1570")
    func codes() throws {
        let cases: [(NSDeleteRule, entity: String, property: String, inBatch: Int, inSave: Int)] = [
            (.denyDeleteRule, "Author", "notes", 1600, 1600), (.nullifyDeleteRule, "Book", "pages", 134060, 1570),
        ]
        for (rule, entity, property, inBatch, inSave) in cases {
            let stack = try stack { $0.setRule(rule, entity, property) }
            let refused = try #require(throws: NSError.self) { try delete(stack, entity) }
            #expect(refused.code == inBatch)
            let context = stack.context()
            try context.performAndWait {
                context.delete(try #require(try context.all(entity).first))
                let error = try #require(throws: NSError.self) { try context.save() }
                let errors = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
                #expect(Set(errors.map(\.code)) == [inSave])
            }
        }
    }

    @Test("a chain of cascades of any length goes, to-one and many-to-many cascades lead on, a circle ends")
    func chains() throws {
        let text = """
            entity Node
              number int32
              next one Node.previous
              previous one Node.next
              friends many Node.fans
              fans many Node.friends
            """
        let stack = try TextStack(text, kind: .current) {
            $0.setRule(.cascadeDeleteRule, "Node", "next")
            $0.setRule(.cascadeDeleteRule, "Node", "friends")
        }
        let context = stack.context()
        try context.performAndWait {
            let nodes = (0..<3000).map { context.make("Node", ["number": $0]) }
            for (one, other) in zip(nodes, nodes.dropFirst()) { one.setValue(other, forKey: "next") }
            let friend = context.make("Node", ["number": -1])
            let stranger = context.make("Node", ["number": -2])
            nodes[2999].setValue(NSSet(array: [friend]), forKey: "friends")
            friend.setValue(NSSet(array: [nodes[5]]), forKey: "friends")
            stranger.setValue(NSSet(array: [friend]), forKey: "friends")
            try context.save()
        }
        #expect(try delete(stack, "Node", "number == 1000") == 1)
        // 1000 to 2999, the friend, its friend 5, and what follows it.
        let left = try stack.lines("Node", "number", versions: false).compactMap { Int($0) }
        #expect(left.sorted() == [-2, 0, 1, 2, 3, 4])
        #expect(try stack.count("Node", membersOf: "friends") == 0)
        #expect(try stack.lines("Node", "next.number", versions: false).filter { $0 != "-" }.count == 4)
        if stack.kind == .sqlite {
            let raw = try stack.raw()
            let pairs = try #require(raw.tables.first { $0.hasPrefix("Z_1") })
            #expect(try raw.integer("SELECT COUNT(*) FROM \(pairs)") == 0)
            #expect(try raw.integer("SELECT COUNT(*) FROM ZNODE WHERE ZNEXT NOT IN (SELECT Z_PK FROM ZNODE)") == 0)
        }
    }

    @Test("a deletion of most rows holds none of them in memory")
    func manyRows() throws {
        let stack = try TextStack("entity Tag\n label string", kind: .current)
        let context = stack.context()
        let store = try #require(stack.coordinator.persistentStores.first as? SQLStore)
        try context.performAndWait {
            try context.execute(
                NSBatchInsertRequest(entityName: "Tag", objects: (0..<2000).map { ["label": "\($0)"] }))
            _ = try context.all("Tag")
            #expect(store.rowCache.count == 2000)
        }
        #expect(try delete(stack, "Tag", "label != '7'") == 1999)
        #expect(store.rowCache.count == 0)
        #expect(try stack.lines("Tag", "label", versions: false) == ["7"])
    }
}
