import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Derived attributes in migrated rows", .leavesNothingBehind)
struct MigratedDerivedTests {
    /// A model with a derived attribute of `A`.
    private func model(_ text: String, _ format: String, _ type: NSAttributeType) throws -> NSManagedObjectModel {
        let model = ModelText.model(text)
        let attribute = NSDerivedAttributeDescription()
        attribute.name = "result"
        attribute.attributeType = type
        attribute.isOptional = true
        attribute.derivationExpression = try CoreData.NSExpression.parse(format: format)
        model.entitiesByName["A"]?.properties.append(attribute)
        return model
    }

    /// The derived attribute of the first row after a migration, when it was right before it.
    private func migrated(
        _ older: String, _ newer: String, rows: String, _ format: String,
        _ type: NSAttributeType = .stringAttributeType,
        stale: String
    ) throws -> [String] {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, older)
            #expect(
                try LightweightMigrator(MigrationRequest(at: fixture.url, to: try model(older, format, type))).apply())
            try fixture.run(rows)
            try fixture.run("UPDATE ZA SET ZRESULT = \(stale)")
            #expect(
                try LightweightMigrator(MigrationRequest(at: fixture.url, to: try model(newer, format, type))).apply())
            return try fixture.query("SELECT ZRESULT FROM ZA ORDER BY Z_PK")
        }
    }

    private static let names = "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZNAME, ZOTHER) VALUES (1, 1, 1, 'a', 'b')"
    private static let twoNames = "entity A\n  name string\n  other string"

    @Test("Derived attributes are computed anew when their source is another attribute now, or has got a default")
    func otherAttribute() throws {
        #expect(
            try migrated(
                Self.twoNames, "entity A\n  name string was other\n  other string was name\n  more int32",
                rows: Self.names,
                "uppercase:(name)", stale: "'A'") == ["B"])
        #expect(
            try migrated(
                Self.twoNames, "entity A\n  name string! = none\n  other string",
                rows: "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)", "uppercase:(name)", stale: "NULL")
                == ["NONE"])
    }

    @Test("Derived attributes are left alone when their source is the same attribute")
    func same() throws {
        #expect(
            try migrated(
                Self.twoNames, Self.twoNames + "\n  more int32", rows: Self.names, "uppercase:(name)",
                stale: "'left alone'") == ["left alone"])
    }

    @Test("Derived attributes are computed anew when members of a counted relationship are gone with their entity")
    func removedMembers() throws {
        let older = """
            entity A
              bs many B.a
            entity B
              a one A.bs
            entity C : B
            """
        let newer = older.replacingOccurrences(of: "\nentity C : B", with: "")
        #expect(
            try migrated(
                older, newer,
                rows: """
                    INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1);
                    INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (1, 2, 1, 1), (2, 3, 1, 1);
                    """, "bs.@count", .integer64AttributeType, stale: "2") == ["1"])
    }

    @Test("Derived attributes are computed anew when their source at a relationship's end is another attribute now")
    func memberAttribute() throws {
        let older = "entity A\n  b one B.a\nentity B\n  x int32\n  y int32\n  a many A.b"
        let newer = "entity A\n  b one B.a\nentity B\n  x int32 was y\n  y int32 was x\n  z int32\n  a many A.b"
        #expect(
            try migrated(
                older, newer,
                rows: """
                    INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZB) VALUES (1, 1, 1, 1);
                    INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT, ZX, ZY) VALUES (1, 2, 1, 10, 20);
                    """, "b.x", .integer32AttributeType, stale: "10") == ["20"])
    }

    @Test(
        "A trigger of a derived attribute stays where tables, columns and entity numbers stay, and goes otherwise",
        arguments: [
            ("entity Song\n  name string\n  other string\n  more int32", true),
            ("entity Song\n  name string", false),
            ("entity Album\n  name string\nentity Song\n  name string\n  other string", false),
        ])
    func triggers(_ newer: String, isKept: Bool) throws {
        func model(_ text: String) -> NSManagedObjectModel {
            let attribute = NSDerivedAttributeDescription()
            attribute.name = "loud"
            attribute.attributeType = .stringAttributeType
            attribute.isOptional = true
            attribute.derivationExpression = CoreData.NSExpression(format: "uppercase:(name)")
            let model = ModelText.model(text)
            model.entitiesByName["Song"]?.properties.append(attribute)
            return model
        }
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("store.sqlite")
            try withStore(url, model("entity Song\n  name string\n  other string")) { context in
                context.make("Song", ["name": "a"])
                try context.save()
            }
            try RawDatabase(url).execute(
                """
                CREATE TRIGGER Z_DA_Song_loud_UPDATE AFTER UPDATE OF ZNAME, ZOTHER ON ZSONG BEGIN \
                UPDATE ZSONG SET ZLOUD = upper(NEW.ZNAME) WHERE Z_PK = NEW.Z_PK; END
                """)
            #expect(try LightweightMigrator(MigrationRequest(at: url, to: model(newer))).apply())
            let triggers = try RawDatabase(url).integer("SELECT COUNT(*) FROM sqlite_master WHERE type = 'trigger'")
            #expect(triggers == (isKept ? 1 : 0))
        }
    }

    private func albums(derived: Bool, _ more: String = "") throws -> NSManagedObjectModel {
        let model = ModelText.model(
            "entity Album\n  name string\n  songs many Song.album\nentity Song\n  secs double\(more)\n  album one Album.songs"
        )
        for (entity, name, format, type) in [
            ("Album", "total", "songs.@sum.copy", NSAttributeType.doubleAttributeType),
            ("Album", "again", "lowercase:(upper)", .stringAttributeType),
            ("Album", "upper", "uppercase:(name)", .stringAttributeType),
            ("Song", "copy", "secs", .doubleAttributeType), ("Song", "title", "album.again", .stringAttributeType),
        ] where derived {
            let attribute = NSDerivedAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            attribute.derivationExpression = try CoreData.NSExpression.parse(format: format)
            model.entitiesByName[entity]?.properties.append(attribute)
        }
        return model
    }

    private func requireDerived(_ context: NSManagedObjectContext, total: Double) throws {
        context.refreshAllObjects()
        let album = try #require(try context.all("Album").first)
        #expect(album.value(forKey: "total") as? Double == total)
        #expect(album.value(forKey: "again") as? String == "abc")
        #expect(Set(try context.all("Song").map { $0.value(forKey: "title") as? String }) == ["abc"])
    }

    private func fillAlbum(_ context: NSManagedObjectContext) throws {
        let album = context.make("Album", ["name": "Abc"])
        for number in 1...3 { context.make("Song", ["secs": Double(number), "album": album]) }
        try context.save()
    }

    @Test("those that read other derived attributes are computed after these, in a save and in a migration")
    func chains() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("store")
            try withStore(url, try albums(derived: false)) { try fillAlbum($0) }
            let newer = try albums(derived: true)
            #expect(try LightweightMigrator(MigrationRequest(at: url, to: newer)).apply())
            try withStore(url, newer) { context in
                try requireDerived(context, total: 6)
                try context.all("Song").forEach { $0.setValue(10.0, forKey: "secs") }
                try context.save()
                try requireDerived(context, total: 30)
            }
            // The attribute that is read over two derivations is another one now.
            let swapped = try albums(derived: true, " was other\n  other double was secs\n  more int16")
            try withStore(url, try albums(derived: true, "\n  other double"), options: Self.both) { context in
                try context.all("Song").forEach { $0.setValue(100.0, forKey: "other") }
                try context.save()
            }
            #expect(try LightweightMigrator(MigrationRequest(at: url, to: swapped)).apply())
            try withStore(url, swapped) { try requireDerived($0, total: 300) }
        }
        try withTemporaryFolder { folder in
            try withStore(folder.appendingPathComponent("store"), try albums(derived: true)) { context in
                try fillAlbum(context)
                try requireDerived(context, total: 6)
            }
        }
    }

    private static var both: [AnyHashable: Any] {
        [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
    }
}
