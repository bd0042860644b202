import CoreData
import Foundation
import Observation
import SwiftData
import Testing

// Code of FromSwiftDataToAServer.md.

// snippet: an actor that changes models
@ModelActor actor VoyageDesk {
    func rename(_ id: PersistentIdentifier, to name: String) throws -> Bool {
        guard let voyage = self[id, as: Voyage.self], voyage.landings.isEmpty else { return false }
        voyage.name = name
        do { try modelContext.save() } catch {
            modelContext.rollback()
            throw error
        }
        return true
    }
}
// snippet end

// snippet: transactions after a token
func news(after token: DefaultHistoryToken?, in container: ModelContainer) throws -> [DefaultHistoryTransaction] {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token { descriptor.predicate = #Predicate { $0.token > token } }
    return try ModelContext(container).fetchHistory(descriptor)
}
// snippet end

// snippet: a feed of changes
@MainActor func follow(
    _ container: ModelContainer, after start: DefaultHistoryToken?, send: (HistoryChange) async throws -> Void
) async throws {
    let observer = try HistoryObserver(modelContainer: container)
    var token = start
    for await _ in Observations({ observer.eventCounter }) {
        for transaction in try news(after: token, in: container) {
            for change in transaction.changes { try await send(change) }
            token = transaction.token
        }
    }
}
// snippet end

@Suite("Code of From SwiftData to a server")
struct SwiftDataServerSnippets {
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).store")

    private func remove() {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
    }

    private func make() throws -> ModelContainer {
        let container = try ModelContainer(for: Voyage.self, configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        let voyage = Voyage(name: "North", start: .now)
        voyage.weather = .storm
        voyage.landings = [Landing(place: "Bergen"), Landing(place: "Bergen")]
        context.insert(voyage)
        try context.save()
        return container
    }

    @Test("A store is read, counted by groups, and stays as it is")
    func reading() throws {
        defer { remove() }
        _ = try make()
        // snippet: a copy that is only read
        let copy = ModelConfiguration(url: file, allowsSave: false)
        let context = ModelContext(try ModelContainer(for: Voyage.self, configurations: copy))
        let stormy = Weather.storm
        print(try context.fetchCount(FetchDescriptor<Voyage>(predicate: #Predicate { $0.weather == stormy })))
        // snippet end
        #expect(try context.fetchCount(FetchDescriptor<Voyage>(predicate: #Predicate { $0.weather == stormy })) == 1)
        // snippet: groups beside models
        let count = NSExpressionDescription()
        (count.name, count.resultType) = ("count", .integer64)
        count.expression = NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: "place")])
        let request = NSFetchRequest<NSDictionary>(entityName: "Landing")
        request.resultType = .dictionaryResultType
        request.propertiesToGroupBy = ["place"]
        request.propertiesToFetch = ["place", count]
        for group in try context.managedObjectContext.fetch(request) {
            print(group["place"] ?? "", group["count"] ?? 0)
        }
        // snippet end
        #expect(try context.managedObjectContext.fetch(request).map { $0["count"] as? Int } == [2])
    }

    @Test("A service answers before its container is open, and afterwards")
    func service() async throws {
        defer { remove() }
        let url = file
        // snippet: a container behind a service
        let opening = ModelContainer.opening(for: Voyage.self, configurations: ModelConfiguration(url: url))
        Task { try await opening.container }
        func answer() -> String {
            guard let container = try? opening.containerOrThrow() else { return "503: the store is \(opening.state)" }
            let voyages = try? ModelContext(container).fetchCount(FetchDescriptor<Voyage>())
            return "200: \(voyages ?? 0) voyages"
        }
        // snippet end
        _ = try await opening.container
        #expect(answer() == "200: 0 voyages")
    }

    private struct Enough: Error {}

    @Test("A feed sends what was there before, and what an actor saves, each once")
    @MainActor func feed() async throws {
        defer { remove() }
        let container = try make()
        let added = try await VoyageImporter(modelContainer: container).add(["South"])
        let desk = VoyageDesk(modelContainer: container)
        var sent: [String] = []
        await #expect(throws: Enough.self) {
            try await follow(container, after: nil) { change in
                switch change {
                case .insert: sent.append("+\(change.changedPersistentIdentifier.entityName)")
                case .update: sent.append("~\(change.changedPersistentIdentifier.entityName)")
                case .delete: sent.append("-\(change.changedPersistentIdentifier.entityName)")
                }
                if sent.count == 4 { #expect(try await desk.rename(added[0], to: "West")) }
                if sent.count == 5 { throw Enough() }
            }
        }
        #expect(sent.prefix(3).sorted() == ["+Landing", "+Landing", "+Voyage"])
        #expect(sent.suffix(2) == ["+Voyage", "~Voyage"])
        let north = try ModelContext(container).fetch(
            FetchDescriptor<Voyage>(predicate: #Predicate { $0.name == "North" }))
        #expect(try await desk.rename(north[0].persistentModelID, to: "East") == false)
    }

    /// Nothing runs it, because there is no such server.
    static func database() throws -> ModelContainer {
        // snippet: an address in the environment
        let address = ProcessInfo.processInfo.environment["VOYAGES"].flatMap { URL(string: $0) }
        let store = address.map { ModelConfiguration(url: $0) } ?? ModelConfiguration("voyages")
        let container = try ModelContainer(for: Voyage.self, configurations: store)
        // snippet end
        return container
    }
}
