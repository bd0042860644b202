import CoreData
import Foundation
import SwiftData
import TestSupport
import Testing

/// Containers with plans for stores that containers of older versions have open in the process.
@Suite("Migrations of SwiftData's stores that are open in the process")
struct SwiftDataOpenStoreTests {
    private func container(
        _ url: URL, _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil
    ) throws -> ModelContainer {
        try ModelContainer(
            for: Schema(versionedSchema: version), migrationPlan: plan, configurations: ModelConfiguration(url: url))
    }

    /// Makes a store of the first version, and hands over the context that has it open.
    private func withDiary(_ body: (URL, ModelContext) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("diary.store")
            let context = ModelContext(try container(url, DiaryV1.self))
            context.insert(DiaryV1.Note(title: "n", words: 1))
            try context.save()
            #expect(try context.fetch(FetchDescriptor<DiaryV1.Note>()).map(\.title) == ["n"])
            try body(url, context)
        }
    }

    @Test("The container with the plan migrates beside an open one of each older version, which is refused afterwards")
    func openContainers() throws {
        try withDiary { url, first in
            let notes = try first.fetch(FetchDescriptor<DiaryV1.Note>())
            let second = ModelContext(try container(url, DiaryV2.self, ShortDiaryPlan.self))
            #expect(try second.fetchCount(FetchDescriptor<DiaryV2.Note>()) == 1)
            let third = ModelContext(try container(url, DiaryV3.self, DiaryPlan.self))
            #expect(try third.fetchCount(FetchDescriptor<DiaryV3.Note>()) == 1)
            #expect(throws: (any Error).self) { try second.fetch(FetchDescriptor<DiaryV2.Note>()) }
            #expect(throws: (any Error).self) { try first.fetch(FetchDescriptor<DiaryV1.Note>()) }
            // Values in memory stay.
            #expect(notes.map(\.title) == ["n"])
        }
    }

    @Test("Unsaved changes of the older container are not lost in silence: their save throws")
    func unsavedChanges() throws {
        try withDiary { url, first in
            first.insert(DiaryV1.Note(title: "unsaved"))
            let third = ModelContext(try container(url, DiaryV3.self, DiaryPlan.self))
            #expect(throws: (any Error).self) { try first.save() }
            #expect(first.insertedModelsArray.count == 1)
            #expect(try third.fetchCount(FetchDescriptor<DiaryV3.Note>()) == 1)
        }
    }
}
