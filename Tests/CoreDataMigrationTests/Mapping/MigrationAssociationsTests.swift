import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Associations of a migration", .leavesNothingBehind)
struct MigrationAssociationsTests {
    private static let entities = """
        entity Plant
          name string
        entity Tree : Plant
          height double
        """

    private struct Place: Hashable {
        var mapping: Int
        var key: ObjectKey
    }

    /// Where sources come in an order, most destinations are new, and some come twice.
    private enum Manner: CaseIterable {
        case inOrder
        case twoEach
        case anyOrder
    }

    @Test("Source and destination objects find each other, in memory and in the file", arguments: 1...6, [0, 1, 2])
    func random(seed: Int, manner number: Int) throws {
        let manner = Manner.allCases[number]
        var generator = SplitMix(state: UInt64(seed))
        try withTemporaryFolder { folder in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(Self.entities))
            try coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            try context.performAndWait {
                context.persistentStoreCoordinator = coordinator
                let associations = try MigrationAssociations(at: folder.appendingPathComponent("a.sqlite")) { false }
                let sources = (0..<120).map { number in
                    NSEntityDescription.insertNewObject(
                        forEntityName: number % 40 < 30 ? "Plant" : "Tree", into: context)
                }
                try context.save()
                var expected: [Place: [NSManagedObject]] = [:]
                var made: [NSManagedObject] = []
                func associate(_ source: NSManagedObject, _ destination: NSManagedObject, _ mapping: Int) {
                    associations.associate(source, with: destination, mapping: mapping)
                    let place = Place(mapping: mapping, key: source.objectKey)
                    if expected[place]?.contains(destination) != true {
                        expected[place, default: []].append(destination)
                    }
                }
                for mapping in 0..<2 {
                    let order = manner == .anyOrder ? sources.shuffled(using: &generator) : sources
                    for source in order where Int.random(in: 0..<8, using: &generator) > 0 {
                        for _ in 0..<(manner == .twoEach ? 2 : 1) {
                            let isOld = manner != .inOrder && Int.random(in: 0..<6, using: &generator) == 0
                            let old = isOld ? made.randomElement(using: &generator) : nil
                            let destination =
                                old ?? NSEntityDescription.insertNewObject(forEntityName: "Plant", into: context)
                            if old == nil { made.append(destination) }
                            associate(source, destination, mapping)
                        }
                        if Int.random(in: 0..<20, using: &generator) == 0 {
                            try compare(associations, sources, made, expected, context)
                            try context.save()
                            try associations.flush()
                        }
                    }
                }
                try compare(associations, sources, made, expected, context)
                try context.save()
                try associations.flush()
                try compare(associations, sources, made, expected, context)
                try comparePairs(associations, expected)
            }
        }
    }

    private func compare(
        _ associations: MigrationAssociations, _ sources: [NSManagedObject], _ made: [NSManagedObject],
        _ expected: [Place: [NSManagedObject]], _ context: NSManagedObjectContext
    ) throws {
        for mapping in 0..<2 {
            var back: [NSManagedObject: Set<ObjectKey>] = [:]
            for source in sources {
                let found = try associations.destinations(of: source.objectKey, mapping: mapping)
                let objects = found.saved.map { context.object(for: $0) } + found.new
                let wanted = expected[Place(mapping: mapping, key: source.objectKey)] ?? []
                #expect(Set(objects) == Set(wanted))
                #expect(objects.count == wanted.count)
                if let only = associations.onlyDestination(of: source, mapping: mapping) { #expect(wanted == [only]) }
                for object in wanted { back[object, default: []].insert(source.objectKey) }
            }
            for object in made {
                #expect(Set(associations.sources(of: object, mapping: mapping)) == back[object] ?? [])
                let isPending = associations.pending.entries.contains {
                    $0.destination === object && $0.source.mapping == mapping
                }
                #expect(associations.isPending(object, mapping: mapping) == isPending)
            }
        }
    }

    /// The second pass: in pages, in the order of the sources, each destination once.
    private func comparePairs(
        _ associations: MigrationAssociations, _ expected: [Place: [NSManagedObject]]
    ) throws {
        for mapping in 0..<2 {
            var pairs: [MigrationAssociations.Pair] = []
            while case let page = try associations.pairs(mapping: mapping, after: pairs.last, limit: 7), !page.isEmpty {
                #expect(page.count <= 7)
                pairs += page
            }
            let order = pairs.map { ($0.source.layoutIndex, $0.source.key) }
            #expect(zip(order, order.dropFirst()).allSatisfy { $0 <= $1 })
            let all = expected.filter { $0.key.mapping == mapping }
            #expect(Set(pairs.map(\.destination)) == Set(all.values.joined().map(\.objectKey)))
            #expect(Set(pairs.map(\.destination)).count == pairs.count)
            for pair in pairs {
                let wanted = all[Place(mapping: mapping, key: pair.source)] ?? []
                #expect(wanted.contains { $0.objectKey == pair.destination })
            }
            #expect(try associations.count(mapping: mapping) == pairs.count)
            #expect(Set(try associations.allDestinations(mapping: mapping).saved) == Set(pairs.map(\.destination)))
        }
    }
}
