import CoreData
import CoreDataManager
import Foundation
import SwiftData
import TestSupport
import Testing

@testable import plan_child

/// Handlers that do not end, and processes with different plans at once.
@Suite("Busy migrations of SwiftData's stores", .serialized)
struct SwiftDataBusyPlanTests {
    private func withLogbook(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("logbook.store")
        try make(url)
        try await body(url)
    }

    private func make(_ url: URL) throws {
        let context = ModelContext(
            try ModelContainer(
                for: Schema(versionedSchema: LogbookV1.self), configurations: ModelConfiguration(url: url)))
        for number in 0..<4 { context.insert(LogbookV1.Entry(number: number, text: "n\(number) ")) }
        try context.save()
    }

    private func texts(_ url: URL) throws -> [String] {
        try RawDatabase(url).texts("SELECT ZTEXT FROM ZENTRY ORDER BY ZNUMBER")
    }

    // MARK: A handler that does not end

    /// What the handler of `WaitingPlan` waits for, and what it tells.
    private final class Gate: Sendable {
        static let shared = Gate()
        let entered = DispatchSemaphore(value: 0)
        let released = DispatchSemaphore(value: 0)
    }

    private struct GivenUp: Error {}

    private enum WaitingPlan: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [LogbookV1.self, LogbookV2.self] }
        static var stages: [MigrationStage] {
            [
                .custom(
                    fromVersion: LogbookV1.self, toVersion: LogbookV2.self,
                    willMigrate: { context in
                        for entry in try context.fetch(FetchDescriptor<LogbookV1.Entry>()) { entry.text = "lost" }
                        try context.save()
                        Gate.shared.entered.signal()
                        Gate.shared.released.wait()
                        throw GivenUp()
                    }, didMigrate: nil)
            ]
        }
    }

    @Test("While a handler does not end, state and text say so to callers, and the store stays the older one")
    func waiting() async throws {
        try await withLogbook { url in
            let opening = ModelContainer.opening(
                for: LogbookV2.Entry.self, migrationPlan: WaitingPlan.self, configurations: ModelConfiguration(url: url)
            )
            let container = Task { try await opening.container }
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    Gate.shared.entered.wait()
                    continuation.resume()
                }
            }
            #expect(opening.state.isMigrating)
            let error = #expect(throws: CoreDataManagerError.self) { try opening.containerOrThrow() }
            let text = error.map { "\($0)" } ?? ""
            #expect(text.contains("not ready, it is migrating"), "\(text)")
            Gate.shared.released.signal()
            let result = await container.result
            #expect(throws: SwiftDataError.loadIssueModelContainer) { try result.get() }
            #expect(opening.state.error != nil)
            let after = try texts(url)
            #expect(after == ["n0 ", "n1 ", "n2 ", "n3 "])
        }
    }

    @Test("A process that is killed in a handler that does not end leaves the older store, and the next one migrates")
    func killed() async throws {
        try await withLogbook { url in
            let child = try ChildProgram("plan-child", [url.path, "endless"])
            #expect(child.wait(for: "in the handler\n").hasSuffix("in the handler\n"))
            child.kill()
            #expect(child.wait().wasKilled)
            #expect(try texts(url) == ["n0 ", "n1 ", "n2 ", "n3 "])
            let context = ModelContext(
                try ModelContainer(
                    for: LogbookV5.Entry.self, migrationPlan: LogbookPlan.self,
                    configurations: ModelConfiguration(url: url)))
            let entries = try context.fetch(FetchDescriptor<LogbookV5.Entry>(sortBy: [SortDescriptor(\.number)]))
            #expect(entries.map(\.note) == ["n0 1245", "n1 1245", "n2 1245", "n3 1245"])
            let names = try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
            #expect(names.filter { $0.contains("migration") } == [])
        }
    }

    // MARK: Two processes

    @Test("Two processes with different plans at once: the store is whole, rows count once, and the late one says why")
    func differentPlans() async throws {
        for round in 0..<(Sample.isWhole ? 20 : 2) {
            try await withLogbook { url in
                let plans = round % 2 == 0 ? ["", "short"] : ["short", ""]
                let children = try plans.map { try ChildProgram("plan-child", [url.path, $0]) }
                for (plan, child) in zip(plans, children) {
                    let end = child.wait()
                    if end.status == 0 { continue }
                    // Only the older program finds a store that is too new for it.
                    #expect(plan == "short" && end.output.contains("backwardMigration"), "\(end.output)")
                }
                let context = ModelContext(
                    try ModelContainer(
                        for: LogbookV5.Entry.self, migrationPlan: LogbookPlan.self,
                        configurations: ModelConfiguration(url: url)))
                let entries = try context.fetch(FetchDescriptor<LogbookV5.Entry>(sortBy: [SortDescriptor(\.number)]))
                #expect(entries.map(\.note) == ["n0 1245", "n1 1245", "n2 1245", "n3 1245"])
            }
        }
    }
}
