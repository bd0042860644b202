import Foundation
import SwiftData
import TestSupport
import Testing

/// Stores of programs that answer wrongly, and configurations of which no container is made.
@Suite("Wrong custom stores of SwiftData")
struct SwiftDataCustomStoreFaultTests {
    private typealias Configuration = ShopConfiguration<DefaultSnapshot>
    private typealias Tests = SwiftDataCustomStoreTests

    private func makeContext(_ configuration: Configuration) throws -> ModelContext {
        ModelContext(
            try ModelContainer(for: Parcel.self, GiftParcel.self, ParcelItem.self, configurations: configuration))
    }

    /// The text of the error of a body.
    private func fault(_ kind: SwiftDataError = .modelValidationFailure, _ body: () throws -> Void) -> String {
        do {
            try body()
            return "no error"
        } catch {
            #expect(kind ~= error, "\(error)")
            return "\(error)"
        }
    }

    @Test("Wrong answers of a fetch are errors that name model and store, and the next right answer is taken")
    func fetches() throws {
        let configuration = Configuration()
        let contents = configuration.contents
        let context = try makeContext(configuration)
        for number in 0..<3 {
            let parcel = Parcel(number, "label \(number)")
            parcel.items = [ParcelItem("i")]
            context.insert(parcel)
        }
        try context.save()
        contents.prefersMemory = false
        let all = FetchDescriptor<Parcel>()
        func fails(
            _ descriptor: FetchDescriptor<Parcel>, _ select: @escaping ([DefaultSnapshot]) throws -> [DefaultSnapshot]
        ) throws -> String {
            contents.select = select
            defer { contents.select = nil }
            let context = try makeContext(configuration)
            let text = fault { _ = try context.fetch(descriptor) }
            contents.select = nil
            #expect(try context.fetch(all).count == 3)
            return text
        }
        let id = try #require(try context.fetchIdentifiers(all).first)
        #expect(try fails(all) { $0 + [$0[0]] }.contains("twice"))
        #expect(try fails(all) { $0 + [$0[0]] }.contains("\(id)"))
        contents.select = { $0 + [$0[0]] }
        #expect(fault { _ = try context.fetchIdentifiers(all) }.contains("twice"))
        contents.select = nil
        #expect(
            try fails(all) { try $0.map { try Self.renamed($0, "ParcelItem", contents.identifier) } }
                .contains("of the class 'ParcelItem' for a fetch of 'Parcel'"))
        #expect(
            try fails(all) { try $0.map { try Self.renamed($0, "Parcel", "elsewhere") } }
                .contains("of the store “elsewhere”"))
        #expect(
            try fails(all) { try $0.map { try Tests.edited($0) { $0["label"] = nil } } }
                .contains("without a value for 'label'"))
        let lists = try fails(all) { found in
            try found.map {
                try Tests.edited($0) { values in
                    values["items"] = [values["persistentIdentifier"] as Any]
                }
            }
        }
        #expect(lists.contains("of the class 'Parcel' for the relationship 'items'"))
        // What the store says that it has done.
        let filtered = FetchDescriptor<Parcel>(predicate: #Predicate { $0.number == 1 })
        let lie = try fails(filtered) { $0 }
        #expect(
            lie.contains("whose predicate does not hold for it") && lie.contains("/Parcel/p") && lie.contains("shop"))
        var limited = FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.number)])
        limited.fetchLimit = 2
        #expect(try fails(limited) { $0 }.contains("3 models for a fetch of 'Parcel' whose limit is 2"))
        let backwards: ([DefaultSnapshot]) throws -> [DefaultSnapshot] = { found in
            try found.map { ($0, try Tests.values($0)["number"] as? Int ?? 0) }.sorted { $0.1 > $1.1 }.map(\.0)
        }
        #expect(try fails(limited) { Array(try backwards($0).prefix(2)) }.contains("in another order"))
        contents.select = backwards
        limited.fetchLimit = nil
        #expect(try context.fetch(limited).map(\.number) == [0, 1, 2])
        contents.count = -1
        #expect(fault { _ = try context.fetchCount(all) }.contains("counted -1"))
    }

    private static func renamed(
        _ snapshot: DefaultSnapshot, _ entity: String, _ store: String
    ) throws -> DefaultSnapshot {
        snapshot.copy(
            persistentIdentifier: try PersistentIdentifier.identifier(for: store, entityName: entity, primaryKey: 77))
    }

    @Test("Errors of a store come through, and changes stay until a save succeeds")
    func saves() throws {
        let configuration = Configuration()
        let contents = configuration.contents
        let context = try makeContext(configuration)
        let parcel = Parcel(1, "a")
        context.insert(parcel)
        contents.failure = ShopError.full
        #expect(throws: ShopError.full) { try context.save() }
        #expect(context.hasChanges && contents.data == Data("[]".utf8))
        #expect(throws: ShopError.full) { try context.fetch(FetchDescriptor<Parcel>()) }
        contents.failure = DataStoreError.unsupportedFeature
        #expect(throws: DataStoreError.unsupportedFeature) { try context.fetch(FetchDescriptor<Parcel>()) }
        contents.failure = DataStoreError.preferInMemoryFilter
        #expect(throws: DataStoreError.preferInMemoryFilter) { try context.fetch(FetchDescriptor<Parcel>()) }
        contents.failure = nil
        try context.save()
        #expect(!context.hasChanges && contents.calls.last == "save 1 0 0" && !parcel.persistentModelID.isTemporary)
        let known = parcel.persistentModelID
        func failsNext(_ replace: ((PersistentIdentifier) -> PersistentIdentifier?)?) throws -> String {
            let context = try makeContext(configuration)
            context.insert(Parcel(2, "b"))
            contents.replace = replace
            defer { contents.replace = nil }
            return fault { try context.save() }
        }
        #expect(try failsNext { _ in nil }.contains("no permanent identifier"))
        #expect(try failsNext { _ in known }.contains("another model has this identifier"))
        #expect(
            try failsNext { _ in
                try? PersistentIdentifier.identifier(for: contents.identifier, entityName: "ParcelItem", primaryKey: 1)
            }.contains("as the permanent identifier"))
        contents.identifierOfSave = "elsewhere"
        #expect(try failsNext(nil).contains("as the store “elsewhere”"))
    }

    @Test("A model that the store has lost, and a snapshot outside of its store, are no stops")
    func lost() throws {
        let configuration = Configuration()
        let context = try makeContext(configuration)
        let parcel = Parcel(1, "a")
        context.insert(parcel)
        try context.save()
        let id = parcel.persistentModelID
        let data = configuration.contents.data
        configuration.contents.data = Data("[]".utf8)
        let other = try makeContext(configuration)
        #expect(
            try other.fetchCount(FetchDescriptor(predicate: #Predicate<Parcel> { $0.persistentModelID == id })) == 0)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([DefaultSnapshot].self, from: data) }
        configuration.contents.data = Data("no JSON".utf8)
        #expect(throws: DecodingError.self) { try other.fetch(FetchDescriptor<Parcel>()) }
        let strange = String(bytes: data, encoding: .utf8)?.replacing("Parcel", with: "Unknown") ?? ""
        configuration.contents.data = Data(strange.utf8)
        #expect(throws: DecodingError.self) { try other.fetch(FetchDescriptor<Parcel>()) }
    }

    @Test("Wrong configurations make no container")
    func configurations() throws {
        let all = Schema([Parcel.self, GiftParcel.self, ParcelItem.self])
        func fails(
            _ kind: SwiftDataError, _ configurations: [any DataStoreConfiguration], _ schema: Schema? = nil
        ) -> String {
            fault(kind) { _ = try ModelContainer(for: schema ?? all, configurations: configurations) }
        }
        #expect(fails(.loadIssueModelContainer, []).contains("no configuration"))
        #expect(fails(.loadIssueModelContainer, [Configuration(isValid: false)]).contains("ShopError"))
        #expect(fails(.duplicateConfiguration, [Configuration(), Configuration()]).contains("'shop'"))
        let items = Schema([ParcelNote.self])
        #expect(
            fails(.configurationSchemaNotFoundInContainerSchema, [Configuration(schema: items)])
                .contains("other classes"))
        let without = Configuration()
        without.contents.schema = items
        #expect(fails(.unknownDataStoreSchema, [without]).contains("does not have the class"))
        let two = Schema([Parcel.self, GiftParcel.self, ParcelItem.self, ParcelNote.self])
        let parts = [Configuration(name: "a", schema: all), Configuration(name: "b", schema: items)]
        let container = try ModelContainer(for: two, configurations: parts)
        let context = ModelContext(container)
        context.insert(Parcel(1, "a"))
        context.insert(ParcelNote("n"))
        try context.save()
        #expect(parts.map { $0.contents.calls.filter { $0.hasPrefix("save") } } == [["save 1 0 0"], ["save 1 0 0"]])
        #expect(try context.fetchCount(FetchDescriptor<ParcelNote>()) == 1)
        parts[1].contents.identifier = parts[0].contents.identifier
        #expect(fails(.duplicateConfiguration, parts, two).contains("the identifier"))
    }
}
