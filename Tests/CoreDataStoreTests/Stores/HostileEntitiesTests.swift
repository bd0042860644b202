import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// Numbers of entities that rows and relationships of a hostile store name.
@Suite("A row of an entity that a relationship does not lead to stops no process", .leavesNothingBehind)
struct HostileEntitiesTests {
    private static let model = """
        entity Person
          name string
          wards many Child.guardian
          things many Thing.owner
        entity Child : Person
          guardian one Person.wards
        entity Thing
          label string
          owner one Person.things
        """

    private static func number(_ entity: String) -> String {
        "(SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)')"
    }

    /// A guardian with two wards and a thing, in a store that statements have changed; the body reads it.
    private func read(
        _ statements: (RawDatabase) throws -> String, _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Hostile.sqlite")
            try withStore(url, ModelText.model(Self.model)) { context in
                let person = context.make("Person", ["name": "guardian"])
                for name in ["a", "b"] { context.make("Child", ["name": name, "guardian": person]) }
                context.make("Thing", ["label": "thing", "owner": person])
                try context.save()
            }
            let database = try RawDatabase(url)
            try database.execute(statements(database))
            try withStore(url, ModelText.model(Self.model), body)
        }
    }

    private func expectRefused(_ words: [String], _ body: () throws -> Void) {
        let error = #expect(throws: NSError.self) { try body() }
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == CocoaError.Code.fileReadCorruptFile.rawValue)
        let text = error?.localizedDescription ?? ""
        for word in words { #expect(text.contains(word), "\(text)") }
    }

    @Test("Members that say to be of the parent entity are 259: read, read ahead, and when their owner is deleted")
    func members() throws {
        try read { _ in
            "UPDATE ZPERSON SET Z_ENT = \(Self.number("Person"))"
        } _: { context in
            let words = ["of the table “ZPERSON” is of the entity “Person”", "“wards”", "“Child”"]
            let guardian = try #require(try context.all("Person", "name == 'guardian'").first)
            expectRefused(words) {
                _ = try context.readingFaults { (guardian.value(forKey: "wards") as? Set<NSManagedObject>)?.count }
            }
            context.delete(guardian)
            expectRefused(words) { try context.save() }
            context.rollback()
            context.reset()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.relationshipKeyPathsForPrefetching = ["wards"]
            expectRefused(words) { _ = try context.fetch(request) }
            #expect(try context.all("Person").count == 3)
        }
    }

    /// The column with the entity of a thing's owner.
    private func companion(_ database: RawDatabase) throws -> String {
        try #require(try database.columns(of: "ZTHING").first { $0.hasSuffix("_OWNER") })
    }

    @Test("A to-one relationship that names an entity to which it does not lead is 259; an unknown one says nothing")
    func references() throws {
        try read { database in
            "UPDATE ZTHING SET \(try companion(database)) = \(Self.number("Thing"))"
        } _: { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            request.returnsObjectsAsFaults = false
            expectRefused(["names the entity “Thing”", "Thing.owner, row 1"]) { _ = try context.fetch(request) }
        }
        try read { database in
            "UPDATE ZTHING SET \(try companion(database)) = 99"
        } _: { context in
            let owner = try context.all("Thing").first?.value(forKey: "owner") as? NSManagedObject
            #expect(owner?.value(forKey: "name") as? String == "guardian")
        }
    }

    @Test("An object whose row is of another entity than the relationship to it says has no values, and is 259")
    func rows() throws {
        try read { database in
            "UPDATE ZTHING SET \(try companion(database)) = \(Self.number("Child"))"
        } _: { context in
            let thing = try #require(try context.all("Thing").first)
            let owner = try #require(thing.value(forKey: "owner") as? NSManagedObject)
            #expect(owner.entity.name == "Child")
            let words = ["is of the entity “Person”", "“Child”"]
            expectRefused(words) { _ = try context.readingFaults { owner.value(forKey: "guardian") } }
            expectRefused(words) { _ = try context.existingObject(with: owner.objectID) }
            expectRefused(words) { try context.fulfillFaults(of: [owner]) }
        }
    }
}
