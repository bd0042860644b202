#if PostgreSQL
    import Foundation
    import Testing

    @testable import CoreData
    @testable import CoreDataPostgreSQL

    @Suite("Statements in PostgreSQL's words")
    struct PostgreSQLPrintingTests {
        private func text(_ statement: SQLStatement) -> String {
            SQLPrinter.print(statement, in: PostgreSQLDialect()).text
        }

        private let key = SQLExpression.column(SQLSchema.keyColumn)

        @Test("Tables and indexes")
        func definitions() {
            let types: [SQLColumnType] = [.integer, .varchar, .boolean]
            let columns = zip(["a", "b", "c"], types).map { SQLColumn(name: $0, type: $1) }
            var table = SQLTable(name: "book tags", columns: columns, compositeKey: ["a", "b"])
            table.liesInKeyOrder = true
            #expect(
                text(.define(.createTable(table, unlessThere: true)))
                    == "CREATE TABLE IF NOT EXISTS \"book tags\" ( \"a\" bigint, \"b\" text COLLATE \"C\", "
                    + "\"c\" boolean, PRIMARY KEY (\"a\", \"b\") )")
            let index = SQLIndex(
                name: "i", table: "book",
                columns: [
                    .init(name: "title", direction: .ascending), .init(name: "pages", direction: .descending),
                    .init(name: "shelf"),
                ], isUnique: true, condition: .binary(.equal, .column("title"), .value(.string("it's"))))
            #expect(
                text(.define(.createIndex(index)))
                    == "CREATE UNIQUE INDEX \"i\" ON \"book\" (\"title\" ASC NULLS FIRST, \"pages\" DESC NULLS LAST, "
                    + "\"shelf\") WHERE (\"title\" = 'it''s')")
            #expect(text(.define(.dropIndex("i"))) == "DROP INDEX \"i\"")
            #expect(text(.define(.renameTable("a", to: "b"))) == "ALTER TABLE \"a\" RENAME TO \"b\"")
            #expect(text(.define(.dropColumn("b", table: "a"))) == "ALTER TABLE \"a\" DROP COLUMN \"b\"")
            #expect(
                text(.define(.changeType(SQLColumn(name: "n", type: .boolean), table: "t", from: "bigint")))
                    == "ALTER TABLE \"t\" ALTER COLUMN \"n\" TYPE boolean USING \"n\"::integer::boolean")
        }

        @Test("Conditions and orders")
        func conditions() {
            let a = SQLExpression.column("a")
            var select = SQLSelect(
                [key], of: "t",
                where: .and([
                    .binary(.same, a, .null), .isInArray(a, [.int(1), .int(2)]), .isIn(a, [.number(3)]),
                    .between(a, .number(4), .number(5)), .choice(.isNull(a), .alwaysTrue, .alwaysFalse),
                    .isInParameter(key, 1),
                ]))
            select.order = [
                .init(expression: a), .init(expression: a, isAscending: false),
                .init(expression: a, collation: .localized, putsNullsLast: true),
            ]
            select.offset = 2
            #expect(
                text(.select(select))
                    == "SELECT \"id\" FROM \"t\" WHERE ((\"a\" IS NOT DISTINCT FROM NULL) AND \"a\" = ANY($2::int8[]) "
                    + "AND \"a\" IN ($3) AND (\"a\" BETWEEN $4 AND $5) AND CASE WHEN \"a\" IS NULL THEN TRUE ELSE FALSE "
                    + "END AND \"id\" = ANY($1::int8[])) ORDER BY \"a\" NULLS FIRST, \"a\" DESC NULLS LAST, "
                    + "\"a\" COLLATE \"und-x-icu\" OFFSET $6")
        }

        @Test("What becomes of a key that is there")
        func insertions() {
            #expect(
                text(.insert(SQLInsert(into: "t", ["a"], conflict: .keepsStored)))
                    == "INSERT INTO \"t\" (\"a\") VALUES ($1) ON CONFLICT DO NOTHING")
            let updated = SQLInsert(
                into: SQLBookkeeping.Keys.table, ["Z_ENT", "Z_MAX"],
                conflict: .updates(key: ["Z_ENT"], [.init("Z_MAX", .parameter(2))]))
            #expect(
                text(.insert(updated))
                    == "INSERT INTO \"coredata\".\"entities\" (\"entity\", \"highest\") VALUES ($1, $2) "
                    + "ON CONFLICT (\"entity\") DO UPDATE SET \"highest\" = $2")
        }
    }
#endif
