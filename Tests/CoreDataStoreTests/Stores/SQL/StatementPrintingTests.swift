import Foundation
import Testing

@testable import CoreData

// The text of each kind of statement: a second dialect has to print all of them in its own words.
@Suite("Statements of SQL as text")
struct StatementPrintingTests {
    private func printed(_ statement: SQLStatement) -> SQLPrinter {
        SQLPrinter.print(statement, in: SQLiteDialect())
    }

    private let key = SQLExpression.column(SQLSchema.keyColumn)

    @Test("An INSERT takes parameters, values or the rows of a SELECT, and says how to treat a key that is there")
    func insertions() {
        let plain = printed(.insert(SQLInsert(into: "ZBOOK", ["Z_PK", "ZTITLE"])))
        #expect(plain.text == "INSERT INTO ZBOOK (Z_PK, ZTITLE) VALUES (?1, ?2)")
        #expect(plain.parameterCount == 2 && plain.values.isEmpty)
        let kept = printed(
            .insert(
                SQLInsert(into: "Z_1TAGS", ["A", "B"], .values([.number(7), .parameter(1)]), conflict: .keepsStored)))
        #expect(kept.text == "INSERT OR IGNORE INTO Z_1TAGS (A, B) VALUES (?2, ?1)")
        #expect(kept.values == [.int(7)])
        let copied = printed(
            .insert(
                SQLInsert(
                    into: "NEW", ["Z_PK"], .select(SQLSelect([key], of: "OLD", orderedBy: [key])),
                    conflict: .replaces(key: ["Z_PK"]))))
        #expect(copied.text == "INSERT OR REPLACE INTO NEW (Z_PK) SELECT Z_PK FROM OLD ORDER BY Z_PK")
    }

    @Test("The columns of a list are printed as single ones are, each time")
    func columnLists() {
        let list = SQLColumnList(alias: "t0", names: [SQLSchema.keyColumn, "two words"])
        let select = SQLSelect(results: [.init(expression: .columns(list))], table: "ZBOOK", alias: "t0")
        for _ in 0..<2 {
            #expect(printed(.select(select)).text == "SELECT t0.Z_PK, t0.\"two words\" FROM ZBOOK t0")
        }
    }

    @Test("An UPDATE sets columns, for a condition or for the rows of another source")
    func updates() {
        let one = printed(
            .update(SQLUpdate("ZBOOK", [.init("ZTITLE", .parameter(1))], where: .isUnchanged(key: 2))))
        #expect(one.text == "UPDATE ZBOOK SET ZTITLE = ?1 WHERE ((Z_PK = ?2) AND (Z_OPT = ?3))")
        let raised = printed(RowWriter.update("ZBOOK", ["ZTITLE"]))
        #expect(raised.text == "UPDATE ZBOOK SET Z_OPT = (COALESCE(Z_OPT, ?3) + ?4), ZTITLE = ?1 WHERE (Z_PK = ?2)")
        #expect(raised.values == [.int(0), .int(1)])
        let filled = printed(
            .update(
                SQLUpdate(
                    "ZBOOK", [.init("ZOWNER", .column(alias: "owner", name: "Z_PK"))],
                    from: .init(source: .table("ZPERSON"), alias: "owner"),
                    where: .binary(
                        .equal, .column(alias: "owner", name: "ZBOOK"), .column(alias: "ZBOOK", name: "Z_PK")))))
        #expect(
            filled.text
                == "UPDATE ZBOOK SET ZOWNER = owner.Z_PK FROM ZPERSON owner WHERE (owner.ZBOOK = ZBOOK.Z_PK)")
    }

    @Test("A DELETE takes a list of keys as one parameter")
    func deletions() {
        #expect(
            printed(.delete(SQLDelete(from: "ZBOOK", where: .isInParameter(key, 1)))).text
                == "DELETE FROM ZBOOK WHERE Z_PK IN (SELECT value FROM json_each(?1))")
        #expect(printed(.delete(SQLDelete(from: "ZBOOK"))).text == "DELETE FROM ZBOOK")
    }

    @Test("A list of parameters has numbers only where they are not the next ones")
    func listsOfParameters() {
        func text(_ condition: SQLExpression) -> String {
            printed(.delete(SQLDelete(from: "ZBOOK", where: condition))).text
        }
        let list = SQLExpression.isIn(key, [.parameter(1), .parameter(2)])
        #expect(text(list) == "DELETE FROM ZBOOK WHERE Z_PK IN (?, ?)")
        #expect(
            text(.and([.binary(.equal, key, .parameter(1)), .isIn(key, [.parameter(2), .parameter(3)])]))
                == "DELETE FROM ZBOOK WHERE ((Z_PK = ?1) AND Z_PK IN (?, ?))")
        #expect(
            text(.and([.binary(.equal, key, .parameter(2)), .isIn(key, [.parameter(1), .parameter(3)])]))
                == "DELETE FROM ZBOOK WHERE ((Z_PK = ?2) AND Z_PK IN (?1, ?3))")
        // Values stand behind all parameters.
        #expect(
            text(.and([.binary(.equal, key, .number(7)), list]))
                == "DELETE FROM ZBOOK WHERE ((Z_PK = ?3) AND Z_PK IN (?1, ?2))")
    }

    @Test("The row that is changed or deleted has a name where other rows have columns of the same names")
    func aliases() {
        let title = SQLExpression.column(alias: "t0", name: "ZTITLE")
        let others = SQLSelect(
            [.column(SQLSchema.keyColumn)], of: "ZBOOK", as: "t1",
            where: .binary(.less, .column(alias: "t1", name: "ZTITLE"), title))
        #expect(
            printed(.update(SQLUpdate("ZBOOK", as: "t0", [.init("ZTITLE", title)], where: .exists(others)))).text
                == "UPDATE ZBOOK AS t0 SET ZTITLE = t0.ZTITLE "
                + "WHERE EXISTS (SELECT Z_PK FROM ZBOOK t1 WHERE (t1.ZTITLE < t0.ZTITLE))")
        #expect(
            printed(.delete(SQLDelete(from: "ZBOOK", as: "t0", where: .isNull(title)))).text
                == "DELETE FROM ZBOOK AS t0 WHERE t0.ZTITLE IS NULL")
        #expect(
            printed(.delete(SQLDelete(from: "ZBOOK", as: "t0", where: .alwaysTrue))).text == "DELETE FROM ZBOOK AS t0")
    }

    @Test("A SELECT reads tables, other SELECTs, or nothing")
    func selections() {
        #expect(
            printed(SQLBookkeeping.Keys.highestKey(in: "ZBOOK")).text
                == "SELECT MAX(COALESCE((SELECT (Z_MAX + ?2) FROM Z_PRIMARYKEY WHERE (Z_ENT = ?1)), ?3), "
                + "COALESCE((SELECT MAX(Z_PK) FROM ZBOOK), ?4))")
        let both = SQLSelect(
            results: [.init(expression: .countAll)],
            from: .unionAll([SQLSelect([key], of: "A"), SQLSelect([key], of: "B")]), alias: "u")
        #expect(
            printed(.select(both)).text
                == "SELECT COUNT(*) FROM (SELECT Z_PK FROM A UNION ALL SELECT Z_PK FROM B) u")
        let numbered = SQLSelect(
            [.rowNumber(partition: [.column("ZOWNER")], order: [.init(expression: key, putsNullsLast: true)])], of: "A")
        #expect(
            printed(.select(numbered)).text
                == "SELECT ROW_NUMBER() OVER (PARTITION BY ZOWNER ORDER BY Z_PK NULLS LAST) FROM A")
    }

    @Test("A prefix is a range, a long list one value, and a name that is no plain word has quotes")
    func wordsOfTheDialect() {
        var select = SQLSelect([key], of: "Z TABLE", where: .hasPrefix(.column("ZTITLE"), "Ab"))
        let prefixed = printed(.select(select))
        #expect(prefixed.text == "SELECT Z_PK FROM \"Z TABLE\" WHERE ((ZTITLE >= ?) AND (ZTITLE < ?))")
        #expect(prefixed.values == [.string("Ab"), .string("Ab\u{10FFFF}\u{10FFFF}")])
        select = SQLSelect([key], of: "ZBOOK", where: .isInArray(key, [.int(3), .int(-1)]))
        #expect(printed(.select(select)).values == [.string("[3,-1]")])
        select.condition = .isInArray(key, [.string("a\"b")])
        #expect(printed(.select(select)).values == [.string(#"["a\"b"]"#)])
        select.condition = nil
        select.offset = 2
        #expect(printed(.select(select)).text == "SELECT Z_PK FROM ZBOOK LIMIT ? OFFSET ?")
    }

    @Test("Tables are defined as Core Data's files have them, those of bookkeeping without blanks")
    func definitions() {
        #expect(
            SQLDefinition.createTable(SQLBookkeeping.Keys.definition).text
                == "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)"
        )
        #expect(
            SQLDefinition.createTable(SQLBookkeeping.Metadata.definition).text
                == "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)")
        let table = SQLTable(name: "ZB", columns: [SQLColumn(name: "Z_PK", type: .integer, isPrimaryKey: true)])
        #expect(
            SQLDefinition.createTable(table, unlessThere: true).text
                == "CREATE TABLE IF NOT EXISTS ZB ( Z_PK INTEGER PRIMARY KEY )")
        #expect(
            SQLDefinition.addColumn(SQLColumn(name: "ZA B", type: .varchar), table: "ZB").text
                == "ALTER TABLE ZB ADD COLUMN \"ZA B\" VARCHAR")
        #expect(
            SQLDefinition.renameColumn("ZA", to: "ZB", table: "ZC").text == "ALTER TABLE ZC RENAME COLUMN ZA TO ZB")
    }

    @Test("A row that is there already is changed, where a statement says so")
    func upserts() {
        let upsert = printed(
            .insert(
                SQLInsert(
                    into: "ZC", ["Z_PK", "ZN"],
                    conflict: .updates(key: ["Z_PK"], [.init("ZN", .column(alias: "excluded", name: "ZN"))]))))
        #expect(
            upsert.text
                == "INSERT INTO ZC (Z_PK, ZN) VALUES (?1, ?2) ON CONFLICT (Z_PK) DO UPDATE SET ZN = excluded.ZN")
    }

    @Test("Tables have composite keys, and rows that lie in their order")
    func tablesOfPairs() {
        var table = SQLTable(
            name: "Z_1TAGS",
            columns: [SQLColumn(name: "Z_1A", type: .integer), SQLColumn(name: "Z_2B", type: .integer)],
            compositeKey: ["Z_1A", "Z_2B"])
        let columns = "CREATE TABLE Z_1TAGS ( Z_1A INTEGER, Z_2B INTEGER, PRIMARY KEY (Z_1A, Z_2B) )"
        #expect(SQLDefinition.createTable(table).text == columns)
        table.liesInKeyOrder = true
        #expect(SQLDefinition.createTable(table).text == columns + " WITHOUT ROWID")
        let types: [SQLColumnType] = [.integer, .float, .timestamp, .decimal, .varchar, .blob, .identifier]
        #expect(
            types.map { SQLiteDialect().name(of: $0) }
                == ["INTEGER", "FLOAT", "TIMESTAMP", "DECIMAL", "VARCHAR", "BLOB", "VARCHAR(255)"])
    }

    @Test("Indexes have directions, may be unique, and hold rows of a condition with its values in the text")
    func indexes() {
        var index = SQLIndex(
            name: "Z_Book_byTitle", table: "ZBOOK",
            columns: [.init(name: "ZTITLE", direction: .ascending), .init(name: "ZPAGES", direction: .descending)])
        #expect(
            SQLDefinition.createIndex(index).text
                == "CREATE INDEX Z_Book_byTitle ON ZBOOK (ZTITLE COLLATE BINARY ASC, ZPAGES COLLATE BINARY DESC)")
        index.columns = [.init(name: "ZSHELF")]
        index.isUnique = true
        #expect(
            SQLDefinition.createIndex(index, unlessThere: true).text
                == "CREATE UNIQUE INDEX IF NOT EXISTS Z_Book_byTitle ON ZBOOK (ZSHELF)")
        index.isUnique = false
        index.condition = .and([
            .binary(.equal, .column("ZTITLE"), .value(.string("it's"))), .isNotNull(.column("ZSHELF")),
            .binary(.less, .column("ZPRICE"), .value(.double(1.5))),
            .binary(.notEqual, .column("ZCOVER"), .value(.data(Data([0, 0xAB])))),
        ])
        #expect(
            SQLDefinition.createIndex(index).text
                == "CREATE INDEX Z_Book_byTitle ON ZBOOK (ZSHELF) WHERE ((ZTITLE = 'it''s') AND ZSHELF IS NOT NULL "
                + "AND (ZPRICE < 1.5) AND (ZCOVER <> X'00ab'))")
    }

    @Test("Existing tables are dropped and renamed, and may be defined again as the database has described them")
    func changesOfTables() {
        #expect(SQLDefinition.dropTable("ZBOOK").text == "DROP TABLE ZBOOK")
        #expect(SQLDefinition.dropIndex("ZBOOK_INDEX").text == "DROP INDEX ZBOOK_INDEX")
        #expect(SQLDefinition.dropTrigger("by hand").text == "DROP TRIGGER \"by hand\"")
        #expect(SQLDefinition.dropView("ZVIEW").text == "DROP VIEW ZVIEW")
        #expect(SQLDefinition.renameTable("ZBOOK", to: "ZOLD BOOK").text == "ALTER TABLE ZBOOK RENAME TO \"ZOLD BOOK\"")
        #expect(SQLDefinition.dropColumn("ZTITLE", table: "ZBOOK").text == "ALTER TABLE ZBOOK DROP COLUMN ZTITLE")
        #expect(
            SQLDefinition.changeType(SQLColumn(name: "ZN", type: .float), table: "ZB", from: "INTEGER").text
                == "ALTER TABLE ZB ALTER COLUMN ZN TYPE FLOAT")
        #expect(SQLDefinition.asFound("CREATE VIEW v AS SELECT 1").text == "CREATE VIEW v AS SELECT 1")
    }

    private func condition(_ expression: SQLExpression) -> String {
        let text = printed(.select(SQLSelect([key], of: "T", where: expression))).text
        return String(text.dropFirst("SELECT Z_PK FROM T WHERE ".count))
    }

    @Test("Conditions are printed: lists, ranges, choices, missing values, other SELECTs")
    func conditions() {
        let (a, b) = (SQLExpression.column("A"), SQLExpression.column("B"))
        #expect(condition(.isIn(a, [.number(1), .number(2), .null])) == "A IN (?, ?, NULL)")
        #expect(condition(.between(a, .number(1), b)) == "(A BETWEEN ? AND B)")
        #expect(
            condition(.binary(.equal, .choice(.isNull(a), .number(0), a), .number(1)))
                == "(CASE WHEN A IS NULL THEN ? ELSE A END = ?)")
        #expect(condition(.not(.isNotNull(a))) == "NOT (A IS NOT NULL)")
        #expect(condition(.and([.alwaysTrue, .alwaysFalse])) == "(1 AND 0)")
        #expect(condition(.or([a, .and([b, a])])) == "(A OR (B AND A))")
        let inner = SQLSelect([b], of: "U")
        #expect(condition(.isInSelect(.row([a, b]), inner)) == "(A, B) IN (SELECT B FROM U)")
        #expect(condition(.not(.exists(inner))) == "NOT (EXISTS (SELECT B FROM U))")
        #expect(condition(.binary(.greater, .scalar(inner), a)) == "((SELECT B FROM U) > A)")
        // A database ends the texts of a list at U+0000.
        #expect(condition(.isInArray(a, [.string("x\u{0}"), .string("y")])) == "A IN (?, ?)")
        let many = condition(.or(Array(repeating: a, count: 33)))
        #expect(many == "((" + Array(repeating: "A", count: 32).joined(separator: " OR ") + ") OR A)")
    }

    @Test("Operators stand between their operands, in parentheses")
    func operators() {
        let (a, b) = (SQLExpression.column("A"), SQLExpression.column("B"))
        let words: [(SQLExpression.Operator, String)] = [
            (.equal, "="), (.notEqual, "<>"), (.same, "IS"), (.notSame, "IS NOT"), (.less, "<"), (.lessOrEqual, "<="),
            (.greater, ">"), (.greaterOrEqual, ">="), (.add, "+"), (.subtract, "-"), (.multiply, "*"), (.divide, "/"),
            (.modulo, "%"), (.bitAnd, "&"), (.bitOr, "|"), (.shiftLeft, "<<"), (.shiftRight, ">>"),
        ]
        for (op, word) in words { #expect(condition(.binary(op, a, b)) == "(A \(word) B)") }
        // An operator that is read from the left needs no parentheses within.
        #expect(condition(.binary(.subtract, .binary(.subtract, a, b), a)) == "(A - B - A)")
        #expect(condition(.binary(.subtract, a, .binary(.subtract, b, a))) == "(A - (B - A))")
        #expect(condition(.complement(a)) == "~(A)")
    }

    @Test("A SELECT joins, groups, orders and limits; functions may take each value once")
    func partsOfSelections() {
        var select = SQLSelect(
            results: [
                .init(expression: .column(alias: "t0", name: "ZA"), name: "first name"),
                .init(expression: .function(.count, [.column(alias: "t1", name: "ZB")], distinct: true)),
            ], table: "ZA", alias: "t0",
            joins: [
                .init(table: "ZB", alias: "t1", on: .column(alias: "t1", name: "ZOK")),
                .init(table: "ZC", alias: "t2", on: .column(alias: "t2", name: "ZOK"), isLeft: false),
            ], condition: .alwaysTrue, limit: 3)
        select.isDistinct = true
        select.groupBy = [.column(alias: "t0", name: "ZA"), .column(alias: "t2", name: "ZD")]
        select.having = .binary(.greater, .countAll, .number(1))
        select.offset = 4
        select.order = [
            .init(expression: .column("A"), isAscending: false),
            .init(expression: .column("B"), collation: .caseInsensitive),
            .init(expression: .column("C"), isAscending: false, collation: .localizedStandard, putsNullsLast: true),
            .init(expression: .column("D"), collation: .localized),
            .init(expression: .column("E"), collation: .localizedCaseInsensitive, putsNullsLast: true),
        ]
        let text = printed(.select(select)).text
        #expect(
            text
                == "SELECT DISTINCT t0.ZA AS \"first name\", COUNT(DISTINCT t1.ZB) FROM ZA t0 "
                + "LEFT OUTER JOIN ZB t1 ON t1.ZOK JOIN ZC t2 ON t2.ZOK GROUP BY t0.ZA, t2.ZD HAVING (COUNT(*) > ?) "
                + "ORDER BY A DESC, B COLLATE OCD_NOCASE, C COLLATE OCD_LOCALIZED_STANDARD DESC, "
                + "D COLLATE OCD_LOCALIZED, E COLLATE OCD_LOCALIZED_NOCASE NULLS LAST LIMIT ? OFFSET ?")
        #expect(printed(.select(SQLSelect(results: [.init(expression: .null)], from: .nothing))).text == "SELECT NULL")
        let nested = SQLSelect(results: [.init(expression: .allColumns)], from: .select(SQLSelect([key], of: "T")))
        #expect(printed(.select(nested)).text == "SELECT * FROM (SELECT Z_PK FROM T)")
        let quoted = SQLSelect([.column(alias: "Z OLD", name: "A")], of: "T", as: "Z OLD")
        #expect(printed(.select(quoted)).text == "SELECT \"Z OLD\".A FROM T \"Z OLD\"")
    }

    @Test("Groups that need more than an index holds are made from the rows as they lie, unless the first ones suffice")
    func groups() {
        let group = SQLExpression.column(alias: "t0", name: "ZAUTHOR")
        let price = SQLExpression.column(alias: "t0", name: "ZPRICE")
        func text(_ results: [SQLExpression], having: SQLExpression? = nil, limit: Int? = nil) -> String {
            var select = SQLSelect(results, of: "ZBOOK", as: "t0", limit: limit)
            select.groupBy = [group]
            select.having = having
            return printed(.select(select)).text
        }
        let average = SQLExpression.function(.average, [price])
        let rows = "SELECT t0.ZAUTHOR, AVG(t0.ZPRICE) FROM ZBOOK t0 GROUP BY"
        #expect(text([group, average]) == "\(rows) +t0.ZAUTHOR")
        #expect(text([group, average], limit: 3) == "\(rows) t0.ZAUTHOR LIMIT ?")
        let counted = "SELECT t0.ZAUTHOR, COUNT(*) FROM ZBOOK t0 GROUP BY"
        #expect(text([group, .countAll]) == "\(counted) t0.ZAUTHOR")
        #expect(
            text([group, .countAll], having: .binary(.greater, average, .number(2)))
                == "\(counted) +t0.ZAUTHOR HAVING (AVG(t0.ZPRICE) > ?)")
    }

    @Test("An INSERT of the rows of a SELECT says how to treat a key that is there, too")
    func copies() {
        let old = SQLSelect([key, .column("ZA")], of: "OLD", orderedBy: [key])
        var insert = SQLInsert(into: "NEW", ["Z_PK", "ZA"], .select(old), conflict: .keepsStored)
        #expect(
            printed(.insert(insert)).text
                == "INSERT OR IGNORE INTO NEW (Z_PK, ZA) SELECT Z_PK, ZA FROM OLD ORDER BY Z_PK")
        insert.conflict = .updates(key: ["Z_PK"], [.init("ZA", .column(alias: "excluded", name: "ZA"))])
        #expect(
            printed(.insert(insert)).text
                == "INSERT INTO NEW (Z_PK, ZA) SELECT Z_PK, ZA FROM OLD ORDER BY Z_PK "
                + "ON CONFLICT (Z_PK) DO UPDATE SET ZA = excluded.ZA")
    }

    @Test("An UPDATE takes values from other SELECTs, of which several may be one source")
    func updatesFromSelections() {
        let parts = [SQLSelect([key, .column("ZA")], of: "A"), SQLSelect([key, .column("ZA")], of: "B")]
        func update(_ source: SQLSource) -> String {
            printed(
                .update(
                    SQLUpdate(
                        "ZBOOK", [.init("ZA", .column(alias: "s", name: "ZA")), .init("ZN", .number(1))],
                        from: .init(source: source, alias: "s"),
                        where: .binary(.equal, .column(alias: "s", name: "Z_PK"), .column(alias: "ZBOOK", name: "Z_PK"))
                    ))
            ).text
        }
        let (begin, end) = ("UPDATE ZBOOK SET ZA = s.ZA, ZN = ? FROM (", ") s WHERE (s.Z_PK = ZBOOK.Z_PK)")
        #expect(update(.select(parts[0])) == begin + "SELECT Z_PK, ZA FROM A" + end)
        #expect(
            update(.unionAll(parts)) == begin + "SELECT Z_PK, ZA FROM A UNION ALL SELECT Z_PK, ZA FROM B" + end)
        let rows = SQLSelect(results: [.init(expression: .countAll)], from: .unionAll(parts))
        #expect(
            printed(.select(rows)).text
                == "SELECT COUNT(*) FROM (SELECT Z_PK, ZA FROM A UNION ALL SELECT Z_PK, ZA FROM B)")
    }

    @Test("A trigger of a connection's own has its statements in it, with their values in the text")
    func triggers() {
        let isHeld: [SQLExpression] = [
            .isIn(.afterChange("Z_ENT"), [.number(1), .number(2)]), .isNotNull(.afterChange("ZX")),
        ]
        let values = SQLSelect(
            results: [.afterChange("Z_PK"), .afterChange("ZX")].map { .init(expression: $0) }, from: .nothing,
            condition: .and(isHeld))
        let statements: [SQLStatement] = [
            .delete(SQLDelete(from: "R", where: .binary(.equal, .column("id"), .beforeChange("Z_PK")))),
            .insert(SQLInsert(into: "R", ["id", "x"], .select(values), conflict: .replaces(key: ["id"]))),
        ]
        func text(_ event: SQLTrigger.Event, _ statements: [SQLStatement]) -> String {
            let trigger = SQLTrigger(name: "T", table: "ZPLACE", event: event, statements: statements)
            let printed = printed(.define(.createTrigger(trigger)))
            #expect(printed.values.isEmpty)
            return printed.text
        }
        let deletion = "DELETE FROM R WHERE (id = OLD.Z_PK); "
        #expect(
            text(.update(of: ["Z_ENT", "ZX"]), statements)
                == "CREATE TEMP TRIGGER T AFTER UPDATE OF Z_ENT, ZX ON main.ZPLACE BEGIN \(deletion)"
                + "INSERT OR REPLACE INTO R (id, x) SELECT NEW.Z_PK, NEW.ZX "
                + "WHERE (NEW.Z_ENT IN (1, 2) AND NEW.ZX IS NOT NULL); END")
        #expect(
            text(.deletion, [statements[0]])
                == "CREATE TEMP TRIGGER T AFTER DELETE ON main.ZPLACE BEGIN \(deletion)END")
        #expect(text(.insertion, []) == "CREATE TEMP TRIGGER T AFTER INSERT ON main.ZPLACE BEGIN END")
    }

    @Test("Rows are numbered within several columns, in an order by several")
    func rowNumbers() {
        let number = SQLExpression.rowNumber(
            partition: [.column("ZOWNER"), .column("ZKIND")],
            order: [
                .init(expression: .column("ZA"), putsNullsLast: true),
                .init(expression: .column("ZB"), isAscending: false, collation: .localized),
                .init(expression: key, isNeverMissing: true),
            ])
        #expect(
            printed(.select(SQLSelect([number], of: "T"))).text
                == "SELECT ROW_NUMBER() OVER (PARTITION BY ZOWNER, ZKIND ORDER BY ZA NULLS LAST, "
                + "ZB COLLATE OCD_LOCALIZED DESC, Z_PK) FROM T")
    }

    @Test("Functions have SQLite's names, or those that the framework registers; a value may be read as another type")
    func functions() {
        let words: [(SQLExpression.Function, String)] = [
            (.count, "COUNT"), (.sum, "SUM"), (.min, "MIN"), (.max, "MAX"), (.average, "AVG"), (.lower, "OCD_LOWER"),
            (.upper, "OCD_UPPER"), (.length, "LENGTH"), (.abs, "ABS"), (.contains, "OCD_CONTAINS"),
            (.beginsWith, "OCD_BEGINS"), (.endsWith, "OCD_ENDS"), (.like, "OCD_LIKE"), (.matches, "OCD_MATCHES"),
            (.equalText, "OCD_EQUAL"), (.canonical, "OCD_CANONICAL"), (.fold, "OCD_FOLD"), (.power, "OCD_POWER"),
            (.squareRoot, "OCD_SQRT"), (.floor, "OCD_FLOOR"), (.ceiling, "OCD_CEILING"), (.truncate, "OCD_TRUNC"),
            (.naturalLog, "OCD_LN"), (.log, "OCD_LOG"), (.exponential, "OCD_EXP"), (.random, "OCD_RANDOM"),
            (.now, "OCD_NOW"), (.coalesce, "COALESCE"), (.greatest, "MAX"), (.tagExternal, "OCD_TAG"),
            (.untagExternal, "OCD_UNTAG"), (.historyTransaction, "OCD_HISTORY"), (.historyName, "OCD_HISTORY"),
            (.historyBound, "OCD_HISTORY"), (.historyEnd, "OCD_HISTORY"), (.octets, "OCD_PLAIN"),
            (.characters, "OCD_PLAIN"), (.small, "OCD_PLAIN"), (.place, "OCD_PLAIN"), (.ending, "OCD_PLAIN"),
        ]
        let (a, b) = (SQLExpression.column("A"), SQLExpression.column("B"))
        for (function, word) in words { #expect(condition(.function(function, [a, b])) == "\(word)(A, B)") }
        #expect(condition(.function(.now, [])) == "OCD_NOW()")
        #expect(
            condition(.binary(.less, .cast(a, .float), .cast(.null, .integer)))
                == "(CAST(A AS FLOAT) < CAST(NULL AS INTEGER))")
    }
}
