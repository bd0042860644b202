import CoreData
import Foundation
import SwiftData
import TestSupport
import Testing

/// Transactions, changes by type, tombstones, tokens and the deletion of history.
@Suite("The history of SwiftData's stores")
struct SwiftDataHistoryTests {
    private typealias Transaction = DefaultHistoryTransaction

    private func withContainer(_ body: (ModelContainer) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try body(
                try ModelContainer(
                    for: Visit.self, LongVisit.self,
                    configurations: ModelConfiguration(url: folder.appendingPathComponent("visits.store"))))
        }
    }

    private func save(_ context: ModelContext, _ author: String?, _ change: () -> Void) throws {
        context.author = author
        change()
        try context.save()
    }

    @Test("Changes have the class of their model, the changed properties and the author")
    func changes() throws {
        try withContainer { container in
            let context = ModelContext(container)
            let (visit, long) = (Visit(place: "Rome"), LongVisit(place: "Bern", nights: 2))
            try save(context, "a") {
                context.insert(visit)
                context.insert(long)
            }
            let (id, longID) = (visit.persistentModelID, long.persistentModelID)
            try save(context, "b") {
                visit.place = "Oslo"
                visit.mood = .wild
                long.place = "Genf"
                long.nights = 3
            }
            try save(context, nil) { context.delete(visit) }
            let all = try context.fetchHistory(HistoryDescriptor<Transaction>())
            #expect(all.map(\.author) == ["a", "b", nil])
            #expect(all.allSatisfy { $0.storeIdentifier == id.storeIdentifier && $0.changes.count > 0 })
            #expect(all.map(\.transactionIdentifier) == all.map(\.transactionIdentifier).sorted())
            guard
                case .insert(let insert as DefaultHistoryInsert<Visit>) = all[0].changes.first(where: {
                    $0.changedPersistentIdentifier == id
                }),
                case .update(let update as DefaultHistoryUpdate<Visit>) = all[1].changes.first(where: {
                    $0.changedPersistentIdentifier == id
                }),
                case .update(let inherited as DefaultHistoryUpdate<LongVisit>) = all[1].changes.first(where: {
                    $0.changedPersistentIdentifier == longID
                }),
                case .delete(let deletion as DefaultHistoryDelete<Visit>) = all[2].changes[0]
            else {
                Issue.record("\(all)")
                return
            }
            #expect(insert.transactionIdentifier == all[0].transactionIdentifier)
            #expect(Set(update.updatedAttributes.map { $0 as PartialKeyPath<Visit> }) == [\Visit.place, \Visit.mood])
            #expect(update.containsAttribute(\.place) && !update.containsAttribute(\.count))
            #expect(inherited.containsAttribute(\.nights))
            #expect(inherited.updatedAttributes.map { $0 as PartialKeyPath<LongVisit> } == [\LongVisit.nights])
            #expect(deletion.changedPersistentIdentifier == id)
            #expect(deletion.tombstone[\.place] as? String == "Oslo")
            #expect(deletion.tombstone[\.mood] as? Mood == .wild)
            #expect(deletion.tombstone[\.count] as? Int == 7)
            #expect(
                deletion.tombstone[\.home] as? Address == Address(street: "s", number: 4, mood: .calm, notes: ["n"]))
            #expect(deletion.tombstone[\.key] == nil)
        }
    }

    @Test("Tokens and authors of a condition, the order and the limit choose the transactions")
    func descriptors() throws {
        try withContainer { container in
            let context = ModelContext(container)
            for (number, author) in ["a", "b", "a", "b"].enumerated() {
                try save(context, author) { context.insert(Visit(place: "\(number)")) }
            }
            let all = try context.fetchHistory(HistoryDescriptor<Transaction>())
            let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: JSONEncoder().encode(all[0].token))
            #expect(token == all[0].token && token < all[1].token && all[1].token > token)
            func authors(_ predicate: Predicate<Transaction>) throws -> [Int64] {
                try context.fetchHistory(HistoryDescriptor(predicate: predicate)).map(\.transactionIdentifier)
            }
            let numbers = all.map(\.transactionIdentifier)
            #expect(try authors(#Predicate { $0.token > token }) == Array(numbers[1...]))
            #expect(try authors(#Predicate { token < $0.token }) == Array(numbers[1...]))
            #expect(try authors(#Predicate { $0.token >= token }) == numbers)
            #expect(try authors(#Predicate { $0.token > token && $0.author == "a" }) == [numbers[2]])
            #expect(try authors(#Predicate { $0.token > token || $0.author == "a" }) == numbers)
            #expect(try authors(#Predicate { $0.author != "a" }) == [numbers[1], numbers[3]])
            var descriptor = HistoryDescriptor<Transaction>(
                predicate: nil, sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
            descriptor.fetchLimit = 2
            #expect(try context.fetchHistory(descriptor).map(\.transactionIdentifier) == [numbers[3], numbers[2]])
        }
    }

    @Test("History is deleted from its beginning; a token of deleted history, or of another store, has expired")
    func deletion() throws {
        try withContainer { container in
            let context = ModelContext(container)
            for number in 0..<3 { try save(context, nil) { context.insert(Visit(place: "\(number)")) } }
            let all = try context.fetchHistory(HistoryDescriptor<Transaction>())
            let (first, second, last) = (all[0].token, all[1].token, all[2].token)
            let behind = HistoryDescriptor<Transaction>(predicate: #Predicate { $0.token > second })
            let error = #expect(throws: SwiftDataError.self) { try context.deleteHistory(behind) }
            #expect(error == .unsupportedPredicate)
            try context.deleteHistory(HistoryDescriptor<Transaction>(predicate: #Predicate { $0.token < last }))
            #expect(try context.fetchHistory(HistoryDescriptor<Transaction>()).map(\.token) == [last])
            let expired = #expect(throws: SwiftDataError.self) {
                try context.fetchHistory(HistoryDescriptor<Transaction>(predicate: #Predicate { $0.token > first }))
            }
            #expect(expired == .historyTokenExpired)
            let foreign = try JSONDecoder().decode(
                DefaultHistoryToken.self, from: Data(#"{"tokenValue":{"other":3}}"#.utf8))
            let other = #expect(throws: SwiftDataError.self) {
                try context.fetchHistory(HistoryDescriptor<Transaction>(predicate: #Predicate { $0.token > foreign }))
            }
            #expect(other == .historyTokenExpired)
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(#"{"tokenValue":7}"#.utf8))
            }
            try context.deleteHistory(HistoryDescriptor<Transaction>())
            #expect(try context.fetchHistory(HistoryDescriptor<Transaction>()).isEmpty)
            try context.deleteHistory(HistoryDescriptor<Transaction>())
        }
    }
}

@Model class Visit {
    @Attribute(.preserveValueOnDeletion) var place: String
    @Attribute(.preserveValueOnDeletion) var count: Int = 7
    @Attribute(.preserveValueOnDeletion) var mood: Mood = Mood.calm
    @Attribute(.preserveValueOnDeletion) var home: Address = Address(street: "s", number: 4, mood: .calm, notes: ["n"])
    var key: UUID = UUID()

    init(place: String) { self.place = place }
}

@Model final class LongVisit: Visit {
    var nights: Int

    init(place: String, nights: Int) {
        self.nights = nights
        super.init(place: place)
    }
}
