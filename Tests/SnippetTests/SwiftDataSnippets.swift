import CoreData
import Foundation
import SwiftData
import Testing

// Code of SwiftDataOnLinux.md.

// snippet: models
@Model final class Voyage {
    #Index<Voyage>([\.start])
    #Unique<Voyage>([\.name, \.start])

    var name: String
    var start: Date
    var weather = Weather.calm
    var cabin: Cabin?
    @Relationship(deleteRule: .cascade, inverse: \Landing.voyage) var landings: [Landing] = []
    @Transient var isShown = false

    init(name: String, start: Date) {
        self.name = name
        self.start = start
    }
}

@Model final class Landing {
    var place: String
    var voyage: Voyage?

    init(place: String) { self.place = place }
}

enum Weather: String, Codable { case calm, storm }

struct Cabin: Codable {
    var deck: Int
    var beds: Int?
}
// snippet end

// snippet: an actor of models
@ModelActor actor VoyageImporter {
    func add(_ names: [String]) throws -> [PersistentIdentifier] {
        let voyages = names.map { Voyage(name: $0, start: .now) }
        for voyage in voyages { modelContext.insert(voyage) }
        try modelContext.save()
        return voyages.map(\.persistentModelID)
    }
}
// snippet end

@Suite("Code of SwiftData on Linux")
struct SwiftDataSnippets {
    @Test("The models, the context and both interfaces work on one store")
    func models() async throws {
        let url = URL(fileURLWithPath: "/dev/null")
        // snippet: a container and a context
        let container = try ModelContainer(for: Voyage.self, configurations: ModelConfiguration(url: url))
        let context = ModelContext(container)
        let voyage = Voyage(name: "North", start: .now)
        voyage.landings = [Landing(place: "Bergen")]
        context.insert(voyage)
        try context.save()

        let descriptor = FetchDescriptor<Voyage>(
            predicate: #Predicate { voyage in voyage.landings.contains { $0.place == "Bergen" } },
            sortBy: [SortDescriptor(\.start)])
        for voyage in try context.fetch(descriptor) {
            print(voyage.name, voyage.landings.count)
        }
        // snippet end
        #expect(try context.fetchCount(descriptor) == 1)
        // snippet: managed objects beside models
        let request = NSFetchRequest<NSManagedObject>(entityName: "Voyage")
        request.predicate = NSPredicate(format: "name BEGINSWITH %@", "N")
        for object in try context.managedObjectContext.fetch(request) {
            print(object.value(forKey: "name") ?? "", object.changedValues())
        }
        print(voyage.managedObject.objectID.uriRepresentation())
        // snippet end
        #expect(try context.managedObjectContext.fetch(request) == [voyage.managedObject])
        let identifiers = try await VoyageImporter(modelContainer: container).add(["South"])
        #expect((context.model(for: identifiers[0]) as? Voyage)?.name == "South")
    }

    @Test("A schema comes back from its file")
    func schema() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        // snippet: a schema in a file
        let schema = Schema([Voyage.self], version: Schema.Version(2, 0, 0))
        try schema.save(to: file)
        let loaded = try Schema.load(from: file)
        print(loaded == schema, loaded.entities.map(\.name))
        // snippet end
        #expect(loaded == schema)
    }
}
