import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Batch update", .leavesNothingBehind, .onEveryDatabase)
struct BatchUpdateTests {
    private typealias NSExpression = CoreData.NSExpression

    private static let model = """
        entity Author
          name string
          books many Book.author
        entity Book
          title string
          pages int32
          price double
          cover data external
          author one Author.books
        entity Novel : Book
          genre string
        """

    private func stack() throws -> TextStack {
        let stack = try TextStack(Self.model, kind: .current)
        let context = stack.context()
        try context.performAndWait {
            let anna = context.make("Author", ["name": "Anna"])
            let bert = context.make("Author", ["name": "Bert"])
            context.make("Book", ["title": "A", "pages": 100, "price": 2.5, "author": anna])
            context.make("Book", ["title": "B", "pages": 200, "price": 4.0, "author": bert])
            context.make("Novel", ["title": "N", "pages": 300, "price": 8.0, "author": anna])
            try context.save()
        }
        return stack
    }

    private func update(
        _ stack: TextStack, _ values: [AnyHashable: Any], _ format: String? = nil,
        _ prepare: (NSBatchUpdateRequest) -> Void = { _ in }
    ) throws -> [String] {
        let context = stack.context()
        return try context.performAndWait {
            let request = NSBatchUpdateRequest(entityName: "Book")
            request.propertiesToUpdate = values
            request.predicate = format.map { NSPredicate(format: $0) }
            request.resultType = .updatedObjectIDsResultType
            prepare(request)
            let result = try #require(try context.execute(request) as? NSBatchUpdateResult)
            let ids = try #require(result.result as? [NSManagedObjectID])
            return try ids.map { try context.existingObject(with: $0).value(forKey: "title") as? String ?? "" }.sorted()
        }
    }

    private func lines(_ stack: TextStack) throws -> [String] {
        try stack.lines("Book", "title", "pages", "price")
    }

    @Test("constants and expressions are set where the predicate holds, and versions rise")
    func values() throws {
        let stack = try stack()
        #expect(try update(stack, ["pages": 5], "author.name == 'Anna'") == ["A", "N"])
        #expect(try lines(stack) == ["A 5 2.5 2", "B 200 4.0 1", "N 5 8.0 2"])
        #expect(
            try update(stack, ["pages": NSExpression(format: "pages * 2 + 1"), "price": NSNull()], "price > 3")
                == ["B", "N"])
        #expect(try lines(stack) == ["A 5 2.5 2", "B 401 - 2", "N 11 - 3"])
    }

    @Test("an expression sees every row as it was before the request, across relationships too")
    func expressions() throws {
        let stack = try stack()
        let title = try #require(stack.coordinator.managedObjectModel.entitiesByName["Book"]?.propertiesByName["title"])
        #expect(
            try update(
                stack,
                [title: NSExpression(format: "author.name"), "pages": NSExpression(format: "author.books.pages.@max")]
            ) == ["Anna", "Anna", "Bert"])
        #expect(try lines(stack) == ["Anna 300 2.5 2", "Bert 200 4.0 2", "Anna 300 8.0 2"])
    }

    @Test(
        "rows of subentities are left out when the request says so, and a request for a subentity sets its own attributes"
    )
    func subentities() throws {
        let stack = try stack()
        #expect(try update(stack, ["pages": 1]) { $0.includesSubentities = false } == ["A", "B"])
        let context = stack.context()
        try context.performAndWait {
            let request = NSBatchUpdateRequest(entityName: "Novel")
            request.propertiesToUpdate = ["genre": "crime"]
            let result = try #require(try context.execute(request) as? NSBatchUpdateResult)
            #expect(result.result as? Bool == true)
            #expect(try context.all("Novel").first?.value(forKey: "genre") as? String == "crime")
        }
    }

    @Test("a to-one relationship is set to an object or cleared")
    func toOne() throws {
        let stack = try stack()
        let context = stack.context()
        let bert = try context.performAndWait {
            try #require(try context.all("Author", "name == 'Bert'").first).objectID
        }
        #expect(try update(stack, ["author": bert], "title == 'A'") == ["A"])
        #expect(try update(stack, ["author": NSNull()], "title == 'N'") == ["N"])
        #expect(try stack.lines("Book", "title", "author") == ["A Bert 2", "B Bert 1", "N - 2"])
    }

    @Test(
        "a fault that fires later, and an object that is refreshed, have the new values; a stale change is a conflict")
    func rowCache() throws {
        let stack = try stack()
        let context = stack.context()
        try context.performAndWait {
            let book = try #require(try context.all("Book", "title == 'A'").first)
            #expect(book.value(forKey: "pages") as? Int == 100)
            _ = try update(stack, ["pages": 7])
            let other = stack.context()
            other.performAndWait {
                let same = other.object(with: book.objectID)
                #expect(same.value(forKey: "pages") as? Int == 7)
            }
            #expect(book.value(forKey: "pages") as? Int == 100)
            book.setValue(1, forKey: "pages")
            let error = try #require(throws: NSError.self) { try context.save() }
            #expect(error.code == NSManagedObjectMergeError)
            context.refresh(book, mergeChanges: false)
            #expect(book.value(forKey: "pages") as? Int == 7)
        }
    }

    @Test("files of external values that are replaced go, and each row has its own new one")
    func externalData() throws {
        let stack = try stack()
        func covers() throws -> [String] {
            let context = stack.context()
            return try context.performAndWait {
                try context.all("Book").map { book in
                    let cover = book.value(forKey: "cover") as? Data ?? Data()
                    return "\(book.text("title") ?? ""): \(cover.count) of \(Set(cover))"
                }.sorted()
            }
        }
        _ = try update(stack, ["cover": Data(repeating: 1, count: 150_000)])
        let first = try stack.externalFiles()
        #expect(first.map(\.count) ?? 3 == 3)
        _ = try update(stack, ["cover": Data(repeating: 2, count: 150_000)], "title != 'N'")
        #expect(try covers() == ["A: 150000 of [2]", "B: 150000 of [2]", "N: 150000 of [1]"])
        if let first, let second = try stack.externalFiles() {
            #expect(second.count == 3)
            #expect(second.intersection(first).count == 1)
        }
        _ = try update(stack, ["cover": Data([5])])
        #expect(try stack.externalFiles() ?? [] == [])
        #expect(try covers() == ["A: 1 of [5]", "B: 1 of [5]", "N: 1 of [5]"])
    }

    @Test("a broken uniqueness constraint and properties that cannot be set are errors, and nothing is changed")
    func errors() throws {
        let stack = try TextStack("entity Tag\n label string\n rank int16\n unique label", kind: .current)
        let context = stack.context()
        try context.performAndWait {
            try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["label": "a"], ["label": "b"]]))
            for (values, code) in [
                (["label": "same", "rank": 1], NSManagedObjectConstraintMergeError), (["colour": 1], NSCoreDataError),
                ([:], NSCoreDataError), (["rank": "high"], NSManagedObjectValidationError),
            ] as [([AnyHashable: Any], Int)] {
                let request = NSBatchUpdateRequest(entityName: "Tag")
                request.propertiesToUpdate = values
                let error = try #require(throws: NSError.self) { try context.execute(request) }
                #expect(error.code == code)
            }
        }
        #expect(try stack.lines("Tag", "label", "rank") == ["a - 1", "b - 1"])
    }

    @Test("Derived attributes follow batches: of the rows themselves, of their owners, after a deletion too")
    func derived() throws {
        let text = """
            entity Author
              name string
              books many Book.author
            entity Book
              title string
              pages int32
              author one Author.books
            """
        let stack = try TextStack(text, kind: .current) { model in
            for (entity, name, type, format) in [
                ("Author", "plain", NSAttributeType.stringAttributeType, "canonical:(name)"),
                ("Author", "total", .integer64AttributeType, "books.pages.@sum"),
                ("Book", "writer", .stringAttributeType, "author.name"),
            ] {
                let attribute = NSDerivedAttributeDescription()
                attribute.name = name
                attribute.attributeType = type
                attribute.isOptional = true
                attribute.derivationExpression = NSExpression(format: format)
                model.entitiesByName[entity]?.properties.append(attribute)
            }
        }
        let context = stack.context()
        try context.performAndWait {
            try context.execute(
                NSBatchInsertRequest(entityName: "Author", objects: [["name": "Zoë"], ["name": "Ann"]]))
            let zoe = try #require(try context.all("Author", "name == 'Zoë'").first)
            #expect(zoe.value(forKey: "plain") as? String == "zoe")
            for pages in [10, 20, 30] { context.make("Book", ["pages": pages, "author": zoe]) }
            try context.save()
            let books = NSBatchUpdateRequest(entityName: "Book")
            books.propertiesToUpdate = ["pages": NSExpression(format: "pages + 1")]
            try context.execute(books)
            let authors = NSBatchUpdateRequest(entityName: "Author")
            authors.propertiesToUpdate = ["name": "Noël"]
            try context.execute(authors)
        }
        #expect(try stack.lines("Author", "plain", "total", versions: false) == ["noel 63", "noel 0"])
        #expect(try stack.lines("Book", "writer", "pages", versions: false) == ["Noël 11", "Noël 21", "Noël 31"])
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "pages > 15")
            try context.execute(NSBatchDeleteRequest(fetchRequest: request))
            let other = stack.context()
            try other.performAndWait {
                let authors = try other.all("Author", "total == 11")
                #expect(authors.count == 1)
            }
        }
    }
}
