import Foundation
import SwiftData
import TestSupport
import Testing

/// Contexts on changing threads, actors, autosave and merges at once. `bin/test --tsan --filter SwiftData` looks for
/// races in them.
@Suite("Threads of SwiftData")
struct SwiftDataThreadTests {
    private static let rounds = ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] == nil ? 8 : 200

    @Test("Actors write, the main context saves by itself, and a context that changes threads sees everything")
    @MainActor func together() async throws {
        try await withTemporaryFolder { folder in
            let container = try CabinetStore.file(folder.appendingPathComponent("a.store").path)
            let main = container.mainContext
            let context = Shared(ModelContext(container))
            var ids: Set<PersistentIdentifier> = []
            try await withThrowingTaskGroup(of: [PersistentIdentifier].self) { group in
                for number in 0..<3 {
                    group.addTask {
                        let writer = CabinetWriter(modelContainer: container)
                        var ids: [PersistentIdentifier] = []
                        for round in 0..<Self.rounds { ids.append(try await writer.add("\(number)-\(round)")) }
                        return ids
                    }
                }
                for round in 0..<Self.rounds {
                    main.insert(Cabinet("main-\(round)"))
                    // Each detached task may run on another thread; the next one begins after it.
                    try await Task.detached {
                        let cabinets = try context.value.fetch(FetchDescriptor<Cabinet>())
                        cabinets.last?.title = "seen"
                        try context.value.save()
                    }.value
                    _ = try main.fetch(FetchDescriptor<Cabinet>()).map(\.title)
                }
                for try await written in group { ids.formUnion(written) }
            }
            try main.save()
            #expect(ids.count == 3 * Self.rounds)
            #expect(try main.fetchCount(FetchDescriptor<Cabinet>()) == 4 * Self.rounds)
            let found = try context.value.fetch(FetchDescriptor<Cabinet>())
            #expect(found.count == 4 * Self.rounds)
            #expect(ids.isSubset(of: found.map(\.persistentModelID)))
        }
    }

    @Test("Actors that give rows one key, and identifiers that several threads hash during the save")
    func sharedKeys() async throws {
        let container = try CabinetStore.inMemory()
        let ids = try await withThrowingTaskGroup(of: [PersistentIdentifier].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let writer = CabinetWriter(modelContainer: container)
                    var ids: [PersistentIdentifier] = []
                    for round in 0..<Self.rounds {
                        let id = try await writer.add("shared-\(round)")
                        ids.append(id)
                        ids.append(contentsOf: try await writer.all())
                    }
                    return ids
                }
            }
            return try await group.reduce(into: Set()) { $0.formUnion($1) }
        }
        #expect(ids.count == Self.rounds)
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Cabinet>()) == Self.rounds)
    }
}

@ModelActor
actor CabinetWriter {
    func add(_ code: String) throws -> PersistentIdentifier {
        let cabinet = Cabinet(code)
        cabinet.binders = [Binder("in \(code)")]
        modelContext.insert(cabinet)
        let models = Set([cabinet])
        try modelContext.save()
        // Of a key that was taken the hash is that of the row.
        return models.contains(cabinet) ? cabinet.persistentModelID : cabinet.id
    }

    func all() throws -> [PersistentIdentifier] { try modelContext.fetchIdentifiers(FetchDescriptor<Cabinet>()) }
}
