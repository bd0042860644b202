import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Default values in migrated rows", .leavesNothingBehind)
struct MigratedDefaultsTests {
    /// Bytes that begin as the tags of external storage do.
    private static let bytes = ["\u{1}ab", "\u{2}ab", "ab"]

    @Test("default bytes of an attribute with external storage keep every byte", arguments: bytes)
    func externalDefault(_ text: String) throws {
        let data = Data(text.utf8)
        let cases = [
            ("name string", "name string\n  bytes data! external = \(text)"),
            ("bytes data", "bytes data! external = \(text)"),
            ("bytes data external", "bytes data! = \(text)"),
            // With a number that changes its type the table is copied.
            ("size int32\n  bytes data", "size double\n  bytes data! external = \(text)"),
            ("size int32\n  bytes data external", "size double\n  bytes data! = \(text)"),
            ("size int32\n  bytes data external", "size double\n  bytes data! external = \(text)"),
        ]
        for (older, newer) in cases {
            try withTemporaryFolder { folder in
                let fixture = try MigrationFixture(
                    folder, "entity Item\n  \(older)",
                    rows: "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1); UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
                try fixture.migrateAndVerify(to: "entity Item\n  \(newer)")
                try withStore(fixture.url, ModelText.model("entity Item\n  \(newer)")) { context in
                    let found = try context.all("Item").map { $0.value(forKey: "bytes") as? Data }
                    #expect(found == [data], "\(newer)")
                }
            }
        }
    }

    private func tags(_ isMandatory: Bool) -> NSManagedObjectModel {
        let model = ModelText.model("entity Item\n  name string")
        let tags = NSAttributeDescription()
        tags.name = "tags"
        tags.attributeType = .transformableAttributeType
        tags.isOptional = !isMandatory
        if isMandatory { tags.defaultValue = ["a", "b"] }
        model.entitiesByName["Item"]?.properties.append(tags)
        return model
    }

    @Test("the default of a transformable attribute is saved with a new object")
    func transformableInserted() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("t.sqlite")
            try withStore(url, tags(true)) { context in
                context.make("Item")
                context.make("Item", ["tags": ["c"]])
                try context.save()
            }
            try withStore(url, tags(true)) { context in
                let found = try context.all("Item").map { $0.value(forKey: "tags") as? [String] }
                #expect(Set(found) == [["a", "b"], ["c"]])
            }
            let connection = try SQLiteConnection(path: url.path, access: .readOnly)
            #expect(try connection.integer("SELECT COUNT(*) FROM ZITEM WHERE ZTAGS IS NULL") == 0)
        }
    }

    @Test(
        "a transformable attribute that becomes mandatory gets its default, and so does a new one", arguments: [0, 1])
    func transformableMandatory(_ version: Int) throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, "entity Item\n  name string")
            if version == 1 {
                #expect(try LightweightMigrator(MigrationRequest(at: fixture.url, to: tags(false))).apply())
            }
            try fixture.run(
                "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1); UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
            #expect(try LightweightMigrator(MigrationRequest(at: fixture.url, to: tags(true))).apply())
            try withStore(fixture.url, tags(true)) { context in
                let found = try context.all("Item").map { $0.value(forKey: "tags") as? [String] }
                #expect(found == [["a", "b"]])
            }
        }
    }

    @Test(
        "the largest whole numbers become 64-bit integers from decimals without being cut, and larger ones are refused")
    func largeDecimals() throws {
        let (older, newer) = ("entity Item\n  size decimal", "entity Item\n  size int64")
        for number in ["9223372036854775807", "-9223372036854775808", "9007199254740993"] {
            try withTemporaryFolder { folder in
                let fixture = try MigrationFixture(folder, older)
                try fixture.run("INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZSIZE) VALUES (1, 1, 1, \(number))")
                try fixture.run("UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
                try fixture.migrateAndVerify(to: newer)
                #expect(try fixture.query("SELECT ZSIZE FROM ZITEM") == [number])
            }
        }
        for number in ["9223372036854775808", "1.5", "1e30"] {
            try withTemporaryFolder { folder in
                let fixture = try MigrationFixture(folder, older)
                try fixture.run("INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZSIZE) VALUES (1, 1, 1, \(number))")
                #expect(try fixture.failure(to: newer).userInfo["property"] as? String == "size")
            }
        }
    }
}
