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

    @Test("Tables and indexes are printed")
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

    @Test("Conditions and orders are printed")
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

    @Test("An INSERT says how to treat a key that is there")
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

    // MARK: Rows that change

    @Test("An UPDATE sets columns, for a condition or for the rows of another source")
    func updates() {
        #expect(
            text(
                .update(
                    SQLUpdate(
                        "book", [.init("title", .parameter(1)), .init("pages", .number(5))],
                        where: .isUnchanged(key: 2))))
                == "UPDATE \"book\" SET \"title\" = $1, \"pages\" = $4 WHERE ((\"id\" = $2) AND (\"version\" = $3))"
        )
        let leads = SQLExpression.binary(
            .equal, .column(alias: "o", name: "book"), .column(alias: "book", name: "Z_PK"))
        let owner = SQLUpdate.Assignment("owner", .column(alias: "o", name: "Z_PK"))
        #expect(
            text(
                .update(SQLUpdate("book", [owner], from: .init(source: .table("person"), alias: "o"), where: leads))
            )
                == "UPDATE \"book\" SET \"owner\" = o.\"id\" FROM \"person\" o "
                + "WHERE (o.\"book\" = \"book\".\"id\")")
        let people = SQLSelect([key, .column("book")], of: "person")
        #expect(
            text(
                .update(SQLUpdate("book", [owner], from: .init(source: .select(people), alias: "o"), where: leads)))
                == "UPDATE \"book\" SET \"owner\" = o.\"id\" FROM (SELECT \"id\", \"book\" FROM \"person\") o "
                + "WHERE (o.\"book\" = \"book\".\"id\")")
    }

    @Test("A DELETE takes a list of keys as one parameter")
    func deletions() {
        #expect(text(.delete(SQLDelete(from: "book"))) == "DELETE FROM \"book\"")
        #expect(
            text(.delete(SQLDelete(from: "book", where: .isInParameter(key, 1))))
                == "DELETE FROM \"book\" WHERE \"id\" = ANY($1::int8[])")
    }

    @Test("An INSERT takes the rows of a SELECT, and a row takes the place of another one column by column")
    func copies() {
        let old = SQLSelect([key, .column("title")], of: "old", orderedBy: [key])
        var insert = SQLInsert(into: "new", ["Z_PK", "title"], .select(old))
        let copied =
            "INSERT INTO \"new\" (\"id\", \"title\") SELECT \"id\", \"title\" FROM \"old\" "
            + "ORDER BY \"id\" NULLS FIRST"
        #expect(text(.insert(insert)) == copied)
        insert.conflict = .keepsStored
        #expect(text(.insert(insert)) == copied + " ON CONFLICT DO NOTHING")
        insert.conflict = .replaces(key: ["Z_PK"])
        #expect(
            text(SQLStatement.insert(insert).inWordsOfPostgreSQL)
                == copied + " ON CONFLICT (\"id\") DO UPDATE SET \"title\" = \"excluded\".\"title\"")
    }

    // MARK: SELECT

    @Test("A SELECT joins, groups, orders and limits")
    func partsOfSelections() {
        func column(_ alias: String, _ name: String) -> SQLExpression { .column(alias: alias, name: name) }
        var select = SQLSelect(
            results: [
                .init(expression: column("t0", "title"), name: "first name"),
                .init(expression: .function(.count, [column("t1", "page")], distinct: true)),
            ], table: "book", alias: "t0",
            joins: [
                .init(table: "page", alias: "t1", on: .binary(.equal, column("t1", "book"), column("t0", "Z_PK"))),
                .init(
                    table: "shelf", alias: "t2", on: .binary(.equal, column("t2", "Z_PK"), column("t0", "shelf")),
                    isLeft: false),
            ], condition: .isNotNull(column("t2", "room")),
            order: [.init(expression: column("t0", "title"), isAscending: false)], limit: 3)
        select.isDistinct = true
        select.groupBy = [column("t0", "title"), column("t2", "room")]
        select.having = .binary(.greater, .countAll, .number(1))
        select.offset = 4
        #expect(
            text(.select(select))
                == "SELECT DISTINCT t0.\"title\" AS \"first name\", COUNT(DISTINCT t1.\"page\") FROM \"book\" t0 "
                + "LEFT OUTER JOIN \"page\" t1 ON (t1.\"book\" = t0.\"id\") "
                + "JOIN \"shelf\" t2 ON (t2.\"id\" = t0.\"shelf\") WHERE t2.\"room\" IS NOT NULL "
                + "GROUP BY t0.\"title\", t2.\"room\" HAVING (COUNT(*) > $1) "
                + "ORDER BY t0.\"title\" DESC NULLS LAST LIMIT $2 OFFSET $3")
        var limited = SQLSelect([key], of: "book", limit: 5)
        limited.order = SQLSelect.Order.keys([key], isAscending: false)
        #expect(text(.select(limited)) == "SELECT \"id\" FROM \"book\" ORDER BY \"id\" DESC LIMIT $1")
    }

    @Test("A SELECT reads other SELECTs, each by a name")
    func sources() {
        let all = [SQLSelect.Result(expression: .allColumns)]
        let (a, b) = (SQLSelect([key], of: "a"), SQLSelect([key], of: "b"))
        let words: [(SQLSource, String?, String)] = [
            (.select(a), "s", "(SELECT \"id\" FROM \"a\") s"),
            (.select(a), nil, "(SELECT \"id\" FROM \"a\") AS source"),
            (.unionAll([a, b]), "u", "(SELECT \"id\" FROM \"a\" UNION ALL SELECT \"id\" FROM \"b\") u"),
            (.unionAll([a, b]), nil, "(SELECT \"id\" FROM \"a\" UNION ALL SELECT \"id\" FROM \"b\") AS source"),
        ]
        for (source, alias, printed) in words {
            let select = SQLSelect(results: all, from: source, alias: alias)
            #expect(text(.select(select)) == "SELECT * FROM " + printed)
        }
        #expect(
            text(.select(SQLSelect(results: [.init(expression: .number(1))], from: .nothing))) == "SELECT $1")
    }

    private func condition(_ expression: SQLExpression) -> SQLPrinter {
        var printer = SQLPrinter.print(
            .select(SQLSelect([key], of: "t", where: expression)), in: PostgreSQLDialect())
        printer.text = String(printer.text.dropFirst("SELECT \"id\" FROM \"t\" WHERE ".count))
        return printer
    }

    @Test("Conditions ask other SELECTs")
    func nestedConditions() {
        let (a, b) = (SQLExpression.column("a"), SQLExpression.column("b"))
        let inner = SQLSelect([b], of: "u")
        #expect(condition(.not(.exists(inner))).text == "NOT (EXISTS (SELECT \"b\" FROM \"u\"))")
        #expect(condition(.binary(.greater, .scalar(inner), a)).text == "((SELECT \"b\" FROM \"u\") > \"a\")")
        #expect(condition(.isInSelect(a, inner)).text == "\"a\" IN (SELECT \"b\" FROM \"u\")")
        let both = SQLSelect([a, b], of: "u")
        #expect(
            condition(.isInSelect(.row([a, b]), both)).text == "(\"a\", \"b\") IN (SELECT \"a\", \"b\" FROM \"u\")")
    }

    @Test("Rows are numbered within several columns, in an order by several")
    func rowNumbers() {
        let number = SQLExpression.rowNumber(
            partition: [.column("owner"), .column("kind")],
            order: [
                .init(expression: .column("a"), putsNullsLast: true),
                .init(expression: .column("b"), isAscending: false), .init(expression: key, isNeverMissing: true),
            ])
        #expect(
            text(.select(SQLSelect([number], of: "t")))
                == "SELECT ROW_NUMBER() OVER (PARTITION BY \"owner\", \"kind\" ORDER BY \"a\", "
                + "\"b\" DESC NULLS LAST, \"id\") FROM \"t\"")
    }

    @Test("A prefix is a range, and a list is one array of its type")
    func listsAndPrefixes() throws {
        let a = SQLExpression.column("a")
        let prefixed = condition(.hasPrefix(a, "Ab"))
        #expect(prefixed.text == "((\"a\" >= $1) AND (\"a\" < $2))")
        #expect(prefixed.values == [.string("Ab"), .string("Ab\u{10FFFF}\u{10FFFF}")])
        let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        let lists: [([SlotValue], String, String)] = [
            ([.string(#"a"b\"#), .string("c, d")], "text", #"{"a\"b\\","c, d"}"#),
            ([.uuid(uuid)], "uuid", "{00112233-4455-6677-8899-AABBCCDDEEFF}"),
            ([.int(3), .int(-1)], "int8", "{3,-1}"), ([.double(1.5)], "float8", "{1.5}"),
            ([.decimal(Decimal(25) / 10)], "numeric", "{2.5}"),
            ([.data(Data([0, 0xAB]))], "bytea", #"{"\\x00ab"}"#),
        ]
        for (values, type, array) in lists {
            let printed = condition(.isInArray(a, values))
            #expect(printed.text == "\"a\" = ANY($1::\(type)[])")
            #expect(printed.values == [.string(array)])
        }
    }

    // MARK: Words

    @Test("Functions have the server's names; all remaining ones are those that the program computes")
    func functions() {
        let words: [(SQLExpression.Function, String)] = [
            (.count, "COUNT"), (.sum, "SUM"), (.min, "MIN"), (.max, "MAX"), (.average, "AVG"), (.abs, "ABS"),
            (.coalesce, "COALESCE"), (.greatest, "GREATEST"), (.truncate, "TRUNC"),
            (.historyTransaction, "coredata.transaction_number"), (.historyName, "coredata.history_name"),
            (.historyBound, "coredata.history_bound"), (.historyEnd, "coredata.history_end"),
            (.octets, "OCTET_LENGTH"), (.characters, "CHAR_LENGTH"), (.small, "LOWER"), (.place, "STRPOS"),
            (.ending, "RIGHT"),
        ]
        let (a, b) = (SQLExpression.column("a"), SQLExpression.column("b"))
        for (function, word) in words {
            #expect(condition(.function(function, [a, b])).text == "\(word)(\"a\", \"b\")")
        }
        let computed: [SQLExpression.Function] = [
            .lower, .upper, .length, .contains, .beginsWith, .endsWith, .like, .matches, .equalText, .canonical,
            .fold, .power, .squareRoot, .floor, .ceiling, .naturalLog, .log, .exponential, .random, .now,
            .tagExternal, .untagExternal,
        ]
        for function in computed {
            #expect(PostgreSQLDialect().name(of: function) == "coredata.\(function.rawValue)")
        }
        #expect(Set(computed) == PostgreSQLDialect.missingFunctions.subtracting([.truncate]))
        // The whole part of a number, for which SQLite has an operation on bits.
        let whole = SQLStatement.select(SQLSelect([.binary(.bitOr, a, .number(0))], of: "t"))
        #expect(text(whole.inWordsOfPostgreSQL) == "SELECT TRUNC(\"a\") FROM \"t\"")
    }

    @Test("Types of columns, and values as numbers, are printed")
    func types() {
        let words: [(SQLColumnType, String)] = [
            (.integer, "bigint"), (.mediumInteger, "integer"), (.smallInteger, "smallint"), (.boolean, "boolean"),
            (.float, "double precision"), (.real, "real"), (.timestamp, "timestamptz"), (.decimal, "numeric"),
            (.varchar, "text COLLATE \"C\""), (.identifier, "text COLLATE \"C\""), (.label, "text COLLATE \"C\""),
            (.blob, "bytea"), (.uuid, "uuid"),
        ]
        for (type, word) in words {
            #expect(
                text(.define(.addColumn(SQLColumn(name: "a b", type: type), table: "t")))
                    == "ALTER TABLE \"t\" ADD COLUMN \"a b\" \(word)")
        }
        for (type, word) in [(SQLColumnType.mediumInteger, "integer"), (.float, "double precision")] {
            #expect(condition(.cast(.column("a"), type)).text == "CAST(\"a\" AS \(word))")
        }
    }

    @Test(
        "Existing tables and columns are dropped and renamed; a table takes the foreign keys that lead to it along")
    func changesOfTables() {
        #expect(
            text(.define(.renameColumn("a", to: "b\"c", table: "t")))
                == "ALTER TABLE \"t\" RENAME COLUMN \"a\" TO \"b\"\"c\"")
        #expect(text(.define(.dropTable("t"))) == "DROP TABLE \"t\"")
        #expect(
            text(SQLStatement.define(.dropTable("t")).inWordsOfPostgreSQL)
                == "DO $body$ DECLARE key record; BEGIN FOR key IN SELECT c.conname, c.conrelid::regclass AS owner "
                + "FROM pg_constraint c WHERE c.contype = 'f' AND c.condeferred AND c.conname LIKE '%\\_fkey' "
                + "AND c.confrelid = '\"t\"'::regclass LOOP "
                + "EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', key.owner, key.conname); END LOOP; "
                + "DROP TABLE \"t\"; END$body$")
        #expect(
            text(.define(.changeType(SQLColumn(name: "n", type: .float), table: "t", from: "bigint")))
                == "ALTER TABLE \"t\" ALTER COLUMN \"n\" TYPE double precision USING \"n\"::double precision")
        #expect(text(.define(.dropView("v"))) == "DROP VIEW \"v\"")
    }

    // MARK: Many rows

    private func texts(_ statement: SQLStatement, _ types: [UInt32]) throws -> (String, givesPlaces: Bool) {
        let set = try #require(PostgreSQLSetStatement(statement))
        return (set.print(types: types).text, set.givesPlaces)
    }

    @Test("Arrays become the rows that an INSERT, an UPDATE or a DELETE is about")
    func rowsOfArrays() throws {
        var insert = SQLInsert(into: "t", ["Z_PK", "a"])
        let inserted =
            "INSERT INTO \"t\" (\"id\", \"a\") SELECT \"coredata_given\".\"p1\", \"coredata_given\".\"p2\" "
            + "FROM unnest($1::int8[], $2::text[]) WITH ORDINALITY AS coredata_given (\"p1\", \"p2\", \"place\")"
        let types = [PostgreSQLType.int8, PostgreSQLType.text]
        #expect(try texts(.insert(insert), types) == (inserted, false))
        insert.conflict = .keepsStored
        #expect(try texts(.insert(insert), types) == (inserted + " ON CONFLICT DO NOTHING", false))
        let update = SQLUpdate(
            "t", [.init("a", .parameter(1)), .init("n", .number(7))], where: .isUnchanged(key: 2))
        #expect(
            try texts(.update(update), [PostgreSQLType.bytea, PostgreSQLType.int8, PostgreSQLType.int4])
                == (
                    "UPDATE \"t\" SET \"a\" = \"coredata_given\".\"p1\", \"n\" = $4 "
                        + "FROM unnest($1::bytea[], $2::int8[], $3::int4[]) "
                        + "WITH ORDINALITY AS coredata_given (\"p1\", \"p2\", \"p3\", \"place\") "
                        + "WHERE ((\"id\" = \"coredata_given\".\"p2\") AND (\"version\" = \"coredata_given\".\"p3\")) "
                        + "RETURNING coredata_given.\"place\"", true
                ))
        // A value for which no store has a type is sent as text.
        #expect(
            try texts(RowWriter.update("t", ["a"]), [0, PostgreSQLType.int8])
                == (
                    "UPDATE \"t\" SET \"version\" = (COALESCE(\"version\", $3) + $4), \"a\" = \"coredata_given\".\"p1\" "
                        + "FROM unnest($1::text[], $2::int8[]) "
                        + "WITH ORDINALITY AS coredata_given (\"p1\", \"p2\", \"place\") WHERE (\"id\" = \"coredata_given\".\"p2\") "
                        + "RETURNING coredata_given.\"place\"", true
                ))
        #expect(
            try texts(.delete(SQLDelete(from: "t", where: .hasKey(parameter: 1))), [PostgreSQLType.int8])
                == (
                    "DELETE FROM \"t\" USING unnest($1::int8[]) WITH ORDINALITY AS coredata_given (\"p1\", \"place\") "
                        + "WHERE (\"id\" = \"coredata_given\".\"p1\") RETURNING coredata_given.\"place\"", true
                ))
    }

    @Test("A statement that cannot be made for many rows at once has no form for sets of rows")
    func rowsOneByOne() {
        let select = SQLSelect([key], of: "u")
        let other = SQLUpdate.From(source: .table("u"), alias: "u")
        let statements: [SQLStatement] = [
            .insert(SQLInsert(into: "t", ["Z_PK"], .select(select))),
            .insert(SQLInsert(into: "t", ["Z_PK"], conflict: .updates(key: ["Z_PK"], [.init("a", .null)]))),
            .insert(SQLInsert(into: "t", ["Z_PK"], .values([.scalar(select)]))),
            .update(SQLUpdate("t", [.init("a", .parameter(1))], from: other)),
            .update(SQLUpdate("t", [.init("a", .scalar(select))])),
            .delete(SQLDelete(from: "t", where: .isInParameter(key, 1))), .select(select),
            .define(.dropTable("t")),
        ]
        for statement in statements { #expect(PostgreSQLSetStatement(statement)?.givesPlaces == nil) }
    }
}
#endif
