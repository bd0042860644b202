#if PostgreSQL
    import CoreData
    import CoreDataPostgreSQL
    import Foundation
    import TestSupport
    import Testing

    @Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
    struct PostgreSQLStoreTests {
        @Test("What one coordinator saves another one fetches")
        func savedAndFetched() throws {
            let library = try Library(.postgreSQL)
            let context = library.context()
            try context.performAndWait {
                let author = context.make(
                    "Author", ["name": "Calvino", "active": true, "joined": Date(timeIntervalSince1970: 1.25)])
                for number in 0..<3 {
                    context.make(
                        "Novel",
                        [
                            "title": "Novel \(number)", "pages": 100 + number,
                            "price": NSDecimalNumber(string: "12.50"),
                            "identifier": UUID(), "rating": Float(2.5), "cover": Data([0, 1, 2]), "author": author,
                            "keywords": ["a", "b"] as NSArray, "copies": 3,
                        ])
                }
                try context.save()
            }
            let other = try library.beside().context()
            try other.performAndWait {
                let books = try other.all("Book", "pages > %@ AND author.name == %@", 100, "Calvino")
                #expect(books.count == 2)
                let book = try #require(books.first { $0.value(forKey: "title") as? String == "Novel 1" })
                #expect(book.entity.name == "Novel")
                #expect(book.value(forKey: "price") as? NSDecimalNumber == NSDecimalNumber(string: "12.5"))
                #expect(book.value(forKey: "cover") as? Data == Data([0, 1, 2]))
                #expect(book.value(forKey: "keywords") as? NSArray == ["a", "b"])
                #expect(book.value(forKeyPath: "author.joined") as? Date == Date(timeIntervalSince1970: 1.25))
                book.setValue("Changed", forKey: "title")
                other.delete(try #require(books.first { $0 !== book }))
                try other.save()
            }
            #expect(try library.saved("Book", "title") == ["Changed", "Novel 0"])
        }

        @Test("psql reads readable names and types")
        func readableTables() throws {
            let library = try Library(.postgreSQL)
            let context = library.context()
            try context.performAndWait {
                context.make("Author", ["name": "Calvino", "active": true])
                try context.save()
            }
            let server = try PostgreSQLServer.shared.get()
            let database = library.folder.url.lastPathComponent
            #expect(server.psql(database, "SELECT entity, name, active FROM author") == "Author|Calvino|t")
        }
    }
#endif
