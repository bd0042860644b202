import CoreData
import CoreDataManager
import Foundation
import SwiftData
import TestSupport
import Testing

/// Containers that are opened away from the main thread.
@Suite("The opening of SwiftData's containers")
struct SwiftDataOpeningTests {
    private func withDiary(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("diary.store")
        func make() throws {
            let context = ModelContext(
                try ModelContainer(
                    for: Schema(versionedSchema: DiaryV1.self), configurations: ModelConfiguration(url: url)))
            for number in 0..<3 { context.insert(DiaryV1.Note(title: "n\(number)", words: number)) }
            try context.save()
        }
        try make()
        try await body(url)
    }

    @Test("A store is migrated by the plan in the background; whoever asks before waits")
    func opening() async throws {
        try await withDiary { url in
            let opening = ModelContainer.opening(
                for: DiaryV3.Note.self, migrationPlan: DiaryPlan.self, configurations: ModelConfiguration(url: url))
            #expect(opening.state.description == "idle")
            #expect(throws: CoreDataManagerError.self) { try opening.containerOrThrow() }
            let forecast = try await opening.forecast()
            #expect(forecast.isMigrationRequired && forecast.obstacles.isEmpty)
            #expect(forecast.report.contains("DiaryV1 → DiaryV2"), "\(forecast.report)")
            let states = Task {
                var all: [String] = []
                for await state in opening.states { all.append(String(state.description.prefix { $0 != " " })) }
                return all
            }
            async let other = opening.container
            let container = try await opening.container
            #expect(try await other === container)
            #expect(try opening.containerOrThrow() === container)
            #expect(container.migrationPlan == DiaryPlan.self)
            let notes = try ModelContext(container).fetch(
                FetchDescriptor<DiaryV3.Note>(sortBy: [SortDescriptor(\.words)]))
            #expect(notes.map(\.summary) == ["n0! 0", "n1! 1", "n2! 2"])
            #expect(await states.value.last == "ready")
            #expect(opening.state.isReady)
        }
    }

    @Test("A store that is refused fails with the error of the initialiser, and can be opened again")
    func refused() async throws {
        try await withDiary { url in
            func opening(_ version: any VersionedSchema.Type, _ change: (inout ModelConfiguration) -> Void)
                -> ContainerOpening
            {
                var configuration = ModelConfiguration(url: url)
                change(&configuration)
                return ModelContainer.opening(
                    for: Schema(versionedSchema: version), migrationPlan: DiaryPlan.self,
                    configurations: [configuration])
            }
            _ = try await opening(DiaryV3.self) { _ in }.container
            let error = await #expect(throws: SwiftDataError.self) {
                try await opening(DiaryV2.self) { _ in }.container
            }
            #expect(error == .backwardMigration)
            let context = ModelContext(
                try await opening(DiaryV2.self) { $0.allowedLosses = ["Note.place.floor", "Note.readers", "Reader"] }
                    .container)
            #expect(try context.fetchCount(FetchDescriptor<DiaryV2.Note>()) == 3)
        }
    }

    @Test("The completion gets the container; stores in memory are ready")
    func completion() async throws {
        let opening = ModelContainer.opening(
            for: DiaryV1.Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        #expect(opening.state.isReady)
        let container = await withCheckedContinuation { continuation in
            opening.begin { continuation.resume(returning: try? $0.get()) }
        }
        #expect(try container === opening.containerOrThrow())
    }
}
