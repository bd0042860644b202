import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Migrating attributes and entities in place", .leavesNothingBehind)
struct MigratedAttributesTests {
    static let books = """
        entity Book
          title string
          pages int32
        """
    static let threeBooks = """
        INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZPAGES) VALUES (1, 1, 1, 'a', 10), (2, 1, 3, 'b', NULL), (3, 1, 1, NULL, 30);
        UPDATE Z_PRIMARYKEY SET Z_MAX = 3;
        """

    @Test("an added attribute without a default value is empty in every row and costs nothing")
    func addedAttribute() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.books, rows: Self.threeBooks)
            let newer = Self.books + "\n  note string\n  rating double"
            #expect(try fixture.plan(to: newer).isInstant)
            try fixture.migrateAndVerify(to: newer)
            #expect(
                try fixture.query("SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, ZPAGES, ZNOTE, ZRATING FROM ZBOOK ORDER BY Z_PK")
                    == ["1|1|1|a|10|-|-", "2|1|3|b|-|-|-", "3|1|1|-|30|-|-"])
            #expect(try fixture.query("SELECT Z_MAX FROM Z_PRIMARYKEY") == ["3"])
        }
    }

    @Test("defaults of added attributes and of attributes made mandatory are filled by one UPDATE per table")
    func defaults() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.books, rows: Self.threeBooks)
            let newer = """
                entity Book
                  title string! = untitled
                  pages int32! = 7
                  stars int16! = 5
                  price decimal = 9.5
                  bought date = 12.5
                """
            let updates = try fixture.plan(to: newer).steps.filter { if case .update = $0 { true } else { false } }
            #expect(updates.count == 1)
            try fixture.migrateAndVerify(to: newer)
            #expect(
                try fixture.query("SELECT ZTITLE, ZPAGES, ZSTARS, ZPRICE, ZBOUGHT FROM ZBOOK ORDER BY Z_PK")
                    == ["a|10|5|9.5|12.5", "b|7|5|9.5|12.5", "untitled|30|5|9.5|12.5"])
        }
    }

    @Test("a decimal that is not a number does not become a Double, which cannot keep it")
    func notANumber() throws {
        try withTemporaryFolder { folder in
            let rows = """
                INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZPRICE) VALUES (1, 1, 1, 2.5), (2, 1, 1, 'NaN');
                UPDATE Z_PRIMARYKEY SET Z_MAX = 2;
                """
            let fixture = try MigrationFixture(folder, "entity Book\n  price decimal", rows: rows)
            let error = try fixture.failure(to: "entity Book\n  price double")
            #expect(error.code == NSMigrationError)
            #expect(error.userInfo["property"] as? String == "price")
            #expect(error.localizedDescription.contains("NaN"))
            try fixture.run("UPDATE ZBOOK SET ZPRICE = 1 WHERE Z_PK = 2")
            try fixture.migrateAndVerify(to: "entity Book\n  price double")
            #expect(try fixture.query("SELECT ZPRICE FROM ZBOOK ORDER BY Z_PK") == ["2.5", "1.0"])
        }
    }

    @Test("a default value that is not a number fills no column: a mandatory attribute is refused as one without")
    func defaultsThatAreNoNumbers() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.books, rows: Self.threeBooks)
            let error = try fixture.failure(to: Self.books + "\n  rating double! = nan")
            #expect(error.code == NSMigrationError || error.code == NSInferredMappingModelError)
            #expect(error.localizedDescription.contains("rating"))
        }
    }

    @Test("a removed attribute goes with its index")
    func removedAttribute() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder, "entity Book\n  title string index\n  pages int32 index", rows: Self.threeBooks)
            try fixture.migrateAndVerify(to: "entity Book\n  pages int32 index")
            #expect(try fixture.query("SELECT Z_PK, ZPAGES FROM ZBOOK ORDER BY Z_PK") == ["1|10", "2|-", "3|30"])
        }
    }

    @Test("many removed attributes are dropped by one copy of the table")
    func manyRemovedAttributes() throws {
        try withTemporaryFolder { folder in
            let older =
                "entity Book\n  title string\n  pages int32\n"
                + (1...6).map { "  extra\($0) string" }.joined(separator: "\n")
            let fixture = try MigrationFixture(folder, older, rows: Self.threeBooks)
            let steps = try fixture.plan(to: Self.books).steps
            #expect(steps.contains { if case .copyRows = $0 { true } else { false } })
            #expect(!steps.contains { if case .dropColumn = $0 { true } else { false } })
            try fixture.migrateAndVerify(to: Self.books)
            #expect(
                try fixture.query("SELECT Z_PK, Z_OPT, ZTITLE, ZPAGES FROM ZBOOK ORDER BY Z_PK")
                    == ["1|1|a|10", "2|3|b|-", "3|1|-|30"])
        }
    }

    @Test("attributes that exchange their names keep their values")
    func exchangedNames() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder, "entity Book\n  first string index\n  second string",
                rows: "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZFIRST, ZSECOND) VALUES (1, 1, 1, 'x', 'y')")
            let newer = "entity Book\n  first string was second index\n  second string was first\n  third string"
            #expect(
                try fixture.plan(to: newer).steps.filter { if case .renameColumn = $0 { true } else { false } }.count
                    == 4
            )
            try fixture.migrateAndVerify(to: newer)
            #expect(try fixture.query("SELECT ZFIRST, ZSECOND, ZTHIRD FROM ZBOOK") == ["y|x|-"])
        }
    }

    @Test("names that are handed on, attributes' and entities', keep their values and rows", arguments: [false, true])
    func shiftedNames(_ isReversed: Bool) throws {
        try withTemporaryFolder { folder in
            let (a, b, c) = isReversed ? ("c", "b", "a") : ("a", "b", "c")
            let fixture = try MigrationFixture(
                folder, "entity Book\n  \(a) string\n  \(b) string",
                rows: "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, Z\(a), Z\(b)) VALUES (1, 1, 1, 'x', 'y')")
            try fixture.migrateAndVerify(to: "entity Book\n  \(b) string was \(a)\n  \(c) string was \(b)")
            #expect(try fixture.query("SELECT Z\(b), Z\(c) FROM ZBOOK") == ["x|y"])
        }
        try withTemporaryFolder { folder in
            let (a, b, c) = isReversed ? ("Rc", "Rb", "Ra") : ("Ra", "Rb", "Rc")
            let older = "entity \(a)\n  name string\nentity \(b)\n  name string"
            let numbers = isReversed ? (2, 1) : (1, 2)
            let fixture = try MigrationFixture(
                folder, older,
                rows: """
                    INSERT INTO Z\(a) (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, \(numbers.0), 1, 'x');
                    INSERT INTO Z\(b) (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, \(numbers.1), 1, 'y');
                    """)
            try fixture.migrateAndVerify(
                to: "entity \(b) was \(a)\n  name string\nentity \(c) was \(b)\n  name string")
            #expect(try fixture.query("SELECT ZNAME FROM Z\(b)") == ["x"])
            #expect(try fixture.query("SELECT ZNAME FROM Z\(c)") == ["y"])
        }
    }

    @Test("an attribute renamed by its identifier keeps its values; without one it is removed and added")
    func renamedAttribute() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.books, rows: Self.threeBooks)
            let newer = "entity Book\n  name string was title index\n  count int32"
            try fixture.migrateAndVerify(to: newer)
            #expect(try fixture.query("SELECT ZNAME, ZCOUNT FROM ZBOOK ORDER BY Z_PK") == ["a|-", "b|-", "-|-"])
        }
    }

    @Test("numbers are widened, and narrowed when every value fits")
    func numberTypes() throws {
        let older = """
            entity Box
              a int16
              b int32
              c int64
              d double
              e decimal
              f float
            """
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder, older,
                rows:
                    "INSERT INTO ZBOX (Z_PK, Z_ENT, Z_OPT, ZA, ZB, ZC, ZD, ZE, ZF) VALUES (1, 1, 1, 1, 2, 3, 4.0, 5.5, 6.25), "
                    + "(2, 1, 1, NULL, NULL, NULL, NULL, NULL, NULL)")
            let newer = """
                entity Box
                  a int64
                  b double
                  c int16
                  d int32
                  e double
                  f decimal
                """
            try fixture.migrateAndVerify(to: newer)
            #expect(
                try fixture.query(
                    "SELECT ZA, typeof(ZA), ZB, typeof(ZB), ZC, typeof(ZC), ZD, typeof(ZD), ZE, typeof(ZE), ZF FROM ZBOX "
                        + "ORDER BY Z_PK")
                    == ["1|integer|2.0|real|3|integer|4|integer|5.5|real|6.25", "-|null|-|null|-|null|-|null|-|null|-"])
        }
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder, "entity Box\n  c int64\n  d double",
                rows: "INSERT INTO ZBOX (Z_PK, Z_ENT, Z_OPT, ZC, ZD) VALUES (1, 1, 1, 70000, 4.5)")
            let narrowed = try fixture.failure(to: "entity Box\n  c int16\n  d double")
            #expect(narrowed.code == NSMigrationError)
            #expect(narrowed.localizedDescription.contains("70000"))
            #expect(narrowed.localizedDescription.contains("Box.c"))
            let rounded = try fixture.failure(to: "entity Box\n  c int64\n  d int64")
            #expect(rounded.code == NSMigrationError)
            #expect(rounded.localizedDescription.contains("4.5"))
        }
    }

    @Test("a type without a conversion is an error that names entity, property and both types")
    func impossibleType() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.books, rows: Self.threeBooks)
            let error = try fixture.failure(to: "entity Book\n  title int32\n  pages string")
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.code == NSInferredMappingModelError)
            let text = error.localizedDescription
            for word in ["Book.title", "String", "Integer 32", "Book.pages", "mapping model"] {
                #expect(text.contains(word), "\(word) in \(text)")
            }
            #expect((error.userInfo[NSDetailedErrorsKey] as? [NSError])?.count == 2)
        }
    }

    @Test("a mandatory attribute without a default stops the migration only where rows have no value")
    func mandatoryWithoutDefault() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.books, rows: Self.threeBooks)
            let added = try fixture.failure(to: Self.books + "\n  stars int16!")
            #expect(added.code == NSMigrationError)
            #expect(added.localizedDescription.contains("Book.stars"))
            #expect(added.localizedDescription.contains("default value"))
            #expect(added.userInfo["entity"] as? String == "Book")
            let made = try fixture.failure(to: "entity Book\n  title string!\n  pages int32")
            #expect(made.localizedDescription.contains("Book.title"))
            try fixture.run("DELETE FROM ZBOOK WHERE ZTITLE IS NULL")
            try fixture.migrateAndVerify(to: "entity Book\n  title string!\n  pages int32")
            try fixture.run("DELETE FROM ZBOOK")
            try fixture.migrateAndVerify(to: "entity Book\n  title string!\n  pages int32!\n  stars int16!")
        }
    }

    @Test("switching external storage on and off tags and untags the values")
    func externalStorage() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder, "entity Picture\n  bytes data",
                rows: "INSERT INTO ZPICTURE (Z_PK, Z_ENT, Z_OPT, ZBYTES) VALUES (1, 1, 1, x'0001ff'), (2, 1, 1, NULL)")
            try fixture.migrateAndVerify(to: "entity Picture\n  bytes data external")
            #expect(try fixture.query("SELECT hex(ZBYTES) FROM ZPICTURE ORDER BY Z_PK") == ["010001FF", ""])
            let files = SQLiteStoreFiles(fixture.url).externalDataFolder
            try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
            let file = files.appendingPathComponent("4D8B0E8E-0F0B-4F2A-9A33-6A7E6D6B1C11")
            try Data([7, 0, 9]).write(to: file)
            try fixture.run(
                "UPDATE ZPICTURE SET ZBYTES = CAST(x'02' || '\(file.lastPathComponent)' || x'00' AS BLOB) WHERE Z_PK = 2"
            )
            try fixture.migrateAndVerify(to: "entity Picture\n  bytes data")
            #expect(try fixture.query("SELECT hex(ZBYTES) FROM ZPICTURE ORDER BY Z_PK") == ["0001FF", "070009"])
            try withStore(fixture.url, ModelText.model("entity Picture\n  bytes data")) { _ in }
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test(
        "files of external values go with their attribute or its entity, those of other attributes stay",
        arguments: [
            ("entity Picture\n  bytes data external\nentity Sound\n  name string", 1),
            ("entity Picture\n  name string\nentity Sound\n  tone data external was wave", 1),
            ("entity Sound\n  wave data external", 1), ("entity Picture\n  image data external was bytes", 1),
            ("entity Picture\n  bytes data\nentity Sound\n  wave data", 0), ("entity Other\n  name string", 0),
        ], [false, true])
    func forgottenFiles(_ test: (newer: String, left: Int), isDeferred: Bool) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("store.sqlite")
            let older = "entity Picture\n  bytes data external\nentity Sound\n  wave data external"
            try withStore(url, ModelText.model(older)) { context in
                context.make("Picture", ["bytes": Data(count: 200_000)])
                context.make("Sound", ["wave": Data(count: 200_000)])
                try context.save()
            }
            let files = SQLiteStoreFiles(url)
            func names(_ folder: URL) throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: folder.path)
            }
            #expect(try names(files.externalDataFolder).count == 2)
            let options: [AnyHashable: Any] = [
                NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                NSPersistentStoreDeferredLightweightMigrationOptionKey: isDeferred,
                NSMigrationKnownVersionsOption: [ModelText.model(older)],
            ]
            let model = ModelText.model(test.newer)
            try withStore(url, model, options: options) { context in
                let values = try model.entities.flatMap { entity in
                    try context.all(entity.name ?? "").flatMap { object in
                        entity.attributesByName.keys.compactMap { object.value(forKey: $0) as? Data }
                    }
                }
                #expect(values.allSatisfy { $0.count == 200_000 })
                #expect(values.count == (test.newer.contains("data\n") ? 2 : test.left))
            }
            #expect(try names(files.externalDataFolder).count == test.left)
            #expect(try names(files.supportFolder) == ["_EXTERNAL_DATA"])
        }
    }

    @Test("a changed uniqueness constraint is built, and duplicates are an error that names it")
    func uniqueness() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.books, rows: Self.threeBooks)
            try fixture.migrateAndVerify(to: Self.books + "\n  unique title")
            try fixture.migrateAndVerify(to: Self.books + "\n  unique pages")
            try fixture.run("UPDATE ZBOOK SET ZTITLE = 'same'")
            let error = try fixture.failure(to: Self.books + "\n  unique title")
            #expect(error.code == NSMigrationConstraintViolationError)
            #expect(error.localizedDescription.contains("Z_Book_UNIQUE_title"))
        }
    }

    @Test("a version hash modifier alone is migrated by writing metadata")
    func modifierOnly() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.books, rows: Self.threeBooks)
            let newer = "entity Book\n  title string modifier 2\n  pages int32"
            #expect(try fixture.plan(to: newer).isInstant)
            try fixture.migrateAndVerify(to: newer)
            #expect(try fixture.query("SELECT COUNT(*) FROM ZBOOK") == ["3"])
        }
    }

    @Test("metadata of the program and the store's identity survive")
    func metadata() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.books, rows: Self.threeBooks)
            var before = try SQLiteStoreMetadata.metadata(at: fixture.url)
            before["shelf"] = ["left", "right"]
            try SQLiteStoreMetadata.setMetadata(before, at: fixture.url)
            let newer = Self.books + "\n  note string"
            try fixture.migrateAndVerify(to: newer)
            let after = try SQLiteStoreMetadata.metadata(at: fixture.url)
            #expect(after[NSStoreUUIDKey] as? String == before[NSStoreUUIDKey] as? String)
            #expect(after["shelf"] as? [String] == ["left", "right"])
            let model = ModelText.model(newer)
            #expect(after[NSStoreModelVersionHashesKey] as? [String: Data] == model.entityVersionHashesByName)
            #expect(after[NSPersistentStoreModelVersionChecksumKey] as? String == model.versionChecksum)
            #expect(after["NSStoreModelVersionHashesDigest"] as? String == model.storeDigest)
            #expect(try SQLiteStoreSummary(at: fixture.url)?.model()?.versionChecksum == model.versionChecksum)
        }
    }

    @Test("indexes that stay are left alone, partial ones too, and changed ones are made anew")
    func indexes() throws {
        try withTemporaryFolder { folder in
            func model(_ extra: Bool, from pages: Int) -> NSManagedObjectModel {
                let model = ModelText.model(Self.books + (extra ? "\n  note string" : ""))
                guard let book = model.entitiesByName["Book"], let title = book.attributesByName["title"],
                    let count = book.attributesByName["pages"]
                else { return model }
                let descending = NSFetchIndexElementDescription(property: count, collationType: .binary)
                descending.isAscending = false
                let partial = NSFetchIndexDescription(
                    name: "thick",
                    elements: [NSFetchIndexElementDescription(property: title, collationType: .binary), descending])
                partial.partialIndexPredicate = NSPredicate(format: "pages > %d", pages)
                book.indexes = [partial]
                return model
            }
            let url = folder.appendingPathComponent("store.sqlite")
            let first = model(false, from: 10)
            try withExtendedLifetime(first) {
                try SQLiteStore(layout: first.layout, storeNumber: 1, at: url).close()
            }
            func plan(_ model: NSManagedObjectModel) throws -> MigrationPlan {
                let migrator = LightweightMigrator(MigrationRequest(at: url, to: model))
                return try #require(try migrator.plan())
            }
            #expect(try plan(model(true, from: 10)).isInstant)
            let other = try plan(model(true, from: 20))
            #expect(
                other.steps.contains {
                    if case .createIndex(let index) = $0 { index.name == "Z_Book_thick" } else { false }
                })
            #expect(try LightweightMigrator(MigrationRequest(at: url, to: model(true, from: 20))).apply())
            let connection = try SQLiteConnection(path: url.path, access: .readOnly)
            let text = try #require(try connection.text("SELECT sql FROM sqlite_master WHERE name = 'Z_Book_thick'"))
            #expect(text.contains("20"))
        }
    }
}
