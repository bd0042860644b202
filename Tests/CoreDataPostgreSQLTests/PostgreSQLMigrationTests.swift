#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLMigrationTests {
    private static var options: [AnyHashable: Any] {
        [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            NSMigrationKnownVersionsOption: [ModelText.model(older)],
        ]
    }

    private static let older = """
        entity Book
          title string! = untitled
          pages int32
          price double
          copies int16 = 3
          inPrint bool
          cover data external
          author one Person.books
          tags many Tag.books
          chapters ordered Chapter.book
          notes many Note
        entity Chapter
          name string
          book one Book.chapters
        entity Note
          text string
        entity Person
          name string
          born date
          books many Book.author
        entity Writer : Person
          penName string
        entity Tag
          label string index
          books many Book.tags
        """

    private static func fill(_ context: NSManagedObjectContext) throws {
        let people = [
            context.make("Person", ["name": "Anna", "born": Date(timeIntervalSinceReferenceDate: 1.5)]),
            context.make("Writer", ["name": "Bo", "penName": "B."]),
        ]
        let tags = ["red", "blue", "green"].map { context.make("Tag", ["label": $0]) }
        for number in 0..<6 {
            let book = context.make("Book", ["title": "Book \(number)", "pages": number * 100])
            if number != 2 { book.setValue(Double(number) * 2, forKey: "price") }
            book.setValue(number % 2 == 0, forKey: "inPrint")
            book.setValue(Data(repeating: 1, count: number), forKey: "cover")
            if number < 4 { book.setValue(people[number % 2], forKey: "author") }
            book.setValue(NSSet(array: Array(tags.prefix(number % 4))), forKey: "tags")
            let chapters = (0..<number % 3).map { context.make("Chapter", ["name": "\(number).\(2 - $0)"]) }
            book.setValue(NSOrderedSet(array: chapters), forKey: "chapters")
            book.setValue(NSSet(object: context.make("Note", ["text": "about \(number)"])), forKey: "notes")
        }
        try context.save()
    }

    @Test("Derived attributes that a version adds are computed for the rows that are there")
    func derived() throws {
        try withDatabase { url, _ in
            let text = """
                entity Author
                  name string
                  books many Book.author
                entity Writer : Author
                entity Book
                  pages int32
                  author one Author.books
                """
            try withStore(url, ModelText.model(text), type: NSPostgreSQLStoreType) { context in
                for number in 0..<1_100 {
                    let author = context.make(number % 2 == 0 ? "Author" : "Writer", ["name": "Zoë \(number)"])
                    context.make("Book", ["pages": number, "author": author])
                }
                try context.save()
            }
            let newer = ModelText.model(text)
            for (entity, name, type, format) in [
                ("Author", "plain", NSAttributeType.stringAttributeType, "canonical:(name)"),
                ("Author", "again", .stringAttributeType, "uppercase:(plain)"),
                ("Author", "total", .integer64AttributeType, "books.pages.@sum"),
                ("Writer", "loud", .stringAttributeType, "uppercase:(name)"),
                ("Book", "writer", .stringAttributeType, "author.name"),
                ("Book", "changed", .dateAttributeType, "now()"),
            ] {
                let attribute = NSDerivedAttributeDescription()
                attribute.name = name
                attribute.attributeType = type
                attribute.isOptional = true
                attribute.derivationExpression = CoreData.NSExpression(format: format)
                newer.entitiesByName[entity]?.properties.append(attribute)
            }
            var options = Self.options
            options[NSMigrationKnownVersionsOption] = [ModelText.model(text)]
            try withStore(url, newer, type: NSPostgreSQLStoreType, options: options) { context in
                let books = try context.all("Book")
                #expect(books.count == 1_100)
                for book in books {
                    let number = book.value(forKey: "pages") as? Int ?? -1
                    let author = try #require(book.value(forKey: "author") as? NSManagedObject)
                    let values = ["plain", "again", "total"].map { "\(author.value(forKey: $0) ?? "nil")" }
                    #expect(values == ["zoe \(number)", "ZOE \(number)", "\(number)"])
                    if number % 2 == 1 { #expect(author.value(forKey: "loud") as? String == "ZOË \(number)") }
                    #expect(book.value(forKey: "writer") as? String == "Zoë \(number)")
                    #expect(book.value(forKey: "changed") is Date)
                }
            }
        }
    }

    /// The edit of the older model's lines: each makes a version that can be inferred.
    enum Change: String, CaseIterable {
        case addedAttributes, addedDefault, removedAttributes, renamedAttribute, exchangedNames, renamedEntity
        case renamedSubentity, addedEntity, removedEntity, removedSubentity, newParent, widerNumbers, realPages
        case wholePrice, truthToNumber, manyToOrdered, toOneToMany, addedIndex, removedIndex, uniqueTitle
        case external, mandatoryWithDefault, inverseAdded, everything

        var newer: String {
            func with(_ changes: (String, String)...) -> String {
                changes.reduce(PostgreSQLMigrationTests.older) { text, change in
                    text.replacingOccurrences(of: change.0, with: change.1)
                }
            }
            switch self {
            case .addedAttributes: return with(("  price double", "  price double\n  isbn string\n  weight float"))
            case .addedDefault:
                return with(("  price double", "  price double\n  shop string! = ours\n  stock int64! = 7"))
            case .removedAttributes: return with(("  price double\n", ""), ("  penName string\n", ""))
            case .renamedAttribute: return with(("  pages int32", "  numberOfPages int32 was pages"))
            case .exchangedNames:
                return with(
                    ("  pages int32", "  pages int16 was copies"), ("  copies int16", "  copies int32 was pages"))
            case .renamedEntity:
                return with(
                    ("entity Book", "entity Volume was Book"), ("Book.", "Volume."), ("one Book", "one Volume"))
            case .renamedSubentity:
                return with(("entity Writer : Person", "entity Novelist : Person was Writer\n  x string"))
            case .addedEntity: return "entity Album\n  name string\n" + PostgreSQLMigrationTests.older
            case .removedEntity: return with(("entity Note\n  text string\n", ""), ("  notes many Note\n", ""))
            case .removedSubentity: return with(("entity Writer : Person\n  penName string\n", ""))
            case .newParent: return with(("entity Tag", "entity Thing\n  kind string\nentity Tag : Thing"))
            case .widerNumbers: return with(("pages int32", "pages int64"), ("copies int16", "copies int32"))
            case .realPages: return with(("pages int32", "pages double"), ("price double", "price decimal"))
            case .wholePrice: return with(("price double", "price int32"))
            case .truthToNumber: return with(("inPrint bool", "inPrint int64"))
            case .manyToOrdered: return with(("tags many Tag", "tags ordered Tag"))
            case .toOneToMany: return with(("author one Person", "author many Person"))
            case .addedIndex: return with(("pages int32", "pages int32 index"))
            case .removedIndex: return with(("label string index", "label string"))
            case .uniqueTitle: return with(("  pages int32", "  pages int32\n  unique title"))
            case .external: return with(("cover data external", "cover data"))
            case .mandatoryWithDefault: return with(("price double", "price double! = 9"))
            case .inverseAdded:
                return with(
                    ("notes many Note", "notes many Note.book"),
                    ("text string", "text string\n  book one Book.notes"))
            case .everything:
                return with(
                    ("entity Book", "entity Volume was Book"), ("Book.", "Volume."), ("one Book", "one Volume"),
                    ("pages int32", "size double was pages index"), ("copies int16 = 3\n", "shop string! = ours\n"),
                    ("entity Writer : Person", "entity Novelist : Person was Writer\n  x string"),
                    ("chapters ordered", "chapters many"))
            }
        }
    }

    /// The change of everything, and some of the single ones.
    private static let changes =
        [.everything] + Sample.slice(Change.allCases.filter { $0 != .everything }, oneIn: 4, "changes")

    @Test("An inferred migration does the same in a database as in a file", arguments: changes)
    func sameAsInFiles(change: Change) throws {
        try withTemporaryFolder { folder in
            let (older, newer) = (ModelText.model(Self.older), ModelText.model(change.newer))
            var lines: [[String]] = []
            for kind in [StoreKind.sqlite, .postgreSQL] {
                let url = try #require(kind.url(in: folder))
                try withStore(url, older, type: kind.type) { try Self.fill($0) }
                try withStore(url, newer, type: kind.type, options: Self.options) { context in
                    // New objects get keys and numbers of their own.
                    for entity in newer.entities {
                        context.make(entity.name ?? "")
                    }
                    context.rollback()
                }
                lines.append(try StoreText.lines(url, newer, type: kind.type))
            }
            #expect(lines[0].count > 10)
            #expect(lines[1] == lines[0])
        }
    }

    @Test("A reference that leads to nothing is none behind a migration from which on it must lead somewhere")
    func dangling() throws {
        let older = "entity Book\n  title string\n  next one Book"
        let newer = "entity Book\n  title string\n  next one Book.previous\n  previous many Book.next"
        try withDatabase { url, _ in
            try withStore(url, ModelText.model(older), type: NSPostgreSQLStoreType) { context in
                let books = ["a", "b", "c"].map { context.make("Book", ["title": $0]) }
                books[0].setValue(books[1], forKey: "next")
                books[1].setValue(books[2], forKey: "next")
                try context.save()
                context.delete(books[2])
                try context.save()
            }
            var options = Self.options
            options[NSMigrationKnownVersionsOption] = [ModelText.model(older)]
            try withStore(url, ModelText.model(newer), type: NSPostgreSQLStoreType, options: options) { context in
                let (a, b) = (
                    try context.all("Book", "title == 'a'").first, try context.all("Book", "title == 'b'").first
                )
                #expect(a?.value(forKey: "next") as? NSManagedObject == b)
                #expect(b != nil && b?.value(forKey: "next") == nil)
                #expect((b?.value(forKey: "previous") as? NSSet)?.count == 1)
            }
        }
    }

    @Test("A migrated store takes new objects and changes, and is migrated back")
    func goingOn() throws {
        try withDatabase { url, _ in
            let kind = StoreKind.postgreSQL
            let (older, newer) = (ModelText.model(Self.older), ModelText.model(Change.everything.newer))
            try withStore(url, older, type: kind.type) { try Self.fill($0) }
            try withStore(url, newer, type: kind.type, options: Self.options) { context in
                let volume = try #require(try context.all("Volume", "title == %@", "Book 1").first)
                volume.setValue("changed", forKey: "title")
                let novelist = context.make("Novelist", ["name": "New", "x": "y"])
                context.make("Volume", ["title": "new", "author": novelist])
                try context.save()
            }
            try withStore(url, newer, type: kind.type) { context in
                #expect(try context.all("Volume", "author.name == %@", "New").count == 1)
                #expect(try context.all("Novelist").compactMap { $0.text("penName") }.sorted() == ["B."])
                let changed = try #require(try context.all("Volume", "title == %@", "changed").first)
                #expect(changed.value(forKey: "size") as? Double == 100)
            }
        }
    }

    @Test("A store of another version is not opened without the options, and stays as it is")
    func refused() throws {
        try withDatabase { url, _ in
            let kind = StoreKind.postgreSQL
            let (older, newer) = (ModelText.model(Self.older), ModelText.model(Change.addedAttributes.newer))
            try withStore(url, older, type: kind.type) { try Self.fill($0) }
            let before = try StoreText.lines(url, older, type: kind.type)
            do {
                try withStore(url, newer, type: kind.type) { _ in }
                Issue.record("It was opened although it is of another version.")
            } catch let error as NSError {
                #expect(error.code == NSPersistentStoreIncompatibleVersionHashError)
            }
            // A mandatory attribute without a default: the rows have no value.
            let impossible = ModelText.model(
                Self.older.replacingOccurrences(of: "price double", with: "price double\n  must string!"))
            #expect(throws: (any Error).self) {
                try withStore(url, impossible, type: kind.type, options: Self.options) { _ in }
            }
            #expect(try StoreText.lines(url, older, type: kind.type) == before)
        }
    }

    @Test("A process that has the older version open is waited for, and then named")
    func olderVersionInUse() throws {
        try withDatabase { url, _ in
            let kind = StoreKind.postgreSQL
            let (older, newer) = (ModelText.model(Self.older), ModelText.model(Change.addedAttributes.newer))
            var options = Self.options
            options[NSPersistentStoreTimeoutOption] = 0.2
            try withStore(url, older, type: kind.type) { context in
                try Self.fill(context)
                do {
                    try withStore(url, newer, type: kind.type, options: options) { _ in }
                    Issue.record("It was migrated although it is in use.")
                } catch let error as NSError {
                    #expect(error.code == NSPersistentStoreTimeoutError)
                    let text = error.localizedDescription
                    #expect(text.contains(ProcessInfo.processInfo.processName))
                }
                context.make("Tag", ["label": "still"])
                try context.save()
            }
            try withStore(url, newer, type: kind.type, options: Self.options) { context in
                let kept = try context.all("Tag", "label == %@", "still")
                #expect(kept.count == 1)
            }
        }
    }

    @Test("A program without the framework that reads a table is waited for, and then named")
    func readerInUse() throws {
        try withDatabase { url, folder in
            let kind = StoreKind.postgreSQL
            let (older, newer) = (ModelText.model(Self.older), ModelText.model(Change.addedAttributes.newer))
            try withStore(url, older, type: kind.type) { try Self.fill($0) }
            let server = try PostgreSQLServer.shared.get()
            let address = server.url(ofDatabase: folder.lastPathComponent)
            // The server ends what was just closed a moment later.
            let locks = """
                SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database \
                WHERE locktype = 'advisory' AND datname = current_database()
                """
            while server.psql(folder.lastPathComponent, locks) != "0" {}
            let reader = try PostgreSQLConnection(#require(PostgreSQLAddress(address)))
            try reader.execute("SET application_name = 'report'; BEGIN; SELECT count(*) FROM book")
            var options = Self.options
            options[NSPersistentStoreTimeoutOption] = 0.2
            let error = #expect(throws: NSError.self) {
                try withStore(url, newer, type: kind.type, options: options) { _ in }
            }
            #expect(error?.code == NSPersistentStoreTimeoutError)
            #expect(error?.localizedDescription.contains("“report”") == true, "\(error as Any)")
            try reader.execute("COMMIT")
            try withStore(url, newer, type: kind.type, options: Self.options) { context in
                let count = try context.all("Book").count
                #expect(count == 6)
            }
        }
    }

    @Test("One of many that begin at once migrates, and all open the store")
    func manyAtOnce() throws {
        try withDatabase { url, _ in
            let kind = StoreKind.postgreSQL
            try withStore(url, ModelText.model(Self.older), type: kind.type) { try Self.fill($0) }
            let (counts, failures) = (Locked<[Int]>([]), Locked<[String]>([]))
            DispatchQueue.concurrentPerform(iterations: 5) { _ in
                do {
                    let newer = ModelText.model(Change.everything.newer)
                    let count = try withStore(url, newer, type: kind.type, options: Self.options) {
                        try $0.all("Volume").count
                    }
                    counts.withLock { $0.append(count) }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])
            #expect(counts.withLock { $0 } == Array(repeating: 6, count: 5))
        }
    }

    @Test("A migration that is cancelled leaves the store as it was")
    func cancelled() throws {
        try withDatabase { url, _ in
            let kind = StoreKind.postgreSQL
            let (older, newer) = (ModelText.model(Self.older), ModelText.model(Change.realPages.newer))
            try withStore(url, older, type: kind.type) { try Self.fill($0) }
            let before = try StoreText.lines(url, older, type: kind.type)
            let progress = Progress(totalUnitCount: 1)
            progress.cancel()
            var options = Self.options
            options[NSMigrationProgressOption] = progress
            do {
                try withStore(url, newer, type: kind.type, options: options) { _ in }
                Issue.record("It was migrated although it was cancelled.")
            } catch let error as NSError {
                #expect(error.code == NSMigrationCancelledError)
            }
            #expect(try StoreText.lines(url, older, type: kind.type) == before)
        }
    }
}
#endif
