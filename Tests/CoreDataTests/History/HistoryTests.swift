import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// Proof: our persistent history, read here.
@Suite("Persistent history", .leavesNothingBehind, .onEveryDatabase)
struct HistoryTests {
    @Test("every save is a transaction with its author, context, process and time; changes name ids and properties")
    func transactions() throws {
        let history = try HistoryStack()
        #expect(try history.all().isEmpty)
        let start = Date()
        let book = try history.save(author: "importer", name: "background") { context in
            context.make("Author", ["name": "A"])
            return context.make("Book", ["title": "B"])
        }
        try history.save { _ in book.setValue("C", forKey: "title") }
        try history.save { context in
            book.setValue(3, forKey: "pages")
            context.delete(try #require(try context.all("Author").first))
        }
        let found = try history.all()
        #expect(
            found.map(HistoryStack.words) == ["+Author1 +Book1", "Book1(title)", "-Author1 Book1(pages)"])
        #expect(try history.places(found) == [1, 2, 3])
        #expect(found.map(\.author) == ["importer", nil, nil])
        #expect(found.map(\.contextName) == ["background", nil, nil])
        #expect(found.allSatisfy { $0.processID == ProcessInfo.processInfo.processName })
        #expect(found.allSatisfy { (start...Date()).contains($0.timestamp) })
        #expect(found.allSatisfy { $0.storeID == history.stack.coordinator.persistentStores.first?.identifier })
        #expect(found.last?.token == history.token)
        let change = try #require(found[1].changes?.first)
        #expect(change.transaction === found[1])
        #expect(change.changedObjectID == book.objectID)
        #expect(change.tombstone == nil)
        #expect(try history.places([change]) == [3])
    }

    @Test("the tables are those of Core Data's own stores", .onStores(.sqlite))
    func tables() throws {
        let history = try HistoryStack()
        let book = try history.save(author: "me") { $0.make("Book", ["isbn": "1", "pages": 2]) }
        try history.save { _ in book.setValue("T", forKey: "title") }
        try history.save { $0.delete(book) }
        let raw = try history.stack.raw()
        let process = RawDatabase.Value.text(ProcessInfo.processInfo.processName)
        #expect(
            try raw.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZNAME FROM ATRANSACTIONSTRING ORDER BY Z_PK") == [
                [.int(1), .int(16003), .null, .text("me")], [.int(2), .int(16003), .null, process],
            ])
        #expect(
            try raw.rows(
                "SELECT Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS, ZAUTHOR, ZQUERYGEN "
                    + "FROM ATRANSACTION ORDER BY Z_PK") == [
                    [.int(1), .int(16002), .null, .int(1), .null, .null, .int(2), .null, .null],
                    [.int(2), .int(16002), .null, .null, .null, .null, .int(2), .null, .null],
                    [.int(3), .int(16002), .null, .null, .null, .null, .int(2), .null, .null],
                ])
        // Book: author | isbn, pages, title | tags. Its number is 2. A number far from all versions is the mark of
        // ours.
        let mark = try #require(try raw.column("SELECT Z_OPT FROM ACHANGE WHERE Z_PK = 2").first)
        #expect(mark.int ?? 0 >= 1 << 30)
        #expect(
            try raw.rows("SELECT * FROM ACHANGE ORDER BY Z_PK") == [
                [.int(1), .int(16001), .null, .int(0), .int(2), .int(1), .int(1), .null, .null, .null],
                [.int(2), .int(16001), mark, .int(1), .int(2), .int(1), .int(2), .blob(Data([0x10])), .null, .null],
                [.int(3), .int(16001), .null, .int(2), .int(2), .int(1), .int(3), .null, .text("1"), .int(2)],
            ])
        #expect(
            try raw.rows("SELECT * FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY Z_ENT") == [
                [.int(16001), .text("CHANGE"), .int(0), .int(3)],
                [.int(16002), .text("TRANSACTION"), .int(0), .int(3)],
                [.int(16003), .text("TRANSACTIONSTRING"), .int(0), .int(2)],
            ])
        #expect(
            try raw.column("SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name LIKE 'A%' ORDER BY name")
                == [
                    "ACHANGE_ZTRANSACTIONID_INDEX", "ATRANSACTION_ZAUTHORTS_INDEX", "ATRANSACTION_ZBUNDLEIDTS_INDEX",
                    "ATRANSACTION_ZCONTEXTNAMETS_INDEX", "ATRANSACTION_ZPROCESSIDTS_INDEX",
                    "Z_TRANSACTIONSTRING_UNIQUE_NAME", "Z_TRANSACTION_TransactionAuthorIndex",
                    "Z_TRANSACTION_TransactionTimestampIndex",
                ].map { .text($0) })
    }

    @Test("relationships count for both sides")
    func relationships() throws {
        let history = try HistoryStack()
        let (anna, bert, novel, tag) = try history.save { context in
            (
                context.make("Author"), context.make("Author"), context.make("Novel"), context.make("Tag")
            )
        }
        try history.save { _ in novel.setValue(anna, forKey: "author") }
        try history.save { _ in novel.setValue(bert, forKey: "author") }
        try history.save { _ in novel.setValue(NSSet(array: [tag]), forKey: "tags") }
        try history.save { $0.delete(novel) }
        func name(_ object: NSManagedObject) -> String {
            "\(object.entity.name ?? "")\(object.objectID.uriRepresentation().lastPathComponent.dropFirst())"
        }
        #expect(
            try history.all().dropFirst().map(HistoryStack.words) == [
                "\(name(anna))(books) Novel1(author)", "Author1(books) Author2(books) Novel1(author)",
                "Novel1(tags) Tag1(books)", "-Novel1 \(name(bert))(books) Tag1(books)",
            ])
    }

    @Test("deleted rows leave the values that are to stay")
    func tombstones() throws {
        let history = try HistoryStack()
        let book = try history.save { $0.make("Novel", ["isbn": "978", "pages": 7, "title": "gone"]) }
        let bare = try history.save { $0.make("Book", ["title": "bare"]) }
        try history.save { context in
            context.refresh(book, mergeChanges: false)
            context.delete(book)
            context.delete(bare)
        }
        let changes = try #require(try history.all().last?.changes)
        let tombstones = changes.map(\.tombstone)
        let full = try #require(tombstones.compactMap { $0 }.first)
        #expect(full["isbn"] as? String == "978")
        #expect(full["pages"] as? Int == 7)
        #expect(full.count == 2)
        #expect(tombstones.contains { $0 == nil })
    }

    @Test("history is read after a date, a token, a transaction, in every form of result")
    func results() throws {
        let history = try HistoryStack()
        let book = try history.save { $0.make("Book") }
        let first = try #require(history.token)
        let middle = Date()
        try history.save { context in
            book.setValue(1, forKey: "pages")
            context.make("Tag")
        }
        try history.save { _ in book.setValue(2, forKey: "pages") }
        let all = try history.all()
        #expect(try history.places(history.transactions(.fetchHistory(after: first))) == [2, 3])
        #expect(try history.places(history.transactions(.fetchHistory(after: middle))) == [2, 3])
        #expect(try history.places(history.transactions(.fetchHistory(after: all[1]))) == [3])
        #expect(try history.transactions(.fetchHistory(after: nil as NSPersistentHistoryToken?)).count == 3)
        #expect(try history.transactions(.fetchHistory(after: history.token)).isEmpty)
        func result(_ type: NSPersistentHistoryResultType) throws -> Any? {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: first)
            #expect(request.token == first)
            return try history.result(request, as: type)
        }
        #expect(try result(.statusOnly) as? Bool == true)
        #expect(try result(.count) as? Int == 3)
        #expect(try (result(.objectIDs) as? [NSManagedObjectID])?.count == 2)
        let bare = try #require(try result(.transactionsOnly) as? [NSPersistentHistoryTransaction])
        #expect(bare.count == 2)
        #expect(bare.allSatisfy { $0.changes == nil })
        let changes = try #require(try result(.changesOnly) as? [NSPersistentHistoryChange])
        #expect(changes.count == 3)
        #expect(changes.allSatisfy { $0.transaction == nil })
    }

    @Test("changes that no transaction has are not read, whether all of history is or a part", .onStores(.sqlite))
    func changesWithoutTransaction() throws {
        let history = try HistoryStack()
        let book = try history.save { $0.make("Book") }
        let first = try #require(history.token)
        for number in 1...3 { try history.save { _ in book.setValue(number, forKey: "pages") } }
        let raw = try history.stack.raw()
        // The oldest and the newest change, and one in between, of transactions that are gone or were never there.
        try raw.execute("UPDATE ACHANGE SET Z_PK = Z_PK * 10")
        for (key, transaction) in [(1, 0), (25, 77), (99, 3)] {
            try raw.execute(
                """
                INSERT INTO ACHANGE (Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
                SELECT \(key), Z_ENT, Z_OPT, 2, ZENTITY, 500, \(transaction) FROM ACHANGE WHERE Z_PK = 10
                """)
        }
        try raw.execute("DELETE FROM ATRANSACTION WHERE Z_PK = 3")
        let updates = ["Book1(pages)", "Book1(pages)"]
        #expect(try history.all().map(HistoryStack.words) == ["+Book1"] + updates)
        #expect(try history.transactions(.fetchHistory(after: first)).map(HistoryStack.words) == updates)
        let changes = try history.result(.fetchHistory(after: Date.distantPast), as: .changesOnly)
        #expect((changes as? [NSPersistentHistoryChange])?.map(\.changeID) == [10, 20, 40])
    }

    @Test("a fetch request narrows transactions, or the changes within them")
    func narrowing() throws {
        let history = try HistoryStack()
        let book = try history.save(author: "app") { $0.make("Book") }
        let token = try #require(history.token)
        try history.save(author: "sync") { context in
            book.setValue(1, forKey: "pages")
            context.make("Novel")
        }
        try history.save(author: "app") { $0.delete(book) }
        func narrowed(_ request: NSFetchRequest<NSFetchRequestResult>?, _ format: String, _ arguments: Any...) throws
            -> [String]
        {
            let request = try #require(request)
            request.predicate = NSPredicate(format: format, argumentArray: arguments)
            return try history.transactions(.fetchHistory(withFetch: request)).map(HistoryStack.words)
        }
        let transaction = NSPersistentHistoryTransaction.self
        let change = NSPersistentHistoryChange.self
        #expect(try narrowed(transaction.fetchRequest, "author == %@", "sync") == ["+Novel2 Book1(pages)"])
        #expect(try narrowed(transaction.fetchRequest, "token == %@", token) == ["+Book1"])
        #expect(try narrowed(transaction.fetchRequest, "token > %@ AND author != 'sync'", token) == ["-Book1"])
        #expect(try narrowed(change.fetchRequest, "changeType == %d", 1) == ["Book1(pages)"])
        let entity = try #require(history.stack.coordinator.managedObjectModel.entitiesByName["Book"])
        #expect(
            try narrowed(change.fetchRequest, "changedEntity == %@", entity) == ["+Book1", "Book1(pages)", "-Book1"])
        #expect(
            try narrowed(change.fetchRequest, "changedObjectID == %@ AND transaction.author == 'app'", book.objectID)
                == ["+Book1", "-Book1"])
        let ordered = try #require(transaction.fetchRequest)
        ordered.sortDescriptors = [NSSortDescriptor(key: "timestamp", ascending: false)]
        ordered.fetchLimit = 2
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        request.fetchRequest = ordered
        #expect(try history.places(history.transactions(request)) == [3, 2])
        let context = history.context
        context.performAndWait {
            #expect(change.entityDescription(with: context)?.attributesByName["changedObjectID"] != nil)
            #expect(transaction.entityDescription(with: context)?.attributesByName["author"] != nil)
        }
        let error = try #require(throws: NSError.self) {
            try history.transactions(.fetchHistory(withFetch: NSFetchRequest(entityName: "Book")))
        }
        #expect(error.code == NSCoreDataError)
    }

    @Test("history is deleted before a date, a token, a transaction; names that no row needs are deleted, too")
    func deletion() throws {
        let history = try HistoryStack()
        for author in ["a", "b", "c", "d"] { try history.save(author: author) { $0.make("Tag") } }
        let all = try history.all()
        func delete(_ request: NSPersistentHistoryChangeRequest) throws -> [Int] {
            #expect(request.resultType == .statusOnly)
            #expect(try history.result(request, as: .statusOnly) as? Bool == true)
            return try history.places(history.all())
        }
        #expect(try delete(.deleteHistory(before: nil as NSPersistentHistoryToken?)) == [1, 2, 3, 4])
        #expect(try delete(.deleteHistory(before: all[0])) == [1, 2, 3, 4])
        #expect(try delete(.deleteHistory(before: all[1].token)) == [2, 3, 4])
        #expect(try delete(.deleteHistory(before: all[2])) == [3, 4])
        if StoreKind.current == .sqlite {
            let raw = try history.stack.raw()
            #expect(try raw.integer("SELECT COUNT(*) FROM ACHANGE") == 2)
            #expect(try raw.integer("SELECT COUNT(*) FROM ATRANSACTIONSTRING WHERE ZNAME IN ('a', 'b')") == 0)
        }
        #expect(try delete(.deleteHistory(before: Date.distantFuture)).isEmpty)
        // Numbers continue where they were.
        try history.save { $0.make("Tag") }
        #expect(try history.places(history.all()) == [5])
    }

    @Test("a token expires when history that followed it is deleted, and not before")
    func expiry() throws {
        let history = try HistoryStack()
        let empty = try #require(history.token)
        try history.save { $0.make("Tag") }
        let first = try #require(history.token)
        #expect(try history.transactions(.fetchHistory(after: empty)).count == 1)
        try history.save { $0.make("Tag") }
        let second = try #require(history.token)
        #expect(empty != first && first != second)
        _ = try history.result(.deleteHistory(before: second), as: .statusOnly)
        #expect(try history.transactions(.fetchHistory(after: first)).count == 1)
        let error = try #require(throws: NSError.self) { try history.transactions(.fetchHistory(after: empty)) }
        #expect(error.code == NSPersistentHistoryTokenExpiredError)
        _ = try history.result(.deleteHistory(before: Date.distantFuture), as: .statusOnly)
        #expect(try history.transactions(.fetchHistory(after: second)).isEmpty)
        #expect(throws: NSError.self) { try history.transactions(.fetchHistory(after: first)) }
    }

    @Test("tokens can be kept: archived, or coded as JSON")
    func archivedTokens() throws {
        let history = try HistoryStack()
        try history.save { $0.make("Tag") }
        let token = try #require(history.token)
        let archive = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: archive)
        #expect(read == token)
        let json = try JSONEncoder().encode(token)
        #expect(try JSONDecoder().decode(NSPersistentHistoryToken.self, from: json) == token)
        try history.save { $0.make("Tag") }
        #expect(try history.transactions(.fetchHistory(after: read)).count == 1)
    }

    @Test("batch requests are transactions too")
    func batches() throws {
        let history = try HistoryStack()
        let context = history.context
        try history.save { $0.make("Author") }
        try context.performAndWait {
            context.transactionAuthor = "batch"
            let author = try #require(try context.all("Author").first)
            try context.execute(NSBatchInsertRequest(entityName: "Book", objects: [["isbn": "1"], ["isbn": "2"]]))
            let update = NSBatchUpdateRequest(entityName: "Book")
            update.predicate = NSPredicate(format: "isbn == '2'")
            update.propertiesToUpdate = ["pages": 4, "author": author]
            try context.execute(update)
            try context.execute(
                NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Author")))
            try context.execute(NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Book")))
            try context.execute(NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Book")))
        }
        let found = try history.all().dropFirst()
        #expect(
            found.map(HistoryStack.words) == [
                "+Book1 +Book2", "Book2(author,pages)", "-Author1 Book2(author)", "-Book1 -Book2",
            ])
        #expect(found.allSatisfy { $0.author == "batch" })
        let isbns = found.last?.changes?.compactMap { $0.tombstone?["isbn"] as? String }
        #expect(isbns?.sorted() == ["1", "2"])
    }

    @Test("A store whose history was deleted to its end is written without the option")
    func withoutTransactions() throws {
        let folder = try TemporaryFolder()
        do {
            let history = try HistoryStack(in: folder)
            try history.save { $0.make("Tag", ["name": "T"]) }
            #expect(try history.all().count == 1)
            _ = try history.context.performAndWait {
                try history.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
            }
            #expect(try history.all().isEmpty)
            for store in history.stack.coordinator.persistentStores { try history.stack.coordinator.remove(store) }
        }
        let plain = try TextStack(HistoryStack.text, in: folder, kind: .current) { model in
            for name in ["isbn", "pages"] {
                model.entitiesByName["Book"]?.attributesByName[name]?.preservesValueInHistoryOnDeletion = true
            }
        }
        #expect(plain.coordinator.persistentStores.first?.isReadOnly == false)
        let context = plain.context()
        try context.performAndWait {
            try #require(try context.all("Tag").first).setValue("changed", forKey: "name")
            try context.save()
        }
    }

    @Test("a store with history that is opened without the option can be read, its history too, and not written")
    func withoutOption() throws {
        let folder = try TemporaryFolder()
        do {
            let history = try HistoryStack(in: folder)
            try history.save { $0.make("Tag", ["name": "T"]) }
            for store in history.stack.coordinator.persistentStores { try history.stack.coordinator.remove(store) }
        }
        let plain = try TextStack(HistoryStack.text, in: folder, kind: .current) { model in
            for name in ["isbn", "pages"] {
                model.entitiesByName["Book"]?.attributesByName[name]?.preservesValueInHistoryOnDeletion = true
            }
        }
        #expect(plain.coordinator.persistentStores.first?.isReadOnly == true)
        #expect(plain.coordinator.currentPersistentHistoryToken(fromStores: nil) == nil)
        let context = plain.context()
        try context.performAndWait {
            let tag = try #require(try context.all("Tag").first)
            let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
            let transactions = (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
            #expect(transactions?.map(HistoryStack.words) == ["+Tag1"])
            tag.setValue("changed", forKey: "name")
            #expect(throws: NSError.self) { try context.save() }
        }
        for store in plain.coordinator.persistentStores { try plain.coordinator.remove(store) }
        let again = try HistoryStack(in: folder)
        #expect(again.stack.coordinator.persistentStores.first?.isReadOnly == false)
        try again.save { $0.make("Tag") }
        #expect(try again.all().count == 2)
    }

    @Test(
        "a store without history begins one when it is opened with the option, and only changes from then on are in it")
    func beginning() throws {
        let folder = try TemporaryFolder()
        do {
            let plain = try TextStack(HistoryStack.text, in: folder, kind: .current)
            let context = plain.context()
            try context.performAndWait {
                context.make("Tag")
                try context.save()
                let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
                #expect(((result as? NSPersistentHistoryResult)?.result as? [Any])?.isEmpty == true)
            }
            if StoreKind.current == .sqlite { #expect(!(try plain.raw().tables.contains("ACHANGE"))) }
            for store in plain.coordinator.persistentStores { try plain.coordinator.remove(store) }
        }
        let stack = try TextStack(
            HistoryStack.text, in: folder, kind: .current, options: [NSPersistentHistoryTrackingKey: true])
        let context = stack.context()
        try context.performAndWait {
            let tag = context.make("Tag")
            try context.save()
            let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
            let transactions = (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
            let key = tag.objectID.uriRepresentation().lastPathComponent.dropFirst()
            #expect(key != "1")
            #expect(transactions?.map(HistoryStack.words) == ["+Tag\(key)"])
        }
    }

    @Test("Another coordinator's context takes in the changes of a transaction and of a batch")
    func merging() throws {
        let history = try HistoryStack()
        let (book, gone) = try history.save { ($0.make("Book", ["pages": 1]), $0.make("Book", ["pages": 2])) }
        let other = try HistoryStack(in: history.stack.folder)
        let token = other.token
        try other.context.performAndWait {
            let books = try other.context.all("Book")
            #expect(books.compactMap { $0.value(forKey: "pages") as? Int }.sorted() == [1, 2])
            try history.save { context in
                book.setValue(5, forKey: "pages")
                context.delete(gone)
                context.make("Book", ["pages": 9])
            }
            for transaction in try other.transactions(.fetchHistory(after: token)) {
                other.context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
            }
            let living = books.filter { $0.managedObjectContext != nil }
            #expect(living.map { $0.value(forKey: "pages") as? Int } == [5])
            #expect(!other.context.hasChanges)
            let request = NSBatchUpdateRequest(entityName: "Book")
            request.propertiesToUpdate = ["pages": 7]
            request.resultType = .updatedObjectIDsResultType
            let result = try history.context.performAndWait {
                try history.context.execute(request) as? NSBatchUpdateResult
            }
            let ids = try #require(result?.result as? [NSManagedObjectID])
            #expect(ids.count == 2)
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSUpdatedObjectsKey: ids], into: [other.context, history.context])
            #expect(living.map { $0.value(forKey: "pages") as? Int } == [7])
            history.context.performAndWait { #expect(book.value(forKey: "pages") as? Int == 7) }
        }
    }

    @Test("the did-save notification carries the new token")
    func savedToken() throws {
        let history = try HistoryStack()
        let tokens = TokenBox()
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: history.context, queue: nil
        ) { tokens.add($0.userInfo?["newChangeToken"] as? NSPersistentHistoryToken) }
        try history.save { $0.make("Tag") }
        try history.save { $0.make("Tag") }
        NotificationCenter.default.removeObserver(observer)
        #expect(tokens.all.count == 2)
        #expect(tokens.all.last == history.token)
    }
}

/// Tokens that notifications brought.
final class TokenBox: @unchecked Sendable {  // guarded by `lock`
    private let lock = NSLock()
    private var tokens: [NSPersistentHistoryToken?] = []

    func add(_ token: NSPersistentHistoryToken?) { lock.withLock { tokens.append(token) } }
    var all: [NSPersistentHistoryToken?] { lock.withLock { tokens } }
}
