import Foundation
import TestSupport
import Testing

@testable import CoreData

/// The history of real stores is read, and continues when they are changed.
/// Proof: Apple's persistent history, read here.
/// Proof: Apple's persistent history, changed here.
@Suite(.enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct HistoryCorpusTests {
    private static let stores = CorpusStore.all.filter { store in
        (try? store.withCopy { try RawDatabase($0).tables.contains("ACHANGE") }) ?? false
    }

    private func history(
        _ context: NSManagedObjectContext, after token: NSPersistentHistoryToken? = nil
    ) throws -> [NSPersistentHistoryTransaction] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try #require(try context.execute(request) as? NSPersistentHistoryResult)
        return try #require(result.result as? [NSPersistentHistoryTransaction])
    }

    @Test("Transactions and changes equal the tables' rows, with names, properties and values of deleted rows")
    func reads() throws {
        #expect(!Self.stores.isEmpty)
        var numbered: Int64 = 0
        for store in Self.stores {
            try store.withCopy { url in
                let raw = try RawDatabase(url)
                numbered += try raw.integer("SELECT count(Z_OPT) FROM ACHANGE") ?? 0
                let context = try CorpusStore.open(url, store.model)
                try context.performAndWait {
                    let found = try history(context)
                    let changes = found.flatMap { $0.changes ?? [] }
                    let numbers = "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT < 16000"
                    let known = try raw.integer("SELECT count(*) FROM ACHANGE WHERE ZENTITY IN (\(numbers))")
                    #expect(Int64(changes.count) == known, "\(store.path)")
                    #expect(
                        Int64(found.count) == (try raw.integer("SELECT count(*) FROM ATRANSACTION")), "\(store.path)")
                    #expect(found.allSatisfy { !$0.processID.isEmpty && !$0.bundleID.isEmpty }, "\(store.path)")
                    #expect(found.map(\.transactionNumber) == found.map(\.transactionNumber).sorted())
                    let named = changes.filter { $0.updatedProperties != nil }
                    #expect(named.allSatisfy { $0.changeType == .update && $0.updatedProperties?.isEmpty == false })
                    if raw.tables.contains("ACHANGE"),
                        let columns = try? raw.integer("SELECT count(*) FROM ACHANGE WHERE ZTOMBSTONE0 IS NOT NULL")
                    {
                        #expect(Int64(changes.filter { $0.tombstone != nil }.count) >= columns, "\(store.path)")
                    }
                    print("Corpus: \(store.path): \(found.count) transactions, \(changes.count) changes")
                }
            }
        }
        #expect(numbered == 0, "a change of Apple's has a number in Z_OPT")
    }

    /// How often each set of properties is named for an entity, as words; nil for updates that name none.
    private func named(_ entity: String, in path: String) throws -> [String?: Int] {
        let store = try #require(Self.stores.first { $0.path.hasSuffix(path) })
        return try store.withCopy { url in
            let context = try CorpusStore.open(url, store.model)
            return try context.performAndWait {
                let changes: [NSPersistentHistoryChange] = try history(context).flatMap { $0.changes ?? [] }
                let updates = changes.filter { change -> Bool in
                    change.changeType == .update && change.changedObjectID.entity.name == entity
                }
                let names = updates.map { change -> String? in
                    change.updatedProperties?.map(\.name).sorted().joined(separator: " ")
                }
                return Dictionary(grouping: names, by: \.self).mapValues(\.count)
            }
        }
    }

    @Test("The bits of Apple's own changes name the properties that their programs changed")
    func names() throws {
        let notes = "ios/NoteStore.sqlite"
        let note = try named("ICNote", in: notes)
        #expect(note["modificationDate snippet title"] == 2)
        #expect(note["modificationDate snippet"] == 15)
        #expect(note["modificationDate title"] == 6)
        #expect(note["serverRecordData"] == 27)
        #expect(note["serverRecordData unappliedEncryptedRecord"] == 3)
        #expect(note.values.reduce(0, +) == 62 && note[nil] == nil)
        // The version that a note has, and when it got it, change together; the reference's own column has a bit, too.
        #expect(
            try named("ICCloudState", in: notes) == [
                "currentLocalVersion localVersionDate": 28, "latestVersionSyncedToCloud": 21, "inCloud": 3,
                "inCloud latestVersionSyncedToCloud": 3,
            ])
        #expect(try named("ICNoteData", in: notes) == ["data": 28])
        #expect(try named("ICServerChangeToken", in: notes) == ["ckServerChangeTokenData": 2])
        #expect(try named("ICDeviceMigrationState", in: notes) == ["serverRecordData": 31])
        // One of its seven to-many relationships cannot be identified.
        let account = try named("ICAccount", in: notes)
        #expect(account[nil] == 13 && account["needsToBeFetchedFromCloud serverRecordData"] == 2)

        let admin = "ios/RMAdminStore-Local.sqlite"
        #expect(try named("Usage", in: admin) == ["blocks": 12, "lastUpdatedDate": 632, "blocks lastUpdatedDate": 294])
        #expect(try named("UsageTimedItem", in: admin) == ["totalTimeInSeconds": 390])
        #expect(try named("UsageRequest", in: admin) == ["acknowledgedDate": 214, "requestedDate": 214])
        let block = try named("UsageBlock", in: admin)
        #expect(block["lastEventDate longestSessionEndDate screenTimeInSeconds"] == 200)
        #expect(
            block["categories countedItems firstPickupDate lastEventDate longestSessionEndDate screenTimeInSeconds"]
                == 20)

        // Apple's framework of 2017: a mask of more than eight bytes holds no set of properties.
        let knowledge = "macos/knowledgec-10.13.db"
        #expect(try named("Source", in: knowledge) == ["product": 14])
        #expect(try named("StructuredMetadata", in: knowledge) == [nil: 14])
        // Nothing in this store distinguishes Apple's framework from an older version of this library.
        #expect(try named("Garnish", in: "cocktails-2025-03-29-b1b50c.store") == [nil: 78])
    }

    @Test("every mask of changed properties is as long as the list of its entity's columns")
    func lengths() throws {
        var checked = 0
        for store in Self.stores {
            try store.withCopy { url in
                let raw = try RawDatabase(url)
                let context = try CorpusStore.open(url, store.model)
                let opened = try #require(context.persistentStoreCoordinator?.persistentStores.first as? SQLiteStore)
                for row in try raw.rows("SELECT ZENTITY, length(ZCOLUMNS) FROM ACHANGE WHERE ZCOLUMNS IS NOT NULL") {
                    let index = try #require(opened.schema.layoutOfNumber[Int(row[0].int ?? 0)])
                    let layout = opened.layout.entities[index]
                    #expect(
                        HistoryProperties(layout).byteCount == Int(row[1].int ?? 0), "\(store.path): \(layout.name)")
                    checked += 1
                }
            }
        }
        print("Corpus: \(checked) masks of changed properties have the length of their entity's columns")
        #expect(checked >= 3168)
    }

    @Test("history continues when a real store is changed, also in the layout of 2017")
    func goesOn() throws {
        for store in Self.stores {
            try store.withCopy { url in
                let context = try CorpusStore.open(url, store.model, options: [NSPersistentHistoryTrackingKey: true])
                let coordinator = try #require(context.persistentStoreCoordinator)
                let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
                try context.performAndWait {
                    let count = try history(context).count
                    let raw = try RawDatabase(url)
                    let rows = "SELECT count(*) FROM ACHANGE"
                    let rowsBefore = try raw.integer(rows) ?? 0
                    context.transactionAuthor = "test"
                    var changes = StoreChanges(context: context, model: store.model)
                    try changes.insert()
                    let new = try history(context, after: token)
                    #expect(try history(context).count == count + new.count)
                    #expect(new.allSatisfy { $0.author == "test" }, "\(store.path)")
                    let made: [NSPersistentHistoryChange] = new.flatMap { $0.changes ?? [] }
                    #expect(try raw.integer(rows) == rowsBefore + Int64(made.count), "\(store.path)")
                    let ids = Set(made.filter { $0.changeType == .insert }.map(\.changedObjectID))
                    #expect(!changes.inserted.isEmpty)
                    #expect(changes.inserted.allSatisfy { ids.contains($0.objectID) }, "\(store.path)")
                }
            }
        }
    }
}
