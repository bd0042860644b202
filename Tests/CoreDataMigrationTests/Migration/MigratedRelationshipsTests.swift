import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Migrating relationships", .leavesNothingBehind)
struct MigratedRelationshipsTests {
    static let toOne = """
        entity A
          b one B.a
        entity B
          a one A.b
        """
    static let pairs = """
        INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZB) VALUES (1, 1, 1, 2), (2, 1, 1, 1), (3, 1, 1, NULL);
        INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (1, 2, 1, 2), (2, 2, 1, 1), (3, 2, 1, NULL);
        """
    static let oneToMany = """
        entity A
          bs many B.a
        entity B
          a one A.bs
        """
    static let members = """
        INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1), (2, 1, 1), (3, 1, 1);
        INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (1, 2, 1, 1), (2, 2, 1, 2), (3, 2, 1, 1), (4, 2, 1, NULL);
        """

    @Test("one-to-one becomes one-to-many: the key at the other end holds the links")
    func oneToOneToMany() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.toOne, rows: Self.pairs)
            try fixture.migrateAndVerify(to: "entity A\n  b many B.a\nentity B\n  a one A.b")
            #expect(try fixture.query("SELECT Z_PK, ZA FROM ZB ORDER BY Z_PK") == ["1|2", "2|1", "3|-"])
        }
    }

    @Test("one-to-many and one-to-one become many-to-many: keys become pairs", arguments: [false, true])
    func keysToPairs(isOneToOne: Bool) throws {
        try withTemporaryFolder { folder in
            let fixture =
                isOneToOne
                ? try MigrationFixture(
                    folder, "entity A\n  bs one B.a\nentity B\n  a one A.bs",
                    rows: Self.pairs.replacingOccurrences(of: "ZB) VALUES", with: "ZBS) VALUES"))
                : try MigrationFixture(folder, Self.oneToMany, rows: Self.members)
            let newer = "entity A\n  bs many B.as\nentity B\n  as many A.bs was a"
            try fixture.migrateAndVerify(to: newer)
            #expect(
                try fixture.query("SELECT Z_1AS, Z_2BS FROM Z_1BS ORDER BY 1, 2")
                    == (isOneToOne ? ["1|2", "2|1"] : ["1|1", "1|3", "2|2"]))
        }
    }

    @Test("an unordered relationship becomes ordered by key and back", arguments: [true, false])
    func ordering(isManyToMany: Bool) throws {
        try withTemporaryFolder { folder in
            let ordered: String
            let unordered: String
            let fixture: MigrationFixture
            let query: String
            if isManyToMany {
                unordered = "entity A\n  bs many B.as\nentity B\n  as many A.bs"
                ordered = "entity A\n  bs ordered B.as\nentity B\n  as many A.bs"
                fixture = try MigrationFixture(
                    folder, unordered, rows: "INSERT INTO Z_1BS (Z_1AS, Z_2BS) VALUES (1, 3), (1, 1), (2, 2)")
                query = "SELECT Z_1AS, Z_2BS, Z_FOK_2BS FROM Z_1BS ORDER BY 1, 2"
            } else {
                unordered = Self.oneToMany
                ordered = "entity A\n  bs ordered B.a\nentity B\n  a one A.bs"
                fixture = try MigrationFixture(folder, unordered, rows: Self.members)
                query = "SELECT ZA, Z_PK, Z_FOK_A FROM ZB WHERE ZA NOT NULL ORDER BY 1, 2"
            }
            try fixture.migrateAndVerify(to: ordered)
            #expect(try fixture.query(query) == ["1|1|2048", "1|3|3072", "2|2|2048"])
            try fixture.migrateAndVerify(to: unordered)
        }
    }

    @Test("a to-many relationship without an inverse gets one, and loses it again")
    func inverses() throws {
        try withTemporaryFolder { folder in
            let without = "entity A\n  bs many B\nentity B\n  name string"
            let with = "entity A\n  bs many B.a\nentity B\n  name string\n  a one A.bs"
            let fixture = try MigrationFixture(
                folder, without,
                rows:
                    "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) VALUES (5, 1, 1); INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT, Z1BS) VALUES (1, 2, 1, 5), (2, 2, 1, NULL)"
            )
            try fixture.migrateAndVerify(to: with)
            #expect(try fixture.query("SELECT Z_PK, ZA FROM ZB ORDER BY Z_PK") == ["1|5", "2|-"])
            try fixture.migrateAndVerify(to: without)
            #expect(try fixture.query("SELECT Z_PK, Z1BS FROM ZB ORDER BY Z_PK") == ["1|5", "2|-"])
        }
    }

    @Test("a new to-one inverse of a to-one relationship is filled in, if it is not ambiguous")
    func newOneToOneInverse() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder, "entity A\n  b one B\nentity B\n  name string",
                rows: """
                    INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZB) VALUES (1, 1, 1, 2), (2, 1, 1, 2), (3, 1, 1, NULL);
                    INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1), (2, 2, 1);
                    """)
            let newer = "entity A\n  b one B.a\nentity B\n  name string\n  a one A.b"
            let error = try fixture.failure(to: newer)
            #expect(error.code == NSMigrationError)
            #expect(error.localizedDescription.contains("B.a"))
            try fixture.run("UPDATE ZA SET ZB = 1 WHERE Z_PK = 2")
            try fixture.migrateAndVerify(to: newer)
            #expect(try fixture.query("SELECT Z_PK, ZA FROM ZB ORDER BY Z_PK") == ["1|2", "2|1"])
        }
    }

    @Test("changes that would have to choose among objects are refused with both sides named")
    func refusals() throws {
        let cases: [(older: String, newer: String, words: [String])] = [
            (Self.oneToMany, "entity A\n  bs one B.a\nentity B\n  a one A.bs", ["A.bs", "to-many", "to-one"]),
            (
                "entity A\n  bs many B.as\nentity B\n  as many A.bs",
                "entity A\n  bs many B.as\nentity B\n  as one A.bs",
                ["B.as", "to-many", "to-one"]
            ),
            (
                "entity A\n  b one B\nentity B\n  x string", "entity A\n  b many B\nentity B\n  x string",
                ["A.b", "inverse"]
            ),
            (
                "entity A\n  b one B\nentity B\n  x string", "entity A\n  b string\nentity B\n  x string",
                ["A.b", "relationship", "attribute"]
            ),
        ]
        for (older, newer, words) in cases {
            try withTemporaryFolder { folder in
                let error = try MigrationFixture(folder, older).failure(to: newer)
                #expect(error.code == NSInferredMappingModelError)
                for word in words { #expect(error.localizedDescription.contains(word), "\(word): \(error)") }
            }
        }
    }

    @Test("a relationship made mandatory is refused while a row has none")
    func mandatoryRelationship() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, Self.oneToMany, rows: Self.members)
            let newer = "entity A\n  bs many B.a\nentity B\n  a one! A.bs"
            let error = try fixture.failure(to: newer)
            #expect(error.localizedDescription.contains("mandatory destination relationship"))
            try fixture.run("DELETE FROM ZB WHERE ZA IS NULL")
            try fixture.migrateAndVerify(to: newer)
        }
    }

    @Test("a relationship that is its own inverse keeps its pairs when numbers move")
    func reflexive() throws {
        try withTemporaryFolder { folder in
            let older = "entity B\n  friends many B.friends"
            let fixture = try MigrationFixture(
                folder, older, rows: "INSERT INTO Z_1FRIENDS (Z_1FRIENDS, REFLEXIVE) VALUES (1, 2), (2, 1)")
            try fixture.migrateAndVerify(to: "entity A\n  x string\n" + older)
            #expect(try fixture.query("SELECT Z_2FRIENDS, REFLEXIVE FROM Z_2FRIENDS ORDER BY 1") == ["1|2", "2|1"])
        }
    }

    @Test("a relationship that leads to another entity starts empty; a mandatory one is refused while there are rows")
    func otherDestination() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder,
                """
                entity A
                  b one B
                  bs many B.as
                entity B
                  as many A.bs
                entity C
                  x string
                """,
                rows: """
                    INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZB) VALUES (1, 1, 1, 1);
                    INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1);
                    INSERT INTO Z_1BS VALUES (1, 1);
                    """)
            let error = try fixture.failure(to: "entity A\n  b one! C\nentity B\n  x string\nentity C\n  x string")
            #expect(error.code == NSMigrationError)
            #expect(error.localizedDescription.contains("A.b"))
            try fixture.migrateAndVerify(
                to: """
                    entity A
                      b one C
                      bs many C.as
                    entity B
                      x string
                    entity C
                      x string
                      as many A.bs
                    """)
            #expect(try fixture.query("SELECT Z_PK, ZB FROM ZA") == ["1|-"])
            #expect(try fixture.query("SELECT COUNT(*) FROM Z_1BS") == ["0"])
            #expect(try fixture.query("SELECT Z_PK FROM ZB") == ["1"])
        }
    }

    @Test("a to-many relationship that moves down to one child starts empty; two that move up into one are refused")
    func movedRelationships() throws {
        let parents = """
            entity Animal
              toys many Toy.owner
            entity Cat : Animal
              color string
            entity Dog : Animal
              age int32
            entity Toy
              owner one Animal.toys
            """
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder, parents,
                rows: """
                    INSERT INTO ZANIMAL (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1), (2, 3, 1);
                    INSERT INTO ZTOY (Z_PK, Z_ENT, Z_OPT, ZOWNER, Z1_OWNER) VALUES (1, 4, 1, 1, 2), (2, 4, 1, 2, 3);
                    """)
            try fixture.migrateAndVerify(
                to: """
                    entity Animal
                    entity Cat : Animal
                      color string
                      toys many Toy.owner
                    entity Dog : Animal
                      age int32
                    entity Toy
                      owner one Cat.toys
                    """)
            #expect(try fixture.query("SELECT Z_PK, ZOWNER FROM ZTOY ORDER BY Z_PK") == ["1|-", "2|-"])
        }
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder,
                """
                entity Animal
                entity Cat : Animal
                  toys many Toy.cat
                entity Dog : Animal
                  toys many Toy.dog
                entity Toy
                  cat one Cat.toys
                  dog one Dog.toys
                """)
            let error = try fixture.failure(to: parents.replacingOccurrences(of: "  color string\n", with: ""))
            #expect(error.code == NSInferredMappingModelError)
            for word in ["Animal.toys", "Cat.toys", "Dog.toys"] { #expect(error.localizedDescription.contains(word)) }
        }
    }
}
