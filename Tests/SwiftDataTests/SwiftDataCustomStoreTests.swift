import Foundation
import SwiftData
import TestSupport
import Testing

/// Containers over a store that a program has written.
@Suite("Custom stores of SwiftData")
struct SwiftDataCustomStoreTests {
    private typealias Configuration = ShopConfiguration<DefaultSnapshot>

    private func container<Snapshot: DataStoreSnapshot>(
        _ configuration: ShopConfiguration<Snapshot>
    ) throws -> ModelContainer {
        try ModelContainer(for: Parcel.self, GiftParcel.self, ParcelItem.self, configurations: configuration)
    }

    private static func byNumber() -> FetchDescriptor<Parcel> { FetchDescriptor(sortBy: [SortDescriptor(\.number)]) }

    @Test("Values, relationships and identifiers come back in another container")
    func roundTrip() throws {
        try roundTrip(Configuration())
        try roundTrip(ShopConfiguration<ShopSnapshot>())
    }

    private func roundTrip<Snapshot: DataStoreSnapshot>(_ configuration: ShopConfiguration<Snapshot>) throws {
        let context = ModelContext(try container(configuration))
        let parcel = Parcel(1, "a", weight: 2.5)
        parcel.kind = .fragile
        parcel.size = ParcelSize(width: 7, notes: ["x", "y"])
        parcel.tags = ["t", "u"]
        parcel.sent = Date(timeIntervalSinceReferenceDate: 1_000.25)
        parcel.items = [ParcelItem("i"), ParcelItem("j")]
        context.insert(parcel)
        context.insert(GiftParcel(2, "g", wish: "joy"))
        let early = parcel.persistentModelID
        #expect(early.isTemporary)
        try context.save()
        #expect(!context.hasChanges && configuration.contents.calls.last == "save 4 0 0")
        let id = parcel.persistentModelID
        #expect(!id.isTemporary && id == early && id.hashValue == early.hashValue)
        #expect(id.storeIdentifier == configuration.contents.identifier && id.entityName == "Parcel")

        let other = ModelContext(try container(configuration))
        let found = try other.fetch(Self.byNumber())
        #expect(found.map(\.label) == ["a", "g"] && found[0].persistentModelID == id && found[0].weight == 2.5)
        #expect(found[0].persistentModelID.hashValue == id.hashValue)
        #expect(found[0].kind == .fragile && found[0].size == ParcelSize(width: 7, notes: ["x", "y"]))
        #expect(found[0].tags == ["t", "u"] && found[0].sent == parcel.sent && found[1].weight == nil)
        #expect((found[1] as? GiftParcel)?.wish == "joy")
        #expect(Set(found[0].items.map(\.name)) == ["i", "j"] && found[0].items.allSatisfy { $0.parcel === found[0] })
        let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(id))
        #expect(decoded == id && Set([id]).contains(decoded))
        #expect((other.model(for: decoded) as? Parcel) === found[0])
        let fresh = ModelContext(try container(configuration))
        #expect((fresh.model(for: decoded) as? Parcel)?.items.count == 2)
    }

    @Test("Conditions, orders, limits, numbers and identifiers are those of a store in memory")
    func queries() throws {
        let plain = ModelContext(
            try ModelContainer(
                for: Parcel.self, GiftParcel.self, ParcelItem.self,
                configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        let configuration = Configuration()
        let custom = ModelContext(try container(configuration))
        for context in [plain, custom] {
            for number in 0..<12 {
                let parcel = Parcel(number, number % 3 == 0 ? "x" : "y", weight: number % 4 == 0 ? nil : Double(number))
                parcel.items = (0..<(number % 3)).map { ParcelItem("\(number)-\($0)") }
                context.insert(parcel)
            }
            context.insert(GiftParcel(20, "x", wish: "w"))
            try context.save()
        }
        let orders: [[SortDescriptor<Parcel>]] = [
            [SortDescriptor(\.number)], [SortDescriptor(\.label), SortDescriptor(\.number, order: .reverse)],
        ]
        let predicates: [Predicate<Parcel>?] = [
            nil, #Predicate { $0.label == "x" }, #Predicate { $0.isHeavy && $0.number < 9 },
            #Predicate { $0.items.contains { $0.name.hasPrefix("5") } }, #Predicate { $0.weight == nil },
        ]
        for isChanged in [false, true] {
            for predicate in predicates {
                for order in orders {
                    for (limit, offset) in [(nil, nil), (2, nil), (3, 1)] as [(Int?, Int?)] {
                        var descriptor = FetchDescriptor(predicate: predicate, sortBy: order)
                        (descriptor.fetchLimit, descriptor.fetchOffset) = (limit, offset)
                        let expected = try plain.fetch(descriptor).map(\.number)
                        #expect(try custom.fetch(descriptor).map(\.number) == expected)
                        #expect(try custom.fetchIdentifiers(descriptor).count == expected.count)
                        #expect(try custom.fetchCount(descriptor) == expected.count)
                    }
                }
            }
            if isChanged { break }
            for context in [plain, custom] {
                context.insert(Parcel(30, "x", weight: 9))
                let all = try context.fetch(Self.byNumber())
                all[3].label = "z"
                context.delete(all[6])
            }
        }
        var numbers: [Int] = []
        try custom.enumerate(Self.byNumber(), allowEscapingMutations: true) { numbers.append($0.number) }
        #expect(try numbers == plain.fetch(Self.byNumber()).map(\.number))
        try custom.save()
        #expect(try custom.fetch(Self.byNumber(), batchSize: 2).map(\.number) == numbers)
        #expect(try custom.fetch(FetchDescriptor<GiftParcel>()).map(\.number) == [20])
    }

    @Test("A store that filters and sorts is asked once, with the descriptor")
    func ownQueries() throws {
        let configuration = Configuration()
        let context = ModelContext(try container(configuration))
        for (number, label) in ["b", "a", "c"].enumerated() { context.insert(Parcel(number, label)) }
        try context.save()
        configuration.contents.prefersMemory = false
        configuration.contents.select = { found in
            try found.filter { try Self.values($0)["label"] as? String != "c" }.reversed()
        }
        configuration.contents.calls = []
        let descriptor = FetchDescriptor<Parcel>(
            predicate: #Predicate { $0.label != "c" }, sortBy: [SortDescriptor(\.label)])
        #expect(try context.fetch(descriptor).map(\.label) == ["a", "b"])
        #expect(configuration.contents.calls == ["fetch Parcel"])
        #expect(try context.fetchCount(descriptor) == 2)
        #expect(configuration.contents.calls == ["fetch Parcel", "count Parcel", "fetch Parcel"])
    }

    @Test("Changes are written; contexts see the saves of each other, and what the store has changed")
    func changes() throws {
        let configuration = Configuration()
        let shared = try container(configuration)
        let (context, other) = (ModelContext(shared), ModelContext(shared))
        let parcel = Parcel(1, "a")
        parcel.items = [ParcelItem("i")]
        context.insert(parcel)
        try context.save()
        let theirs = try #require(try other.fetch(FetchDescriptor<Parcel>()).first)
        theirs.label = "b"
        theirs.items.append(ParcelItem("j"))
        try other.save()
        #expect(configuration.contents.calls.last == "save 1 1 0")
        #expect(try context.fetch(FetchDescriptor<Parcel>()).first === parcel)
        #expect(parcel.label == "b" && Set(parcel.items.map(\.name)) == ["i", "j"])
        parcel.label = "c"
        context.rollback()
        #expect(parcel.label == "b" && !context.hasChanges)
        // Beside the contexts.
        let text = try #require(String(bytes: configuration.contents.data, encoding: .utf8))
        configuration.contents.data = Data(text.replacing("\"label\":\"b\"", with: "\"label\":\"outside\"").utf8)
        for context in [context, other] { _ = try context.fetch(FetchDescriptor<Parcel>()) }
        #expect(parcel.label == "outside" && theirs.label == "outside")
        configuration.contents.reregister = { written in
            try written.map { try Self.edited($0) { $0["label"] = "stamped" } }
        }
        parcel.number = 5
        try context.save()
        #expect(parcel.label == "stamped" && parcel.number == 5 && !context.hasChanges)
        configuration.contents.reregister = nil
        context.delete(parcel)
        try context.save()
        #expect(configuration.contents.calls.last == "save 0 0 3")
        #expect(try other.fetchCount(FetchDescriptor<Parcel>()) == 0 && theirs.modelContext == nil)
        #expect(String(bytes: configuration.contents.data, encoding: .utf8) == "[]")
    }

    @Test("Models go by a condition, by a statement of the store, and all at once")
    func deletion() throws {
        let configuration = ShopConfiguration<DefaultSnapshot>()
        let container = try ModelContainer(
            for: Parcel.self, GiftParcel.self, ParcelItem.self, ParcelNote.self, configurations: configuration)
        let context = ModelContext(container)
        for number in 0..<4 {
            context.insert(Parcel(number, "a"))
            context.insert(ParcelNote("\(number)"))
        }
        try context.save()
        try context.delete(model: Parcel.self, where: #Predicate { $0.number < 2 })
        try context.save()
        #expect(try context.fetch(Self.byNumber()).map(\.number) == [2, 3])
        let fresh = ModelContext(container)
        try fresh.delete(model: ParcelNote.self)
        #expect(try fresh.fetchCount(FetchDescriptor<ParcelNote>()) == 0 && fresh.hasChanges)
        fresh.rollback()
        try fresh.delete(model: ParcelNote.self)
        try ModelContext(container).save()
        let again = ModelContext(container)
        try again.delete(model: ParcelNote.self)
        configuration.contents.calls = []
        try again.save()
        #expect(configuration.contents.calls == ["delete ParcelNote"])
        #expect(try again.fetchCount(FetchDescriptor<ParcelNote>()) == 0)
        try container.erase()
        #expect(configuration.contents.calls.last == "erase")
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Parcel>()) == 0)
    }

    @Test("Contexts begin and end; transactions of the store are read and deleted")
    func history() throws {
        let configuration = Configuration()
        let container = try container(configuration)
        do {
            let context = ModelContext(container)
            #expect(configuration.contents.states == [context.editingState.id])
            for author in ["a", "b"] {
                context.author = author
                context.insert(Parcel(1, author))
                try context.save()
            }
            #expect(try context.fetchHistory(HistoryDescriptor<ShopTransaction>()).map(\.author) == ["a", "b"])
            let second = HistoryDescriptor<ShopTransaction>(predicate: #Predicate { $0.author == "b" })
            #expect(try context.fetchHistory(second).map(\.transactionIdentifier) == [2])
            try context.deleteHistory(second)
            #expect(try context.fetchHistory(HistoryDescriptor<ShopTransaction>()).count == 1)
            #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
                try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
            }
            #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
                try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
            }
        }
        #expect(configuration.contents.states.isEmpty)
    }

    @Test("An observer follows the models of a custom store")
    @MainActor func observer() throws {
        let container = try container(Configuration())
        let (context, other) = (ModelContext(container), ModelContext(container))
        let observer = try ResultsObserver<Parcel, String>(sectionBy: \.label, modelContext: context)
        context.insert(Parcel(1, "a"))
        #expect(observer.results.map(\.number) == [1])
        other.insert(Parcel(2, "b"))
        try other.save()
        #expect(observer.sections?.sectionNames == ["a", "b"])
    }

    // MARK: Snapshots

    static func values(_ snapshot: DefaultSnapshot) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(snapshot)) as? [String: Any])
    }

    /// A snapshot with changed values, made in a call of the store.
    static func edited(
        _ snapshot: DefaultSnapshot, _ change: (inout [String: Any]) -> Void
    ) throws -> DefaultSnapshot {
        var values = try values(snapshot)
        change(&values)
        return try JSONDecoder().decode(DefaultSnapshot.self, from: JSONSerialization.data(withJSONObject: values))
    }
}
