import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Requests for history", .leavesNothingBehind, .onEveryDatabase)
struct HistoryRequestTests {
    @Test(
        "a token in a predicate expires when one to read after does: not before the first save, nor with older history")
    func tokensInPredicates() throws {
        let history = try HistoryStack()
        func after(_ token: NSPersistentHistoryToken) throws -> [Int] {
            let request = try #require(NSPersistentHistoryTransaction.fetchRequest)
            request.predicate = NSPredicate(format: "token > %@", token)
            let found = try history.places(history.transactions(.fetchHistory(withFetch: request)))
            #expect(try history.places(history.transactions(.fetchHistory(after: token))) == found)
            return found
        }
        var tokens = [try #require(history.token)]
        for _ in 0..<4 {
            try history.save { $0.make("Tag") }
            tokens.append(try #require(history.token))
        }
        #expect(try after(tokens[0]) == [1, 2, 3, 4])
        _ = try history.result(.deleteHistory(before: tokens[3]), as: .statusOnly)
        // The transaction itself is gone, and nothing that came after it.
        #expect(try after(tokens[2]) == [3, 4])
        #expect(try after(tokens[3]) == [4])
        #expect(try after(tokens[4]) == [])
        let error = try #require(throws: NSError.self) { try after(tokens[1]) }
        #expect(error.code == NSPersistentHistoryTokenExpiredError)
    }

    @Test("order, offset and limit of a request for changes count in every form of result")
    func changesInPages() throws {
        let history = try HistoryStack()
        for _ in 0..<3 {
            try history.save { context in
                context.make("Author")
                context.make("Tag")
            }
        }
        func result(
            _ type: NSPersistentHistoryResultType, limit: Int = 0, offset: Int = 0, descending: Bool = false
        ) throws -> Any? {
            let request = try #require(NSPersistentHistoryChange.fetchRequest)
            request.fetchLimit = limit
            request.fetchOffset = offset
            if descending { request.sortDescriptors = [NSSortDescriptor(key: "changeID", ascending: false)] }
            return try history.result(.fetchHistory(withFetch: request), as: type)
        }
        func transactions(_ result: Any?) throws -> [[Int]] {
            try #require(result as? [NSPersistentHistoryTransaction]).map { transaction in
                try history.places([transaction]) + history.places(transaction.changes ?? [])
            }
        }
        let both = NSPersistentHistoryResultType.transactionsAndChanges
        #expect(try transactions(result(both)) == [[1, 1, 2], [2, 3, 4], [3, 5, 6]])
        #expect(try transactions(result(both, limit: 3)) == [[1, 1, 2], [2, 3]])
        #expect(try transactions(result(both, limit: 2, offset: 1)) == [[1, 2], [2, 3]])
        #expect(try transactions(result(both, limit: 3, descending: true)) == [[3, 6, 5], [2, 4]])
        #expect(try transactions(result(.transactionsOnly, limit: 2)) == [[1]])
        let changes = try #require(try result(.changesOnly, limit: 2, descending: true) as? [NSPersistentHistoryChange])
        #expect(try history.places(changes) == [6, 5])
        #expect(try (result(.objectIDs, offset: 4) as? [NSManagedObjectID])?.count == 2)
        #expect(try result(.count, limit: 4, offset: 3) as? Int == 3)
        #expect(try result(.count, limit: 2, offset: 1) as? Int == 2)
        #expect(try result(.count, offset: 9) as? Int == 0)
        #expect(try result(.count) as? Int == 6)
    }

    @Test("collections of entities, change types and tokens match as single ones do; so do a transaction's changes")
    func collectionsInPredicates() throws {
        let history = try HistoryStack()
        let book = try history.save { context in
            context.make("Author")
            return context.make("Book")
        }
        let first = try #require(history.token)
        try history.save { _ in book.setValue(3, forKey: "pages") }
        try history.save { $0.make("Tag") }
        let last = try #require(history.token)
        func found(
            _ request: NSFetchRequest<NSFetchRequestResult>?, _ format: String, _ arguments: Any...
        ) throws -> [Int] {
            let request = try #require(request)
            request.predicate = NSPredicate(format: format, argumentArray: arguments)
            let counted = try history.result(.fetchHistory(withFetch: request), as: .count) as? Int
            let transactions = try history.transactions(.fetchHistory(withFetch: request))
            #expect(counted == transactions.reduce(0) { $0 + ($1.changes ?? []).count })
            return try history.places(transactions)
        }
        let (transaction, change) = (NSPersistentHistoryTransaction.self, NSPersistentHistoryChange.self)
        let entities = history.stack.coordinator.managedObjectModel.entitiesByName
        let (author, tag) = (try #require(entities["Author"]), try #require(entities["Tag"]))
        #expect(try found(change.fetchRequest, "changedEntity IN %@", [author, tag]) == [1, 3])
        #expect(try found(change.fetchRequest, "changedEntity IN %@", NSSet(array: [tag])) == [3])
        #expect(try found(change.fetchRequest, "changedEntity IN {%@, %@}", author, tag) == [1, 3])
        #expect(try found(change.fetchRequest, "changeType IN %@", [NSPersistentHistoryChangeType.update]) == [2])
        #expect(try found(transaction.fetchRequest, "token IN %@", [first, last]) == [1, 3])
        #expect(try found(transaction.fetchRequest, "ANY changes.changeType == 0") == [1, 3])
        #expect(try found(transaction.fetchRequest, "ANY changes.changedEntity == %@", tag) == [3])
        #expect(try found(transaction.fetchRequest, "changes.@count == 2") == [1])
        #expect(try found(transaction.fetchRequest, "SUBQUERY(changes, $c, $c.changeType == 1).@count > 0") == [2])
        #expect(try found(transaction.fetchRequest, "author == nil") == [1, 2, 3])
    }

    @Test("An object id of another coordinator stands for its object in a predicate")
    func otherCoordinator() throws {
        let history = try HistoryStack()
        try history.save { $0.make("Tag", ["name": "a"]) }
        try history.save { $0.make("Tag", ["name": "b"]) }
        let other = try history.stack.beside().context()
        let id = try other.performAndWait { try #require(try other.all("Tag", "name == 'b'").first).objectID }
        let request = try #require(NSPersistentHistoryChange.fetchRequest)
        request.predicate = NSPredicate(format: "changedObjectID == %@", id)
        #expect(try history.places(history.transactions(.fetchHistory(withFetch: request))) == [2])
    }

    @Test("a key that history does not have is an error that names it")
    func unknownKeys() throws {
        let history = try HistoryStack()
        try history.save { $0.make("Tag") }
        for (request, format, order) in [
            (NSPersistentHistoryTransaction.fetchRequest, "colour == 1", nil),
            (NSPersistentHistoryTransaction.fetchRequest, "ANY changes.colour == 1", nil),
            (NSPersistentHistoryChange.fetchRequest, "transaction.colour == 1", nil),
            (NSPersistentHistoryChange.fetchRequest, nil, "colour"),
            (NSPersistentHistoryTransaction.fetchRequest, nil, "colour"),
        ] as [(NSFetchRequest<NSFetchRequestResult>?, String?, String?)] {
            let request = try #require(request)
            request.predicate = format.map { NSPredicate(format: $0) }
            request.sortDescriptors = order.map { [NSSortDescriptor(key: $0, ascending: true)] }
            let error = try #require(throws: NSError.self) {
                try history.transactions(.fetchHistory(withFetch: request))
            }
            #expect(error.code == NSCoreDataError)
            #expect(error.localizedDescription.contains("colour"))
        }
    }

    @Test("a pattern that is no regular expression is an error that names it")
    func wrongPattern() throws {
        let history = try HistoryStack()
        try history.save { $0.make("Tag") }
        let request = try #require(NSPersistentHistoryTransaction.fetchRequest)
        request.predicate = NSPredicate(format: "author MATCHES %@", "(")
        let error = try #require(throws: NSError.self) {
            try history.transactions(.fetchHistory(withFetch: request))
        }
        #expect(error.code == NSCoreDataError)
        #expect(error.localizedDescription.contains("Can't open pattern (()"))
    }
}
