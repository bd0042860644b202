@_spi(MigrationTesting) import CoreData
import Foundation
import SwiftData
import TestSupport
import Testing

/// Ends processes in the middle of a plan.
@Suite("Killed migrations of SwiftData's stores")
struct SwiftDataKillTests {
    /// The moments of copies, handlers and exchanges, with how often each comes before the process ends.
    private static var moments: [String] {
        let few = ["didHandled:1", "journalWritten:1"]
        guard Sample.isWhole else { return few }
        let all: [MigrationMoment] = [
            .folderLocked, .storeLocked, .copied, .willHandled, .didHandled, .copyStageDone, .checkpointWritten,
            .settled, .verified, .synchronized, .journalWritten, .mainsExchanged, .supportExchanged,
            .folderSynchronized, .olderRemoved, .journalRemoved, .exchanged,
        ]
        return all.flatMap { moment in (1...3).map { "\(moment.rawValue):\($0)" } }
    }

    private func hashes(_ url: URL) throws -> [String: Data] {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
        return try #require(metadata[NSStoreModelVersionHashesKey] as? [String: Data])
    }

    @Test("After a kill the store is of the older or the newer version, and each handler counts once")
    func kills() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let template = folder.appendingPathComponent("template.store")
        try make(template)
        let older = try hashes(template)
        var left: Set<[String: Data]> = []
        for moment in Self.moments {
            let url = folder.appendingPathComponent("\(moment).store")
            try FileManager.default.copyItem(at: template, to: url)
            let path = url.path
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, moment = moment as String] in
                let parts = moment.split(separator: ":")
                nonisolated(unsafe) var count = Int(parts[1]) ?? 1
                MigrationMoment.observe { reached in
                    guard reached.rawValue == parts[0] else { return }
                    count -= 1
                    if count == 0 { kill(getpid(), SIGKILL) }
                }
                _ = try ModelContainer(
                    for: DiaryV3.Note.self, migrationPlan: DiaryPlan.self,
                    configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
                // The moment does not come so often: that is an end as well.
                kill(getpid(), SIGKILL)
            }
            left.insert(try hashes(url))
            let context = ModelContext(
                try ModelContainer(
                    for: DiaryV3.Note.self, migrationPlan: DiaryPlan.self, configurations: ModelConfiguration(url: url))
            )
            let notes = try context.fetch(FetchDescriptor<DiaryV3.Note>(sortBy: [SortDescriptor(\.words)]))
            #expect(notes.map(\.headline) == ["n0!", "n1!", "n2!"], "\(moment)")
            #expect(notes.map(\.summary) == ["n0! 0", "n1! 1", "n2! 2"], "\(moment)")
            #expect(Set(notes.map(\.key)).count == 3, "\(moment)")
            #expect(try context.fetch(FetchDescriptor<DiaryV3.Reader>()).map(\.name) == ["Ann"], "\(moment)")
        }
        let newer = try hashes(folder.appendingPathComponent("\(Self.moments[0]).store"))
        #expect(left.isSubset(of: [older, newer]) && left.contains(older))
    }

    private func make(_ url: URL) throws {
        let context = ModelContext(
            try ModelContainer(
                for: Schema(versionedSchema: DiaryV1.self), configurations: ModelConfiguration(url: url)))
        for number in 0..<3 { context.insert(DiaryV1.Note(title: "n\(number)", words: number)) }
        try context.save()
    }
}
