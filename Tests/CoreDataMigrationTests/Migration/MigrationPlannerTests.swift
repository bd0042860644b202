import Foundation
import TestSupport
import Testing

@testable import CoreData

/// The plan of a migration, made from two versions of a model and numbers of rows. No store is made.
@Suite("Plans of migrations, without a store")
struct MigrationPlannerTests {
    private static let books = "entity Book\n  title string\n  pages int32"

    /// The plan for tables as a new store of the older version has them.
    private func plan(
        from older: String, to newer: String, rows: [String: Int] = ["ZBOOK": 1000]
    ) throws -> MigrationPlan {
        let (source, destination) = (ModelText.model(older), ModelText.model(newer))
        return try withExtendedLifetime((source, destination)) {
            let old = SQLSchemaBuilder.schema(of: source.layout, entities: nil)
            let nowhere = URL(fileURLWithPath: "/dev/null")
            return try MigrationTransaction(MigrationRequest(at: nowhere, to: destination)).plan(
                from: source.layout, oldSchema: old, to: destination.layout,
                newSchema: SQLSchemaBuilder.schema(of: destination.layout, entities: nil),
                catalog: StoreCatalog(old, rows: rows, in: SQLiteDialect()), in: SQLiteDialect()
            ).plan
        }
    }

    /// The texts of the plan's steps, without those that every plan ends with.
    private func steps(_ plan: MigrationPlan) -> [String] {
        let last = ["replace entity numbers", "replace the archived model", "write metadata"]
        return plan.steps.map { "\($0)" }.filter { !last.contains($0) }
    }

    @Test("A version hash modifier alone writes metadata")
    func modifier() throws {
        let plan = try plan(from: Self.books, to: "entity Book\n  title string modifier 2\n  pages int32")
        #expect(steps(plan) == [])
        #expect(plan.isInstant)
    }

    @Test("New columns without a default are added, and no row is gone through")
    func addedColumns() throws {
        let plan = try plan(from: Self.books, to: Self.books + "\n  note string\n  rating double")
        #expect(steps(plan).sorted() == ["add column ZBOOK.ZNOTE", "add column ZBOOK.ZRATING"])
        #expect(plan.isInstant)
        #expect(plan.rows.allSatisfy { $0 == 0 })
    }

    @Test("Defaults of one table are filled by one UPDATE, which goes through its rows")
    func defaults() throws {
        let newer = "entity Book\n  title string! = untitled\n  pages int32! = 7\n  stars int16! = 5"
        let plan = try plan(from: Self.books, to: newer)
        #expect(!plan.isInstant)
        let rows = zip(plan.steps, plan.rows).filter { if case .update = $0.0 { true } else { false } }.map(\.1)
        #expect(rows == [1000])
    }

    @Test("A new name renames a column, and two names that are exchanged go by names between")
    func renaming() throws {
        let renamed = try plan(from: Self.books, to: "entity Book\n  headline string was title\n  pages int32")
        #expect(steps(renamed) == ["rename column ZBOOK.ZTITLE to ZHEADLINE"])
        #expect(renamed.isInstant)
        let exchanged = try plan(
            from: "entity Book\n  first string\n  second string",
            to: "entity Book\n  first string was second\n  second string was first")
        #expect(
            steps(exchanged) == [
                "rename column ZBOOK.ZSECOND to Z__MIGRATION1", "rename column ZBOOK.ZFIRST to Z__MIGRATION2",
                "rename column ZBOOK.Z__MIGRATION1 to ZFIRST", "rename column ZBOOK.Z__MIGRATION2 to ZSECOND",
            ])
    }

    @Test("One column that goes is dropped, many go by one copy of the table")
    func removedColumns() throws {
        let extras = { (count: Int) in Self.books + (1...count).map { "\n  extra\($0) string" }.joined() }
        func drops(_ plan: MigrationPlan) -> Int {
            plan.steps.filter { if case .dropColumn = $0 { true } else { false } }.count
        }
        #expect(drops(try plan(from: extras(1), to: Self.books)) == 1)
        let many = try plan(from: extras(6), to: Self.books)
        #expect(drops(many) == 0)
        #expect(many.steps.contains { if case .copyRows = $0 { true } else { false } })
        #expect(many.rows.contains(1000))
    }

    @Test("An entity that comes makes a table, one that goes drops it")
    func entities() throws {
        let shelf = "\nentity Shelf\n  place string"
        let made = try plan(from: Self.books, to: Self.books + shelf)
        #expect(made.steps.contains { if case .createTable(let table) = $0 { table.name == "ZSHELF" } else { false } })
        let dropped = try plan(from: Self.books + shelf, to: Self.books)
        #expect(dropped.steps.contains { if case .dropTable("ZSHELF") = $0 { true } else { false } })
    }

    @Test("An attribute that becomes mandatory without a default requires that no row lacks a value")
    func mandatory() throws {
        let plan = try plan(from: Self.books, to: "entity Book\n  title string!\n  pages int32")
        let checks = plan.steps.compactMap { step -> MigrationCheck? in
            if case .check(let check) = step { check } else { nil }
        }
        #expect(checks.map(\.table) == ["ZBOOK"])
        #expect(checks.map(\.property) == ["title"])
    }

    @Test("A new uniqueness constraint comes with the query that a forecast asks")
    func uniqueness() throws {
        let plan = try plan(from: Self.books, to: Self.books + "\n  unique title")
        #expect(plan.indexChecks.map(\.table) == ["ZBOOK"])
        #expect(steps(plan) == ["create index Z_Book_UNIQUE_title, looking for duplicates"])
    }
}
