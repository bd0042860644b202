#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLStoreTests {
    @Test("One coordinator fetches the saves of another one")
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

    @Test(
        "Decimals come back with all of their digits, however large or small they are",
        arguments: [
            "1e127", "1000e127", "-12345678901234567890123456789012345678e100",
            "99999999999999999999999999999999999999e127", "340282366920938463463374607431768211455",
            "1e-127", "-12345678901234567890123456789012345678e-128", "10203e-128", "1200", "0",
            "99999999999999999999999999999999999999", "1234567890123456789.0123456789012345678",
        ])
    func decimals(text: String) throws {
        let number = try #require(Decimal(string: text))
        try #require(!number.isNaN)
        let library = try Library(.postgreSQL)
        let context = library.context()
        try context.performAndWait {
            context.make("Book", ["price": NSDecimalNumber(decimal: number)])
            try context.save()
        }
        let other = try library.beside().context()
        try other.performAndWait {
            let book = try #require(try other.all("Book", "price == %@", NSDecimalNumber(decimal: number)).first)
            try other.fulfillFaults(of: [book], relationshipKeyPaths: [])
            #expect((book.value(forKey: "price") as? NSDecimalNumber)?.decimalValue == number)
        }
    }

    @Test("A batch over a database and a file is done in both of them, or in neither")
    func batchBesideFile() throws {
        let text = "entity Tag\n  name string\n  rank int32\n  unique name"
        let stack = try TextStack(text, kind: .postgreSQL)
        try stack.coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: stack.storeURL)
        let context = stack.context()
        func ranks() throws -> [String] {
            context.reset()
            return try context.all("Tag").map { tag in
                "\(tag.value(forKey: "name") ?? "") \(tag.value(forKey: "rank") ?? "nil")"
            }.sorted()
        }
        try context.performAndWait {
            // Where two have the rank 1, they cannot both be called the same.
            for (place, store) in stack.coordinator.persistentStores.enumerated() {
                for (number, rank) in [(0, 1), (1, 2 - place), (2, 1 + place)] {
                    context.assign(context.make("Tag", ["name": "\(place)\(number)", "rank": rank]), to: store)
                }
            }
            try context.save()
            let before = try ranks()
            #expect(before == ["00 1", "01 2", "02 1", "10 1", "11 1", "12 2"])
            for predicate in ["name != '02'", "name != '11'"] {
                let update = NSBatchUpdateRequest(entityName: "Tag")
                update.propertiesToUpdate = ["name": "same"]
                // One store takes it, the other one does not.
                update.predicate = NSPredicate(format: "rank == 1 AND \(predicate)")
                let error = #expect(throws: NSError.self) { try context.execute(update) }
                #expect(error?.code == NSManagedObjectConstraintMergeError, "\(predicate)")
                #expect(try ranks() == before)
            }
            let update = NSBatchUpdateRequest(entityName: "Tag")
            update.propertiesToUpdate = ["rank": CoreData.NSExpression(format: "rank + 10")]
            update.resultType = .updatedObjectsCountResultType
            #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 6)
            #expect(try ranks() == ["00 11", "01 12", "02 11", "10 11", "11 11", "12 12"])
        }
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
        let database = library.database
        #expect(server.psql(database, "SELECT entity, name, active FROM author") == "Author|Calvino|t")
    }

    // MARK: Several at once

    @Test("Eight coordinators count together by refreshing and saving again: the sum is exact")
    func counting() throws {
        let library = try Library(.postgreSQL)
        let context = library.context()
        try context.performAndWait {
            context.make("Book", ["title": "counted", "pages": 0])
            try context.save()
        }
        let failures = Locked<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            do {
                let mine = try library.beside().context()
                try mine.performAndWait {
                    let book = try #require(try mine.all("Book").first)
                    for _ in 0..<25 { try Self.increment(book, in: mine) }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try library.saved("Book", "pages") == ["200"])
    }

    private static func increment(_ book: NSManagedObject, in context: NSManagedObjectContext) throws {
        while true {
            let pages = book.value(forKey: "pages") as? Int ?? 0
            book.setValue(pages + 1, forKey: "pages")
            do {
                return try context.save()
            } catch let error as NSError where error.code == NSManagedObjectMergeError {
                context.refresh(book, mergeChanges: false)
            }
        }
    }

    @Test("The second of two rows with the same unique value is a conflict that names the first")
    func uniqueness() throws {
        let model = LibraryModel.make()
        model.entitiesByName["Tag"]?.uniquenessConstraints = [["name"]]
        let library = try Library(.postgreSQL, model: model)
        let (first, second) = (library.context(), try library.beside().context())
        try first.performAndWait {
            first.make("Tag", ["name": "same"])
            try first.save()
        }
        try second.performAndWait {
            for name in ["a", "same", "b"] { second.make("Tag", ["name": name]) }
            let error = #expect(throws: NSError.self) { try second.save() }
            let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
            #expect(conflicts?.first?.constraint == ["name"])
            second.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try second.save()
        }
        #expect(try library.saved("Tag", "name") == ["a", "b", "same"])
    }

    @Test("A value that a unique index of the database alone refuses is an error, under any merge policy")
    func uniqueIndex() throws {
        let library = try Library(.postgreSQL)
        #expect(try library.psql("CREATE UNIQUE INDEX only_here ON tag (name)") != nil)
        let context = library.context()
        let policies: [NSMergePolicy] = [
            .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
        ]
        try context.performAndWait {
            context.make("Tag", ["name": "same"])
            try context.save()
            for policy in policies {
                context.mergePolicy = policy
                context.make("Tag", ["name": "same"])
                let error = #expect(throws: NSError.self) { try context.save() }
                #expect(error?.code == NSManagedObjectConstraintMergeError, "\(policy.mergeType)")
                context.rollback()
            }
        }
        #expect(try library.saved("Tag", "name") == ["same"])
    }

    @Test("A value that validation refuses has no constraint against it: batches and psql write it")
    func ranges() throws {
        let stack = try TextStack("entity Tag\n  name string\n  rank int32", kind: .postgreSQL) { model in
            let tag = model.entitiesByName["Tag"]
            tag?.attributesByName["rank"]?.setValidationPredicates(
                [NSPredicate(format: "SELF <= 5")], withValidationWarnings: [])
            tag?.attributesByName["name"]?.setValidationPredicates(
                [NSPredicate(format: "length <= 4")], withValidationWarnings: [])
        }
        let context = stack.context()
        try context.performAndWait {
            for values in [["name": "save", "rank": 6], ["name": "saved", "rank": 5]] as [[String: Any]] {
                context.make("Tag", values)
                #expect(throws: NSError.self) { try context.save() }
                context.rollback()
            }
            try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["name": "batch", "rank": 6]]))
        }
        let server = try PostgreSQLServer.shared.get()
        let database = stack.folder.url.lastPathComponent
        #expect(server.psql(database, "INSERT INTO tag (name, rank) VALUES ('other program', 7)") != nil)
        let found = try context.performAndWait {
            try context.all("Tag").map { "\($0.text("name") ?? "") \($0.value(forKey: "rank") ?? "nil")" }.sorted()
        }
        #expect(found == ["batch 6", "other program 7"])
    }

    // MARK: Failures

    @Test("A connection that the server ends is made anew; the save that it broke is an error and can be repeated")
    func endedConnections() throws {
        let library = try Library(.postgreSQL)
        let context = library.context()
        let server = try PostgreSQLServer.shared.get()
        let database = library.database
        try context.performAndWait {
            context.make("Tag", ["name": "a"])
            try context.save()
            _ = server.psql(
                database,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    + "WHERE datname = current_database() AND pid <> pg_backend_pid()")
            context.make("Tag", ["name": "b"])
            do {
                try context.save()
            } catch {
                try context.save()
            }
        }
        #expect(try library.saved("Tag", "name") == ["a", "b"])
    }

    @Test("A server that is not there is an error with its address, and without the password")
    func unreachable() throws {
        let url = try #require(URL(string: "postgresql://me:secret@127.0.0.1:1/nowhere?connect_timeout=2"))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let error = #expect(throws: NSError.self) {
            try coordinator.addPersistentStore(
                ofType: NSPostgreSQLStoreType, configurationName: nil, at: url, options: nil)
        }
        #expect(error?.code == NSPersistentStoreOpenError)
        let text = "\(error?.localizedDescription ?? "") \(error?.userInfo ?? [:])"
        #expect(text.contains("127.0.0.1:1/nowhere"))
        #expect(!text.contains("secret"))
    }

    @Test("A database that is not there, and a URL of another kind, are errors that say so")
    func wrongAddresses() throws {
        let server = try PostgreSQLServer.shared.get()
        let known = server.url(ofDatabase: "known").absoluteString
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        for (address, part) in [
            (known.replacingOccurrences(of: "/known", with: "/unknown"), "\"unknown\" does not exist"),
            ("file:///tmp/x.sqlite", "no URL of a PostgreSQL database"),
        ] {
            let url = URL(string: address)
            let error = #expect(throws: NSError.self) {
                try coordinator.addPersistentStore(
                    ofType: NSPostgreSQLStoreType, configurationName: nil, at: url, options: nil)
            }
            #expect(error?.localizedDescription.contains(part) == true, "\(String(describing: error))")
        }
    }

    @Test("A store of another version of the model is refused with the entities that differ")
    func otherVersion() throws {
        let library = try Library(.postgreSQL)
        let model = LibraryModel.make()
        model.entitiesByName["Tag"]?.versionHashModifier = "2"
        let error = #expect(throws: NSError.self) { try Library(.postgreSQL, in: library.folder, model: model) }
        #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
        let address = try #require(library.store.url).absoluteString
        let url = URL(string: "\(address)&password=secret")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let other = #expect(throws: NSError.self) {
            try coordinator.addPersistentStore(
                ofType: NSPostgreSQLStoreType, configurationName: nil, at: url, options: nil)
        }
        #expect(other?.code == NSPersistentStoreIncompatibleVersionHashError)
        let text = "\(String(describing: other)) \(other?.userInfo ?? [:])"
        #expect(!text.contains("secret"))
    }

    @Test("A text with U+0000 is refused, and a description with the URL alone opens the store")
    func descriptionAndTexts() throws {
        let server = try PostgreSQLServer.shared.get()
        let url = server.url(ofDatabase: "described-\(UUID().uuidString)")
        let container = NSPersistentContainer(name: "Library", managedObjectModel: LibraryModel.make())
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        #expect(failure == nil)
        #expect(container.persistentStoreDescriptions.first?.type == NSPostgreSQLStoreType)
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let tag = context.make("Tag", ["name": "a\u{0}b"])
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.localizedDescription.contains("U+0000") == true)
            #expect(error?.localizedDescription.contains("Tag.name of the object p") == true)
            #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "name")
            tag.setValue("ab", forKey: "name")
            let late = Date(timeIntervalSinceReferenceDate: 1e13)
            let author = context.make("Author", ["name": "a", "joined": late])
            let other = #expect(throws: NSError.self) { try context.save() }
            #expect(other?.code == NSValidationDateTooLateError)
            #expect(other?.userInfo[NSValidationKeyErrorKey] as? String == "joined")
            author.setValue(nil, forKey: "joined")
            try context.save()
            let batch = NSBatchInsertRequest(
                entityName: "Tag", objects: (0..<3).map { ["name": $0 == 2 ? "a\u{0}b" : "c"] })
            let third = #expect(throws: NSError.self) { try context.execute(batch) }
            #expect(third?.userInfo[NSValidationKeyErrorKey] as? String == "name")
        }
        try container.persistentStoreCoordinator.destroyPersistentStore(at: url, ofType: NSPostgreSQLStoreType)
        #expect(throws: NSError.self) {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSPostgreSQLStoreType, at: url)
        }
    }

    @Test("A text with U+0000 in a batch update, or as the author of a transaction, is refused without a name")
    func unnamedTexts() throws {
        let library = try Library(.postgreSQL, options: [NSPersistentHistoryTrackingKey: true])
        let context = library.context()
        try context.performAndWait {
            let tag = context.make("Tag", ["name": "a"])
            try context.save()
            let update = NSBatchUpdateRequest(entityName: "Tag")
            update.propertiesToUpdate = ["name": "a\u{0}b"]
            let first = try #require(throws: NSError.self) { try context.execute(update) }
            context.transactionAuthor = "a\u{0}b"
            tag.setValue("c", forKey: "name")
            let second = try #require(throws: NSError.self) { try context.save() }
            for error in [first, second] {
                #expect(error.code == NSManagedObjectValidationError)
                #expect(error.localizedDescription.contains("U+0000"), "\(error)")
                #expect(error.userInfo[NSValidationKeyErrorKey] == nil, "\(error)")
            }
            context.rollback()
        }
        #expect(try library.saved("Tag", "name") == ["a"])
    }

    @Test("The model that a store in a database keeps is read by the URL of the database")
    func cachedModel() throws {
        let library = try Library(.postgreSQL)
        let url = try #require(library.kind.url(in: library.folder.url))
        let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
        #expect(model.entityVersionHashesByName == LibraryModel.make().entityVersionHashesByName)
    }

    // MARK: Other programs

    @Test("History has the saves since a token, and batches change many rows")
    func historyAndBatches() throws {
        let library = try Library(.postgreSQL, options: [NSPersistentHistoryTrackingKey: true])
        let context = library.context()
        try context.performAndWait {
            context.transactionAuthor = "tests"
            context.make("Tag", ["name": "a"])
            try context.save()
            let token = library.coordinator.currentPersistentHistoryToken(fromStores: nil)
            let rows = (0..<2_500).map { ["name": "tag \($0)"] }
            try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: rows))
            let update = NSBatchUpdateRequest(entityName: "Tag")
            update.predicate = NSPredicate(format: "name BEGINSWITH 'tag 1'")
            update.propertiesToUpdate = ["name": "changed"]
            try context.execute(update)
            #expect(try context.count(for: Self.tags("name == 'changed'")) == 1_111)
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
            #expect(transactions.map { $0.changes?.count } == [2_500, 1_111])
            #expect(transactions.allSatisfy { $0.author == "tests" })
        }
    }

    private static func tags(_ format: String) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.predicate = NSPredicate(format: format)
        return request
    }
}
#endif
