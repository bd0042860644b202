import CoreData
import Testing

/// Travellers have different addresses.
@MainActor
struct UniquenessTests {
    private let container = Journal.inMemoryContainer()

    private func insert(_ name: String, _ email: String?, into context: NSManagedObjectContext) {
        let traveller = Traveller(context: context)
        traveller.name = name
        traveller.email = email
    }

    @Test func secondOfAKindIsAConflict() throws {
        let context = container.viewContext
        insert("Ann", "ann@example.org", into: context)
        try context.save()
        insert("Other Ann", "ann@example.org", into: context)
        #expect {
            try context.save()
        } throws: { error in
            (error as NSError).code == NSManagedObjectConstraintMergeError
        }
        context.rollback()
        #expect(try context.count(for: Traveller.fetchRequest()) == 1)
    }

    /// An import that brings a person again updates the existing one.
    @Test func laterOneUpdatesTheEarlierOne() throws {
        let context = container.viewContext
        insert("Ann", "ann@example.org", into: context)
        try context.save()
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        insert("Ann B.", "ann@example.org", into: context)
        try context.save()
        #expect(try context.fetch(Traveller.fetchRequest()).map(\.name) == ["Ann B."])
    }

    @Test func earlierOneStays() throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            insert("Ann", "ann@example.org", into: context)
            try context.save()
            context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
            insert("Ann B.", "ann@example.org", into: context)
            try context.save()
            #expect(try context.fetch(Traveller.fetchRequest()).map(\.name) == ["Ann"])
        }
    }

    @Test func nothingIsNoAddress() throws {
        let context = container.viewContext
        insert("Ann", nil, into: context)
        insert("Bob", nil, into: context)
        try context.save()
        #expect(try context.count(for: Traveller.fetchRequest()) == 2)
    }

    @Test func theModelSaysSo() {
        let constraints = Journal.model.entitiesByName["Traveller"]?.uniquenessConstraints
        #expect(constraints?.count == 1)
        #expect(
            constraints?.first?.map { ($0 as? NSAttributeDescription)?.name ?? $0 as? String } == ["email"])
    }
}
