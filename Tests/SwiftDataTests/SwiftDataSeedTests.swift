import CoreData
import Foundation
import SwiftData
import TestSupport
import Testing

/// Stores that Apple's SwiftData wrote at earlier versions of a plan.
@Suite("Stores of earlier versions", .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
struct SwiftDataSeedTests {
    private func openSeed(_ name: String, _ body: (ModelContext, URL) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let url = try Corpus.copyStore("nobelnrj__myhome/MyHomeTests/Resources/\(name).store", to: folder)
            let container = try ModelContainer(
                for: ExpensesV3.Expense.self, migrationPlan: ExpensePlan.self,
                configurations: ModelConfiguration(url: url))
            try body(ModelContext(container), url)
        }
    }

    @Test("A store of the first version goes through both stages")
    func first() throws {
        try openSeed("MyHomeV1Seed") { context, _ in
            let expense = try #require(try context.fetch(FetchDescriptor<ExpensesV3.Expense>()).first)
            #expect(expense.amount == 100 && expense.note == "Seed" && expense.currencyCode == "INR")
            #expect(expense.day.timeIntervalSinceReferenceDate == 801_744_174.448246)
            #expect(expense.id == UUID(uuidString: "1C940251-ABBB-49B6-BA41-40B334AC35FC"))
            #expect(expense.categories.map(\.name) == ["Other"])
        }
    }

    @Test("A store of the second version goes through the second stage alone")
    func second() throws {
        try openSeed("MyHomeV2Seed") { context, _ in
            let expense = try #require(try context.fetch(FetchDescriptor<ExpensesV3.Expense>()).first)
            #expect(expense.categories.map(\.name) == ["Seed Category"])
            #expect(expense.categories.map(\.symbolName) == ["cart"])
            #expect(expense.categories.first?.expenses.first === expense)
        }
    }

    @Test("The history that Apple's framework wrote is read, also behind a migration")
    func history() throws {
        try openSeed("MyHomeV2Seed") { context, url in
            let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
            let number = try RawDatabase(url).texts("SELECT COUNT(*) || '' FROM ATRANSACTION").first
            #expect("\(transactions.count)" == number)
            let first = try #require(transactions.first)
            #expect(first.changes.count == 2)
            let inserted = first.changes.compactMap { change -> PersistentIdentifier? in
                guard case .insert(let insert as DefaultHistoryInsert<ExpensesV3.Expense>) = change else { return nil }
                return insert.changedPersistentIdentifier
            }
            #expect(inserted == (try context.fetch(FetchDescriptor<ExpensesV3.Expense>())).map(\.persistentModelID))
        }
    }
}
