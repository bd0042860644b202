import Testing

@testable import CoreData

// The text of each kind of statement: what a second dialect has to say in its own words.
@Suite("Statements of SQL as text")
struct StatementPrintingTests {
    private func printed(_ statement: SQLStatement) -> SQLPrinter {
        SQLPrinter.print(statement, in: SQLiteDialect())
    }

    private let key = SQLExpression.column(SQLSchema.keyColumn)

    @Test("An INSERT takes parameters, values or what a SELECT gives, and says what becomes of a key that is there")
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

    @Test("A SELECT reads tables, other SELECTs, or nothing")
    func selections() {
        #expect(
            printed(SQLBookkeeping.Keys.highestKey(in: "ZBOOK")).text
                == "SELECT MAX(COALESCE((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE (Z_ENT = ?1)), ?2), "
                + "COALESCE((SELECT MAX(Z_PK) FROM ZBOOK), ?3))")
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
}
