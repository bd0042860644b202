import CoreData
import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Migration plans, and changes without a plan.
@Suite("Migrations of SwiftData's stores")
struct SwiftDataMigrationTests {
    /// Makes a store of the first version with some notes.
    private func withDiary(_ count: Int = 3, _ body: (URL) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("diary.store")
            try make(url, Schema(versionedSchema: DiaryV1.self)) { context in
                for number in 0..<count { context.insert(DiaryV1.Note(title: "n\(number)", words: number)) }
            }
            try body(url)
        }
    }

    private func make(_ url: URL, _ schema: Schema, _ body: (ModelContext) -> Void) throws {
        let context = ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(url: url)))
        body(context)
        try context.save()
    }

    private func open(
        _ url: URL, _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil,
        _ change: (inout ModelConfiguration) -> Void = { _ in }
    ) throws -> ModelContext {
        var configuration = ModelConfiguration(url: url)
        change(&configuration)
        return ModelContext(
            try ModelContainer(
                for: Schema(versionedSchema: version), migrationPlan: plan, configurations: [configuration]))
    }

    private func identifiers(_ url: URL) throws -> [String] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)[
            NSStoreModelVersionIdentifiersKey] as? [String] ?? []
    }

    /// The error of opening a store, which stays as it is.
    private func refusal(
        _ url: URL, _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)?,
        _ change: (inout ModelConfiguration) -> Void = { _ in }
    ) throws -> SwiftDataError {
        func dump() throws -> [String] {
            let tables = ["ZNOTE", "Z_PRIMARYKEY", "Z_METADATA"]
            return try tables.flatMap { table in
                try RawDatabase(url).texts("SELECT COUNT(*) || '' FROM \(table)")
                    + RawDatabase(url).texts("SELECT sql FROM sqlite_master WHERE name = '\(table)'")
            } + (try RawDatabase(url).texts("SELECT hex(Z_PLIST) FROM Z_METADATA"))
        }
        let before = try dump()
        let error = #expect(throws: SwiftDataError.self) { _ = try open(url, version, plan, change) }
        #expect(try dump() == before)
        return try #require(error)
    }

    // MARK: Stages

    @Test("A store of the first version goes through all stages; handlers have the classes of their version")
    func allStages() throws {
        try withDiary { url in
            let context = try open(url, DiaryV3.self, DiaryPlan.self)
            #expect(context.container.migrationPlan == DiaryPlan.self)
            let notes = try context.fetch(FetchDescriptor<DiaryV3.Note>(sortBy: [SortDescriptor(\.words)]))
            #expect(notes.map(\.headline) == ["n0!", "n1!", "n2!"])
            #expect(notes.map(\.summary) == ["n0! 0", "n1! 1", "n2! 2"])
            #expect(notes.allSatisfy { $0.readers.map(\.name) == ["Ann"] })
            #expect(try identifiers(url) == ["3.0.0"])
            // The handlers do not run again.
            let again = try open(url, DiaryV3.self, DiaryPlan.self)
            #expect(try again.fetchCount(FetchDescriptor<DiaryV3.Reader>()) == 1)
        }
    }

    /// Opens a store of the first version at the second one, and looks at the new properties of its notes.
    private func keys(_ url: URL, _ plan: (any SchemaMigrationPlan.Type)?) throws -> Set<UUID> {
        let context = try open(url, DiaryV2.self, plan)
        let notes = try context.fetch(FetchDescriptor<DiaryV2.Note>())
        #expect(Set(notes.map(\.key)).count == 3)
        #expect(notes.allSatisfy { $0.place == DiaryV2.Place(town: "Rome", street: nil) })
        #expect(notes.allSatisfy { $0.labels == ["new"] })
        let calm = Tone.calm
        let ofTone = FetchDescriptor<DiaryV2.Note>(predicate: #Predicate { $0.tone == calm })
        #expect(try context.fetchCount(ofTone) == 3)
        notes[0].place.town = "Bern"
        try context.save()
        return Set(notes.map(\.key))
    }

    @Test("New properties get a fresh value in each row, and the defaults of structures, lists and enumerations")
    func freshValues() throws {
        for plan in [DiaryPlan.self as any SchemaMigrationPlan.Type, nil] {
            try withDiary { url in
                let keys = try keys(url, plan)
                let next = try open(url, DiaryV3.self, plan)
                let newer = try next.fetch(FetchDescriptor<DiaryV3.Note>(sortBy: [SortDescriptor(\.words)]))
                #expect(Set(newer.map(\.key)) == keys)
                #expect(newer.map(\.place.floor) == [4, 4, 4])
                #expect(newer.map(\.place.town).sorted() == ["Bern", "Rome", "Rome"])
            }
        }
    }

    @Test("A stage between versions with equal hashes runs once, by the version's identifier")
    func dataStage() throws {
        try withTemporaryFolder { folder in
            for (plan, version) in [
                (PricePlan.self, PricesV2.self),
                (LongPricePlan.self, PricesV3.self),
            ] as [(any SchemaMigrationPlan.Type, any VersionedSchema.Type)] {
                let url = folder.appendingPathComponent("\(plan).store")
                try make(url, Schema(versionedSchema: PricesV1.self)) { $0.insert(Price(cents: 7)) }
                for _ in 0..<2 {
                    _ = try open(url, version, plan)
                    #expect(try RawDatabase(url).texts("SELECT ZCENTS || '' FROM ZPRICE") == ["14"])
                }
                #expect(try identifiers(url) == ["\(version.versionIdentifier)"])
            }
            let url = folder.appendingPathComponent("new.store")
            try make(url, Schema(versionedSchema: PricesV2.self)) { $0.insert(Price(cents: 7)) }
            let context = try open(url, PricesV2.self, PricePlan.self)
            #expect(try context.fetch(FetchDescriptor<Price>()).map(\.cents) == [7])
        }
    }

    @Test("Two versions with equal hashes and equal identifiers are an error that names both")
    func equalVersions() throws {
        try withTemporaryFolder { folder in
            let error = #expect(throws: SwiftDataError.self) {
                _ = try open(folder.appendingPathComponent("prices.store"), PricesAgain.self, TwicePricePlan.self)
            }
            let text = "\(try #require(error))"
            for part in ["PricesV1 (1.0.0)", "PricesAgain (1.0.0)", "TwicePricePlan", "Price: a version"] {
                #expect(text.contains(part), "\(text)")
            }
        }
    }

    // MARK: Other stores

    @Test("A store that is no version of the plan is refused with the nearest one and what differs")
    func unknownVersion() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("diary.store")
            try make(url, Schema(versionedSchema: DiaryAside.self)) {
                $0.insert(DiaryAside.Note(title: "a", weather: "rain"))
            }
            let error = try refusal(url, DiaryV3.self, DiaryPlan.self)
            #expect(error == .loadIssueModelContainer)
            #expect((error.underlyingError as? NSError)?.code == NSManagedObjectModelReferenceNotFoundError)
            for part in [
                "Cannot use staged migration with an unknown model version.", "DiaryPlan is DiaryV1 (1.0.0)",
                "Note.weather is missing in DiaryV1", ".inferToNearest",
            ] {
                #expect("\(error)".contains(part), "\(error)")
            }
            let losing = try refusal(url, DiaryV3.self, DiaryPlan.self) { $0.unknownVersions = .inferToNearest }
            #expect(
                "\(losing)".contains("DiaryV1 (1.0.0): it has no place for “Note.weather” of 1 object"), "\(losing)")
            let context = try open(url, DiaryV3.self, DiaryPlan.self) {
                $0.unknownVersions = .inferToNearest
                $0.allowedLosses = ["Note.weather"]
            }
            #expect(try context.fetch(FetchDescriptor<DiaryV3.Note>()).map(\.summary) == ["a! 0"])
        }
    }

    @Test("On request a lossless hop leads an unknown store to the nearest version, and the stages go on from there")
    func inferToNearest() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("diary.store")
            try make(url, Schema(versionedSchema: DiaryBetween.self)) { context in
                for title in ["a", "b"] {
                    let note = DiaryBetween.Note(title: title)
                    note.summary = "own"
                    context.insert(note)
                }
            }
            #expect("\(try refusal(url, DiaryV3.self, DiaryPlan.self))".contains("Note.summary is missing in DiaryV1"))
            // The first version is nearer, but has no place for the summary.
            let context = try open(url, DiaryV3.self, DiaryPlan.self) { $0.unknownVersions = .inferToNearest }
            let notes = try context.fetch(FetchDescriptor<DiaryV3.Note>())
            #expect(notes.map(\.summary) == ["own", "own"])
            #expect(Set(notes.map(\.key)).count == 2)
            #expect(notes.allSatisfy { $0.readers.count == 1 })
        }
    }

    @Test("An older program with a shorter plan is refused, or goes back if the losses are named")
    func newerStore() throws {
        try withDiary { url in
            _ = try open(url, DiaryV3.self, DiaryPlan.self)
            for plan in [ShortDiaryPlan.self as any SchemaMigrationPlan.Type, DiaryPlan.self] {
                let error = try refusal(url, DiaryV2.self, plan)
                #expect(error == .backwardMigration)
                #expect(
                    "\(error)".contains(#"allowedLosses = ["Note.place.floor", "Note.readers", "Reader"]"#), "\(error)"
                )
                let partly = try refusal(url, DiaryV2.self, plan) { $0.allowedLosses = ["Reader"] }
                #expect(partly == .backwardMigration)
            }
            let losing = try refusal(url, DiaryV2.self, nil)
            #expect(losing == .backwardMigration)
            #expect("\(losing)".contains("“Note.place.floor” of 3 objects"), "\(losing)")
        }
    }

    @Test("The way back is gone if the losses are named")
    func namedLosses() throws {
        try withDiary { url in
            _ = try open(url, DiaryV3.self, DiaryPlan.self)
            let context = try open(url, DiaryV2.self, ShortDiaryPlan.self) {
                $0.allowedLosses = ["Note.place.floor", "Note.readers", "Reader"]
            }
            #expect(try context.fetch(FetchDescriptor<DiaryV2.Note>()).map(\.title).sorted() == ["n0!", "n1!", "n2!"])
            #expect(try identifiers(url) == ["2.0.0"])
        }
    }

    @Test("Each store of a container with several goes through the stages of its part")
    func parts() throws {
        try withTemporaryFolder { folder in
            func open(_ url: URL, _ plan: (any SchemaMigrationPlan.Type)?, _ schemas: [Schema]) throws -> ModelContext {
                let configurations = schemas.enumerated().map { number, schema in
                    ModelConfiguration("part\(number)", schema: schema, url: url.appendingPathComponent("\(number)"))
                }
                let types = schemas.flatMap(\.types)
                return ModelContext(
                    try ModelContainer(for: Schema(types), migrationPlan: plan, configurations: configurations))
            }
            for plan in [PartPlan.self as any SchemaMigrationPlan.Type, nil] {
                let url = folder.appendingPathComponent("\(plan == nil)")
                try autoreleasing {
                    let context = try open(url, nil, [Schema([PartsV1.Left.self]), Schema([PartsV1.Right.self])])
                    for _ in 0..<2 { context.insert(PartsV1.Left()) }
                    context.insert(PartsV1.Right())
                    try context.save()
                }
                let context = try open(url, plan, [Schema([PartsV2.Left.self]), Schema([PartsV2.Right.self])])
                #expect(Set(try context.fetch(FetchDescriptor<PartsV2.Left>()).map(\.key)).count == 2)
                let right = try context.fetch(FetchDescriptor<PartsV2.Right>())
                #expect(right.map(\.note) == [plan == nil ? "" : "done"])
            }
        }
    }

    private func autoreleasing(_ body: () throws -> Void) rethrows { try body() }

    @Test("Without a plan a loss is refused, and allowed by name")
    func losses() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("diary.store")
            try make(url, Schema([DiaryAside.Note.self])) {
                $0.insert(DiaryAside.Note(title: "a", weather: "rain"))
            }
            let error = try refusal(url, DiaryV1.self, nil)
            #expect(error == .loadIssueModelContainer)
            #expect("\(error)".contains(#"configuration.allowedLosses = ["Note.weather"]"#), "\(error)")
            let context = try open(url, DiaryV1.self) { $0.allowedLosses = ["Note.weather"] }
            #expect(try context.fetch(FetchDescriptor<DiaryV1.Note>()).map(\.title) == ["a"])
        }
    }

    @Test("Types tell versions apart: a fetch of another version's class throws, and names both")
    func otherClass() throws {
        let context = ModelContext(
            try ModelContainer(
                for: DiaryV3.Note.self, migrationPlan: DiaryPlan.self,
                configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        let error = #expect(throws: SwiftDataError.self) { try context.fetch(FetchDescriptor<DiaryV1.Note>()) }
        #expect(error == .unknownSchema)
        #expect("\(try #require(error))".contains("DiaryV1.Note"))
        #expect("\(try #require(error))".contains("DiaryV3.Note"))
        #expect(throws: SwiftDataError.self) { try context.delete(model: DiaryV2.Note.self) }
    }

    @Test("A container is gone at the end of its scope, also if its main context was used")
    @MainActor func released() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("diary.store")
            weak var released: ModelContainer?
            @MainActor func use() throws {
                let container = try ModelContainer(
                    for: DiaryV1.Note.self, configurations: ModelConfiguration(url: url))
                container.mainContext.insert(DiaryV1.Note(title: "a"))
                try container.mainContext.save()
                released = container
            }
            try use()
            #expect(released == nil)
            let context = try ModelContainer(
                for: DiaryV3.Note.self, migrationPlan: DiaryPlan.self, configurations: ModelConfiguration(url: url)
            ).mainContext
            #expect(try context.fetchCount(FetchDescriptor<DiaryV3.Note>()) == 1)
            let container = context.container
            #expect(container.mainContext === context && context.container === container)
            #expect(container.migrationPlan == DiaryPlan.self)
        }
    }

    @Test("Two programs with different plans at once: the store is whole, and the late one gets an error")
    func twoPlans() throws {
        try withDiary { url in
            let results = Locked<[(isShort: Bool, result: Result<Int, any Error>)]>([])
            DispatchQueue.concurrentPerform(iterations: 2) { number in
                let result = Result {
                    number == 0
                        ? try open(url, DiaryV3.self, DiaryPlan.self).fetchCount(FetchDescriptor<DiaryV3.Note>())
                        : try open(url, DiaryV2.self, ShortDiaryPlan.self).fetchCount(FetchDescriptor<DiaryV2.Note>())
                }
                results.withLock { $0.append((number == 1, result)) }
            }
            for (isShort, result) in results.withLock({ $0 }) {
                switch result {
                case .success(let count): #expect(count == 3)
                case .failure(let error):
                    // The longer plan may migrate the store between the opening by the shorter one and its fetch.
                    let isMigratedSince =
                        isShort && (error as NSError).code == NSPersistentStoreIncompatibleVersionHashError
                    #expect(error as? SwiftDataError == .backwardMigration || isMigratedSince, "\(error)")
                }
            }
            let titles = try open(url, DiaryV3.self, DiaryPlan.self)
                .fetch(FetchDescriptor<DiaryV3.Note>(sortBy: [SortDescriptor(\.words)])).map(\.headline)
            #expect([["n0", "n1", "n2"], ["n0!", "n1!", "n2!"]].contains(titles))
        }
    }

    @Test("A debug build says that a migration has kept the main queue waiting")
    func mainQueue() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try await MainActor.run {
                let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).store")
                func make(_ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)?) throws {
                    _ = try ModelContainer(
                        for: Schema(versionedSchema: version), migrationPlan: plan,
                        configurations: [ModelConfiguration(url: url)])
                }
                try make(DiaryV1.self, nil)
                try make(DiaryV3.self, DiaryPlan.self)
                for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("was migrated on the main queue for"), "\(text)")
    }

    // MARK: Wrong plans

    private static let wrongPlans: [(plan: any SchemaMigrationPlan.Type, parts: [String])] = [
        (PlanWithoutSchemas.self, ["PlanWithoutSchemas has no schemas"]),
        (PlanWithoutStages.self, ["DiaryV1 (1.0.0)", "no stage to DiaryV3 (3.0.0)"]),
        (PlanWithGap.self, ["stages to DiaryV2 (2.0.0) only, and none on to DiaryV3 (3.0.0)"]),
        (PlanWithCircle.self, ["in a circle: DiaryV1 (1.0.0), DiaryV2 (2.0.0), DiaryV3 (3.0.0), DiaryV1 (1.0.0)"]),
        (PlanWithTwin.self, ["two stages from DiaryV1 (1.0.0) to DiaryV3 (3.0.0)"]),
        (PlanWithFork.self, ["begin at DiaryV1 (1.0.0)", "to DiaryV2 (2.0.0), one to DiaryV3 (3.0.0)"]),
        (PlanWithRepetition.self, ["lists DiaryV1 (1.0.0) twice"]),
        (ShortDiaryPlan.self, ["ShortDiaryPlan", "DiaryV2 (2.0.0), differs", "Reader is missing in ShortDiaryPlan"]),
    ]

    @Test("A plan that contradicts itself is an error that says where")
    func wrongPlans() throws {
        try withDiary(1) { url in
            for (plan, parts) in Self.wrongPlans {
                let error = try refusal(url, DiaryV3.self, plan)
                #expect(error == .loadIssueModelContainer)
                for part in parts { #expect("\(error)".contains(part), "\(error)") }
            }
        }
    }

    @Test("A container of other classes with equal hashes is of the plan's version")
    func otherClasses() throws {
        try withDiary { url in
            let context = ModelContext(
                try ModelContainer(
                    for: LooseDiary.Note.self, migrationPlan: ShortDiaryPlan.self,
                    configurations: ModelConfiguration(url: url)))
            #expect(try context.fetchCount(FetchDescriptor<LooseDiary.Note>()) == 3)
            #expect(try identifiers(url) == ["1.0.0"])
        }
    }

    // MARK: Handlers

    private struct Refusal: Error {}

    /// What the stage of `HandlerPlan` does. A task-local cannot be a function.
    private final class Handler: Sendable {
        let body: @Sendable (ModelContext) throws -> Void

        init(_ body: @escaping @Sendable (ModelContext) throws -> Void) { self.body = body }
    }

    @TaskLocal private static var handler: Handler?

    private enum HandlerPlan: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [DiaryV1.self, DiaryV2.self] }
        static var stages: [MigrationStage] {
            [
                .custom(
                    fromVersion: DiaryV1.self, toVersion: DiaryV2.self, willMigrate: nil,
                    didMigrate: { context in
                        try SwiftDataMigrationTests.handler?.body(context)
                    })
            ]
        }
    }

    @Test("A handler that throws leaves the store as it was")
    func throwingHandler() throws {
        try withDiary { url in
            try Self.$handler.withValue(
                Handler { context in
                    try context.delete(model: DiaryV2.Note.self)
                    try context.save()
                    throw Refusal()
                }
            ) {
                let error = try refusal(url, DiaryV2.self, HandlerPlan.self)
                let underlying = (error.underlyingError as? NSError)?.userInfo[NSUnderlyingErrorKey]
                #expect("\(try #require(underlying))".contains("Refusal"))
                #expect("\(error)".contains("DiaryV1 → DiaryV2"))
            }
            #expect(try open(url, DiaryV1.self).fetchCount(FetchDescriptor<DiaryV1.Note>()) == 3)
        }
    }

    @Test("A handler may delete everything")
    func deletingHandler() throws {
        try withDiary { url in
            try Self.$handler.withValue(
                Handler { context in
                    try context.delete(model: DiaryV2.Note.self)
                    try context.save()
                }
            ) {
                let context = try open(url, DiaryV2.self, HandlerPlan.self)
                #expect(try context.fetchCount(FetchDescriptor<DiaryV2.Note>()) == 0)
            }
        }
    }

    @Test("A handler that opens the store itself gets an error at once")
    func openingHandler() throws {
        try withDiary { url in
            try Self.$handler.withValue(
                Handler { _ in
                    _ = try ModelContainer(for: DiaryV2.Note.self, configurations: ModelConfiguration(url: url))
                }
            ) {
                let error = try refusal(url, DiaryV2.self, HandlerPlan.self)
                #expect("\(error)".contains("cannot open the store that is being migrated"), "\(error)")
            }
        }
    }
}

/// A class of no version, with the hash of the first one's.
enum LooseDiary {
    @Model final class Note {
        var title: String
        var words: Int = 0

        init(title: String) { self.title = title }
    }
}
