import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// Which properties the bits of a change stand for, for each kind of writer.
@Suite("Updated properties in persistent history", .leavesNothingBehind)
struct UpdatedPropertiesTests {
    /// A visit has, bit by bit: guide, place, trip | place's entity | its place among the trip's stops | Zeal, alpha |
    /// notes | labels; a detailed one has its own attribute behind those of a visit.
    private static let text = """
        entity Place
          name string
          visits many Visit.place
        entity Museum : Place
          rooms int32
        entity Trip
          title string
          stops ordered Visit.trip
        entity Guide
          visits many Visit.guide
        entity Visit
          alpha string
          Zeal int32
          scratch string transient
          trip one Trip.stops
          place one Place.visits
          guide one Guide.visits
          labels many Label.visits
          notes many Note.visit
        entity Detail : Visit
          aside string
        entity Label
          visits many Visit.labels
          details many Note.labels
        entity Note
          text string
          visit one Visit.notes
          labels many Label.details
        entity Pair
          left many Side.left
          right many Side.right
        entity Side
          left one Pair.left
          right one Pair.right
        """

    private let stack: TextStack
    private let context: NSManagedObjectContext

    init() throws {
        stack = try TextStack(Self.text, options: [NSPersistentHistoryTrackingKey: true]) { model in
            let size = NSCompositeAttributeDescription()
            size.name = "size"
            size.elements = ["width", "height"].map { name in
                let element = NSAttributeDescription()
                element.name = name
                element.attributeType = .doubleAttributeType
                return element
            }
            model.entitiesByName["Museum"]?.properties.append(size)
        }
        context = stack.context()
    }

    private func save<Result>(_ body: (NSManagedObjectContext) throws -> Result) throws -> Result {
        try context.performAndWait {
            let result = try body(context)
            try context.save()
            return result
        }
    }

    /// The names of the properties of the last update of an entity's row; nil where they cannot be determined.
    private func names(_ entity: String) throws -> Set<String>? {
        try context.performAndWait {
            let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
            let transactions = try #require(
                (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction])
            let changes = transactions.flatMap { $0.changes ?? [] }
            let last = try #require(
                changes.last { $0.changeType == .update && $0.changedObjectID.entity.name == entity })
            return last.updatedProperties.map { Set($0.map(\.name)) }
        }
    }

    /// The bits of the last update of an entity's row.
    private func mask(_ entity: String) throws -> String {
        let found = try stack.raw().column(
            "SELECT hex(ZCOLUMNS) FROM ACHANGE JOIN Z_PRIMARYKEY p ON p.Z_ENT = ZENTITY "
                + "WHERE ZCHANGETYPE = 1 AND p.Z_NAME = ? ORDER BY ACHANGE.Z_PK DESC LIMIT 1", [.text(entity)])
        guard case .text(let text)? = found.first else { return "" }
        return text
    }

    private func change(_ sql: String) throws { try stack.raw().execute(sql) }

    /// Gives the last transaction the form of one that Apple's framework, or an older version of this library, wrote.
    private func unmark() throws { try change("UPDATE ACHANGE SET Z_OPT = NULL") }

    private func signAsApple() throws {
        try change(
            "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (99, 16003, 'com.apple.mobilenotes');"
                + "UPDATE ATRANSACTION SET ZBUNDLEIDTS = 99")
    }

    @Test("Bits lie where Core Data's own stores have them, and name the changed properties")
    func order() throws {
        let (visit, trip, place, guide) = try save { context in
            (
                context.make("Visit"), context.make("Trip"), context.make("Museum"), context.make("Guide")
            )
        }
        func expect(_ mask: String, _ names: Set<String>, _ body: (NSManagedObjectContext) -> Void) throws {
            _ = try save(body)
            #expect(try self.mask("Visit") == mask)
            #expect(try self.names("Visit") == names)
        }
        try expect("8000", ["guide"]) { _ in visit.setValue(guide, forKey: "guide") }
        try expect("5000", ["place"]) { _ in visit.setValue(place, forKey: "place") }
        try expect("2800", ["trip"]) { _ in visit.setValue(trip, forKey: "trip") }
        try expect("0400", ["Zeal"]) { _ in visit.setValue(1, forKey: "Zeal") }
        try expect("0200", ["alpha"]) { _ in visit.setValue("a", forKey: "alpha") }
        try expect("0100", ["notes"]) { $0.make("Note", ["visit": visit]) }
        try expect("0080", ["labels"]) { context in
            visit.setValue(NSSet(object: context.make("Label")), forKey: "labels")
        }
        try expect("0600", ["Zeal", "alpha"]) { _ in
            visit.setValue(2, forKey: "Zeal")
            visit.setValue("b", forKey: "alpha")
            visit.setValue("kept nowhere", forKey: "scratch")
        }
        // A property that a subentity declares comes behind the inherited ones of its kind.
        let detail = try save { $0.make("Detail") }
        _ = try save { _ in detail.setValue("x", forKey: "aside") }
        #expect(try mask("Detail") == "0100")
        #expect(try names("Detail") == ["aside"])
    }

    @Test("another place in an ordered relationship is a bit of the member, and names the owner's relationship")
    func places() throws {
        let (trip, visits) = try save { context in
            let trip = context.make("Trip")
            let visits = (0..<3).map { _ in context.make("Visit") }
            trip.setValue(NSOrderedSet(array: visits), forKey: "stops")
            return (trip, visits)
        }
        _ = try save { _ in
            trip.setValue(NSOrderedSet(array: [visits[2], visits[0], visits[1]]), forKey: "stops")
        }
        #expect(try mask("Visit") == "0800")
        #expect(try names("Visit") == [])
        #expect(try names("Trip") == ["stops"])
    }

    @Test("an element of a composite attribute names the attribute")
    func elements() throws {
        let museum = try save { $0.make("Museum", ["size": ["width": 1.0, "height": 2.0]]) }
        _ = try save { _ in museum.setValue(["width": 1.0, "height": 3.0], forKey: "size") }
        // name | rooms, size.height, size.width | visits
        #expect(try mask("Museum") == "20")
        #expect(try names("Museum") == ["size"])
        try unmark()
        try signAsApple()
        #expect(try names("Museum") == nil)
    }

    @Test("The properties of a change without a known writer cannot be determined")
    func unknownWriter() throws {
        let (visit, label) = try save { ($0.make("Visit"), $0.make("Label")) }
        _ = try save { _ in
            visit.setValue("a", forKey: "alpha")
            label.setValue(NSSet(object: visit), forKey: "visits")
        }
        #expect(try names("Visit") == ["alpha", "labels"])
        try unmark()
        #expect(try names("Visit") == nil)
        #expect(try names("Label") == nil)
        // A number that another program keeps there is no mark.
        try change("UPDATE ACHANGE SET Z_OPT = 1")
        #expect(try names("Visit") == nil)
    }

    @Test("changes that are proven to be Apple's name their properties, as far as Apple's order is established")
    func apple() throws {
        let (visit, pair) = try save { ($0.make("Visit"), $0.make("Pair")) }
        _ = try save { context in
            visit.setValue("a", forKey: "alpha")
            visit.setValue(context.make("Museum"), forKey: "place")
            visit.setValue(NSSet(object: context.make("Label")), forKey: "labels")
            context.make("Side", ["left": pair])
        }
        try unmark()
        #expect(try names("Visit") == nil)
        try signAsApple()
        #expect(try names("Visit") == ["alpha", "place", "labels"])
        // Which of two to-many relationships with keys in other rows it was, only Apple's framework can determine.
        #expect(try names("Pair") == nil)
        try change(
            "UPDATE ACHANGE SET ZCOLUMNS = x'C0' WHERE ZENTITY = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Pair')"
        )
        #expect(try names("Pair") == ["left", "right"])
        try change("UPDATE ATRANSACTION SET ZBUNDLEIDTS = NULL")
        #expect(try names("Visit") == nil)
        try change("UPDATE ATRANSACTION SET ZQUERYGEN = x'00'")
        #expect(try names("Visit") == ["alpha", "place", "labels"])
        try change("UPDATE ATRANSACTION SET ZQUERYGEN = NULL, ZPROCESSID = 'process', ZBUNDLEID = 'bundle'")
        #expect(try names("Visit") == ["alpha", "place", "labels"])
        // A mask of another length, or a bit behind the last property, is of another version of the model.
        try change("UPDATE ACHANGE SET ZCOLUMNS = x'02' WHERE ZCOLUMNS = x'5280'")
        #expect(try names("Visit") == nil)
        try change("UPDATE ACHANGE SET ZCOLUMNS = x'0201' WHERE ZCOLUMNS = x'02'")
        #expect(try names("Visit") == nil)
    }

    @Test("A change names nothing once a migration by any program gives the bits another meaning")
    func otherColumns() throws {
        let folder = try TemporaryFolder()
        let text = "entity A\n name string\n b one B.a\nentity B\n title string\n a one A.b"
        func updated(_ text: String, _ body: (NSManagedObjectContext) throws -> Void = { _ in }) throws -> [Set<
            String
        >?] {
            let options = [
                NSPersistentHistoryTrackingKey: true, NSMigratePersistentStoresAutomaticallyOption: true,
                NSInferMappingModelAutomaticallyOption: true,
            ]
            let stack = try TextStack(text, in: folder, options: options)
            defer { for store in stack.coordinator.persistentStores { try? stack.coordinator.remove(store) } }
            let context = stack.context()
            return try context.performAndWait {
                try body(context)
                let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
                let found = (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
                let changes = try #require(found).flatMap { $0.changes ?? [] }
                let updates = changes.filter { $0.changeType == .update }
                return updates.map { update in update.updatedProperties.map { Set($0.map(\.name)) } }
            }
        }
        let before = try updated(text) { context in
            let (a, b) = (context.make("A"), context.make("B"))
            try context.save()
            a.setValue("n", forKey: "name")
            b.setValue("t", forKey: "title")
            try context.save()
        }
        #expect(before.count == 2 && Set(before) == [["name"], ["title"]])
        let marks = try RawDatabase(folder.url.appendingPathComponent("Store.sqlite"))
            .rows("SELECT Z_PK, ZCOLUMNS, Z_OPT FROM ACHANGE WHERE ZCHANGETYPE = 1 ORDER BY Z_PK")
        // A subentity of B gives A a column for the entity that its reference leads to.
        let newer = text + "\nentity C : B\n more string"
        let after = try updated(newer)
        #expect(Set(after) == [nil, ["title"]])
        // A program that migrates without support for this leaves the bits as they were.
        let raw = try RawDatabase(folder.url.appendingPathComponent("Store.sqlite"))
        for mark in marks { _ = try raw.rows("UPDATE ACHANGE SET ZCOLUMNS = ? WHERE Z_PK = ?", [mark[1], mark[0]]) }
        let restored = try updated(newer)
        #expect(Set(restored) == [nil, ["title"]])
    }
}
