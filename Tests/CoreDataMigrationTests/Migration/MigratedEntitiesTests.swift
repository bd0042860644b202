import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Migrating entities: numbers, names, parents", .leavesNothingBehind)
struct MigratedEntitiesTests {
    /// Book is 1, Person 2, Writer 3, Tag 4.
    static let older = """
        entity Book
          title string
          author one Person.books
          tags many Tag.books
          pages many Page
        entity Page
          text string
        entity Person
          name string
          books many Book.author
        entity Writer : Person
          penName string
        entity Tag
          label string
          books many Book.tags
        """
    static let rows = """
        INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME, ZPENNAME) VALUES (1, 3, 1, 'Anna', NULL), (2, 4, 1, 'Bo', 'B.');
        INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZAUTHOR, Z3_AUTHOR) VALUES (1, 1, 1, 'x', 1, 3), (2, 1, 1, 'y', 2, 4), (3, 1, 1, 'z', NULL, NULL);
        INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZLABEL) VALUES (1, 5, 1, 'red'), (2, 5, 1, 'blue');
        INSERT INTO Z_1TAGS (Z_1BOOKS, Z_5TAGS) VALUES (1, 1), (1, 2), (3, 2);
        INSERT INTO ZPAGE (Z_PK, Z_ENT, Z_OPT, ZTEXT, Z1PAGES) VALUES (1, 2, 1, 'p', 2);
        UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_NAME = 'Book';
        UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_NAME IN ('Person', 'Tag');
        UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Page';
        """

    @Test("an added entity moves the numbers of all that come after it, wherever they are written")
    func addedEntity() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.older, rows: Self.rows)
            try fixture.run(
                """
                CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB);
                INSERT INTO ACHANGE (Z_PK, Z_ENT, ZENTITY, ZENTITYPK, ZCOLUMNS) VALUES (1, 16001, 1, 1, x'80'), (2, 16001, 5, 1, x'80');
                INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 2);
                """)
            let newer = "entity Album\n  name string\n" + Self.older
            try fixture.migrate(to: newer)
            #expect(
                try fixture.query("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT") == [
                    "1|Album|0|0", "2|Book|0|3", "3|Page|0|1", "4|Person|0|2", "5|Writer|4|0", "6|Tag|0|2",
                    "16001|CHANGE|0|2",
                ])
            #expect(
                try fixture.query("SELECT Z_PK, Z_ENT, ZAUTHOR, Z4_AUTHOR FROM ZBOOK ORDER BY Z_PK")
                    == ["1|2|1|4", "2|2|2|5", "3|2|-|-"])
            #expect(try fixture.query("SELECT Z_ENT, Z2PAGES FROM ZPAGE") == ["3|2"])
            #expect(
                try fixture.query("SELECT Z_2BOOKS, Z_6TAGS FROM Z_2TAGS ORDER BY 1, 2") == ["1|1", "1|2", "3|2"])
            #expect(try fixture.query("SELECT ZENTITY, hex(ZCOLUMNS) FROM ACHANGE ORDER BY Z_PK") == ["2|80", "6|80"])
            try fixture.run("DROP TABLE ACHANGE; DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16001")
            try fixture.verify(newer)
        }
    }

    @Test("A removed entity takes its rows along, and links to them are cleared")
    func removedSubentity() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.older, rows: Self.rows)
            let newer = Self.older.replacingOccurrences(of: "entity Writer : Person\n  penName string\n", with: "")
            try fixture.migrateAndVerify(to: newer)
            #expect(try fixture.query("SELECT Z_PK, Z_ENT, ZNAME FROM ZPERSON") == ["1|3|Anna"])
            #expect(try fixture.query("SELECT Z_PK, ZAUTHOR FROM ZBOOK ORDER BY Z_PK") == ["1|1", "2|-", "3|-"])
        }
    }

    @Test("an entity that is removed with its table leaves all other entities unchanged")
    func removedEntity() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.older, rows: Self.rows)
            let newer = """
                entity Person
                  name string
                entity Writer : Person
                  penName string
                entity Tag
                  label string
                """
            try fixture.migrateAndVerify(to: newer)
            #expect(
                try fixture.query("SELECT Z_PK, Z_ENT, ZNAME, ZPENNAME FROM ZPERSON ORDER BY Z_PK")
                    == ["1|1|Anna|-", "2|2|Bo|B."])
            #expect(try fixture.query("SELECT Z_ENT, ZLABEL FROM ZTAG ORDER BY Z_PK") == ["3|red", "3|blue"])
        }
    }

    @Test("entities renamed by identifier keep rows and relationships, even when two exchange their names")
    func renamedEntities() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.older, rows: Self.rows)
            let newer = """
                entity Tag was Book
                  title string
                  author one Human.books
                  tags many Book.books
                  pages many Sheet
                entity Sheet was Page
                  text string
                entity Human was Person
                  name string
                  books many Tag.author
                entity Writer : Human
                  penName string
                entity Book was Tag
                  label string
                  books many Tag.tags
                """
            try fixture.migrateAndVerify(to: newer)
            #expect(try fixture.query("SELECT Z_ENT, ZLABEL FROM ZBOOK ORDER BY Z_PK") == ["1|red", "1|blue"])
            #expect(
                try fixture.query("SELECT Z_ENT, ZTITLE, ZAUTHOR, Z2_AUTHOR FROM ZTAG ORDER BY Z_PK")
                    == ["5|x|1|2", "5|y|2|3", "5|z|-|-"])
            #expect(try fixture.query("SELECT Z_5BOOKS, Z_1TAGS FROM Z_1BOOKS ORDER BY 1, 2") == ["1|1", "1|2", "3|2"])
            #expect(try fixture.query("SELECT ZTEXT, Z5PAGES FROM ZSHEET") == ["p|2"])
        }
    }

    @Test("a new parent takes an entity's table over, and properties that move up keep their values")
    func newParent() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder,
                """
                entity Dog
                  name string
                  age int32
                entity Home
                  pet one Dog
                """,
                rows: """
                    INSERT INTO ZDOG (Z_PK, Z_ENT, Z_OPT, ZNAME, ZAGE) VALUES (1, 1, 1, 'Rex', 3);
                    INSERT INTO ZHOME (Z_PK, Z_ENT, Z_OPT, ZPET) VALUES (1, 2, 1, 1), (2, 2, 1, NULL);
                    UPDATE Z_PRIMARYKEY SET Z_MAX = 7 WHERE Z_NAME = 'Dog';
                    """)
            try fixture.migrateAndVerify(
                to: """
                    abstract entity Animal
                      name string
                    entity Dog : Animal
                      age int32
                    entity Home
                      pet one Animal
                    """)
            #expect(try fixture.query("SELECT Z_PK, Z_ENT, ZNAME, ZAGE FROM ZANIMAL") == ["1|2|Rex|3"])
            #expect(try fixture.query("SELECT ZPET, Z1_PET FROM ZHOME ORDER BY Z_PK") == ["1|2", "-|-"])
            #expect(try fixture.query("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_MAX > 0") == ["Animal|7"])
        }
    }

    static let animals = """
        entity Animal
          name string
        entity Cat : Animal
          color string
        entity Dog : Animal
          age int32
        """
    static let threeAnimals = """
        INSERT INTO ZANIMAL (Z_PK, Z_ENT, Z_OPT, ZNAME, ZCOLOR, ZAGE) VALUES (1, 1, 1, 'Ape', NULL, NULL), (2, 2, 1, 'Tom', 'gray', NULL), (3, 3, 1, 'Rex', NULL, 4);
        UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_ENT = 1;
        """

    @Test("an entity that leaves its hierarchy gets a table of its own with its rows and keys")
    func leavingHierarchy() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.animals, rows: Self.threeAnimals)
            try fixture.migrateAndVerify(
                to: """
                    entity Animal
                      name string
                    entity Cat : Animal
                      color string
                    entity Dog
                      name string
                      age int32
                    """)
            #expect(
                try fixture.query("SELECT Z_PK, Z_ENT, ZNAME, ZCOLOR FROM ZANIMAL ORDER BY Z_PK")
                    == ["1|1|Ape|-", "2|2|Tom|gray"])
            #expect(try fixture.query("SELECT Z_PK, Z_ENT, ZNAME, ZAGE FROM ZDOG") == ["3|3|Rex|4"])
            #expect(
                try fixture.query("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_SUPER = 0 ORDER BY 1") == [
                    "Animal|3", "Dog|3",
                ])
        }
    }

    @Test("properties move up to the parent and down to the children with their values")
    func movedProperties() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.animals, rows: Self.threeAnimals)
            let down = """
                entity Animal
                entity Cat : Animal
                  name string
                  color string
                entity Dog : Animal
                  name string
                  age int32
                """
            try fixture.migrateAndVerify(to: down)
            #expect(
                try fixture.query("SELECT Z_PK, ZNAME, ZNAME1 FROM ZANIMAL ORDER BY Z_PK")
                    == ["1|-|-", "2|Tom|-", "3|-|Rex"])
            try fixture.migrateAndVerify(to: Self.animals)
            #expect(
                try fixture.query("SELECT Z_PK, ZNAME, ZCOLOR, ZAGE FROM ZANIMAL ORDER BY Z_PK")
                    == ["1|-|-|-", "2|Tom|gray|-", "3|Rex|-|4"])
        }
    }

    @Test("a property that only one child keeps is cleared in the rows of its siblings")
    func narrowedProperty() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.animals, rows: Self.threeAnimals)
            try fixture.migrateAndVerify(
                to: """
                    entity Animal
                    entity Cat : Animal
                      color string
                    entity Dog : Animal
                      name string
                      age int32
                    """)
            #expect(try fixture.query("SELECT ZNAME FROM ZANIMAL ORDER BY Z_PK") == ["-", "-", "Rex"])
        }
    }

    @Test("the default of an attribute added to a child is set in the child's rows only")
    func defaultOfChild() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.animals, rows: Self.threeAnimals)
            try fixture.migrateAndVerify(to: Self.animals + "\n  good bool! = true")
            #expect(try fixture.query("SELECT ZGOOD FROM ZANIMAL ORDER BY Z_PK") == ["-", "-", "1"])
        }
    }

    @Test("two hierarchies do not become one without a mapping model")
    func mergedHierarchies() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, "entity Cat\n  name string\nentity Dog\n  name string")
            let error = try fixture.failure(
                to: "abstract entity Animal\n  name string\nentity Cat : Animal\nentity Dog : Animal")
            #expect(error.code == NSInferredMappingModelError)
            for word in ["Cat", "Dog", "Animal", "mapping model"] {
                #expect(error.localizedDescription.contains(word))
            }
        }
    }

    @Test("an entity that becomes abstract must not have objects of its own")
    func becomingAbstract() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.animals, rows: Self.threeAnimals)
            let newer = "abstract " + Self.animals
            let error = try fixture.failure(to: newer)
            #expect(error.code == NSMigrationError)
            #expect(error.localizedDescription.contains("“Animal”"))
            try fixture.run("DELETE FROM ZANIMAL WHERE Z_ENT = 1")
            try fixture.migrateAndVerify(to: newer)
        }
    }

    @Test("a stale number in a table of one entity is put right when the table gets a second entity")
    func staleNumbers() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder, "entity Dog\n  name string",
                rows: "INSERT INTO ZDOG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 9, 1, 'Rex'), (2, NULL, 1, 'Bo')")
            try fixture.migrateAndVerify(to: "entity Dog\n  name string\nentity Puppy : Dog\n  weeks int16! = 1")
            #expect(
                try fixture.query("SELECT Z_PK, Z_ENT, ZNAME, ZWEEKS FROM ZDOG ORDER BY Z_PK") == [
                    "1|1|Rex|-", "2|1|Bo|-",
                ])
        }
    }

    @Test("an added derived attribute is computed for the rows that are there")
    func derived() throws {
        try withTemporaryFolder { folder in
            let text = """
                entity A
                  name string
                  bs many B.a
                entity B
                  size int32
                  a one A.bs
                """
            let fixture = try MigrationFixture(
                folder, text,
                rows: """
                    INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'Ærø'), (2, 1, 1, NULL);
                    INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT, ZSIZE, ZA) VALUES (1, 2, 1, 5, 1), (2, 2, 1, 6, 1), (3, 2, 1, 7, NULL);
                    """)
            func derived(_ name: String, _ type: NSAttributeType, _ expression: CoreData.NSExpression)
                -> NSDerivedAttributeDescription
            {
                let attribute = NSDerivedAttributeDescription()
                attribute.name = name
                attribute.attributeType = type
                attribute.isOptional = true
                attribute.derivationExpression = expression
                return attribute
            }
            func model(_ upper: String) throws -> NSManagedObjectModel {
                let model = ModelText.model(text)
                model.entitiesByName["A"]?.properties += [
                    derived("count", .integer64AttributeType, try CoreData.NSExpression.parse(format: "bs.@count")),
                    derived("text", .stringAttributeType, try CoreData.NSExpression.parse(format: upper)),
                ]
                return model
            }
            #expect(
                try LightweightMigrator(MigrationRequest(at: fixture.url, to: try model("uppercase:(name)"))).apply())
            #expect(try fixture.query("SELECT ZCOUNT, ZTEXT FROM ZA ORDER BY Z_PK") == ["2|ÆRØ", "0|-"])
            // Only what is derived otherwise than before is computed again.
            try fixture.run("UPDATE ZA SET ZCOUNT = 99 WHERE Z_PK = 1")
            #expect(
                try LightweightMigrator(MigrationRequest(at: fixture.url, to: try model("lowercase:(name)"))).apply())
            #expect(try fixture.query("SELECT ZCOUNT, ZTEXT FROM ZA ORDER BY Z_PK") == ["99|ærø", "0|-"])
        }
    }
}
