import Foundation
import SwiftData
import TestSupport
import Testing

/// Fetches without unsaved changes of which the context filters or sorts a part.
@Suite("Fetches of stored values of SwiftData")
struct SwiftDataStoredValueTests {
    private typealias Configuration = ShopConfiguration<DefaultSnapshot>

    enum Kind: CaseIterable { case custom, customFilter, memory, file }

    private func container(_ kind: Kind, _ folder: URL) throws -> ModelContainer {
        let schema = Schema([Parcel.self, GiftParcel.self, ParcelItem.self])
        switch kind {
        case .custom: return try ModelContainer(for: schema, configurations: [Configuration()])
        case .customFilter:
            let configuration = Configuration()
            configuration.contents.prefersMemory = false
            // The store knows the condition and the order.
            configuration.contents.select = { found in
                let parcels = try found.map { ($0, try SwiftDataCustomStoreTests.values($0)) }
                return parcels.filter { $0.1["weight"] as? Double ?? 0 > 3 }
                    .sorted { "\($0.1["label"] ?? "")" < "\($1.1["label"] ?? "")" }.map(\.0)
            }
            return try ModelContainer(for: schema, configurations: [configuration])
        case .memory:
            return try ModelContainer(for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        case .file:
            return try ModelContainer(
                for: schema, configurations: ModelConfiguration(url: folder.appendingPathComponent("parcels.store")))
        }
    }

    @Test(
        "The stored values decide condition and order, and the context's own models come back",
        arguments: Kind.allCases)
    func changedModels(kind: Kind) throws {
        let folder = try TemporaryFolder()
        let context = ModelContext(try container(kind, folder.url))
        let parcels = [("d", 1.0), ("c", 5), ("b", 6), ("a", nil)].enumerated().map {
            Parcel($0, $1.0, weight: $1.1)
        }
        for parcel in parcels { context.insert(parcel) }
        try context.save()
        // The first parcel fits now and the second one does not; their order is another one as well.
        (parcels[0].weight, parcels[1].weight) = (9, 1)
        (parcels[1].label, parcels[2].label) = ("0", "z")
        context.insert(Parcel(4, "e", weight: 9))
        var descriptor = FetchDescriptor<Parcel>(
            predicate: #Predicate { $0.isHeavy }, sortBy: [SortDescriptor(\.label)])
        if kind != .customFilter { #expect(try context.fetch(descriptor).map(\.number) == [0, 4, 2]) }
        descriptor.includePendingChanges = false
        let found = try context.fetch(descriptor)
        #expect(found.map(\.number) == [2, 1])
        #expect(found.first === parcels[2] && found.last === parcels[1])
        #expect(found.map(\.label) == ["z", "0"] && context.changedModelsArray.count == 3)
        #expect(try context.fetchCount(descriptor) == 2)
        #expect(try context.fetchIdentifiers(descriptor) == found.map(\.persistentModelID))
        #expect(try context.fetch(descriptor, batchSize: 1).map(\.number) == [2, 1])
        descriptor.fetchLimit = 1
        if kind != .customFilter { #expect(try context.fetch(descriptor).map(\.number) == [2]) }
        context.rollback()
        #expect(parcels.map(\.label) == ["d", "c", "b", "a"] && !context.hasChanges)
    }

    @Test(
        "A condition on models to which the stored ones lead sees the stored values, too",
        arguments: [Kind.custom, .file])
    func relatedModels(kind: Kind) throws {
        let folder = try TemporaryFolder()
        let context = ModelContext(try container(kind, folder.url))
        let item = ParcelItem("old")
        let parcel = Parcel(1, "a", weight: 4)
        parcel.items = [item]
        context.insert(parcel)
        try context.save()
        item.name = "new"
        parcel.items.append(ParcelItem("added"))
        func numbers(_ predicate: Predicate<Parcel>) throws -> [Int] {
            var descriptor = FetchDescriptor(predicate: predicate)
            descriptor.includePendingChanges = false
            return try context.fetch(descriptor).map(\.number)
        }
        #expect(try numbers(#Predicate { $0.isHeavy && $0.items.contains { $0.name == "old" } }) == [1])
        #expect(try numbers(#Predicate { $0.isHeavy && $0.items.contains { $0.name == "new" } }) == [])
        #expect(try numbers(#Predicate { $0.isHeavy && $0.items.count == 1 }) == [1])
        #expect(item.name == "new" && parcel.items.count == 2)
    }
}
