import Foundation

// Reads the tables of a file that another program has made.
extension DatabaseTables {
    /// Reads the tables and views of a database in a file. Nothing is written.
    package init(ofFileAt url: URL) throws {
        self.init()
        do {
            try read(url)
        } catch let error as SQLiteError {
            throw error.nsError(doing: .reading)
        }
    }

    private mutating func read(_ url: URL) throws {
        let connection = try SQLiteConnection(path: url.path, access: .readOnly, busyTimeout: 2)
        // The tables in which a module keeps the rows of a virtual one have the type 'shadow'.
        let names = try connection.prepare(
            "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'view', 'virtual') "
                + "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name")
        while try names.step() {
            var table = Table(name: names.string(0), isView: names.string(1) == "view")
            table.isVirtual = names.string(1) == "virtual"
            tables.append(table)
        }
        // The module of a virtual table may be missing here.
        for place in tables.indices where !tables[place].isVirtual {
            try Self.readColumns(of: &tables[place], connection)
            try Self.readForeignKeys(of: &tables[place], connection)
            try Self.readIndexes(of: &tables[place], connection)
        }
    }

    private static func readColumns(of table: inout Table, _ connection: SQLiteConnection) throws {
        let columns = try connection.prepare(
            "SELECT name, type, \"notnull\", dflt_value, hidden, pk FROM pragma_table_xinfo(?)")
        columns.bind(1, table.name)
        var key: [(place: Int64, name: String)] = []
        while try columns.step() {
            let name = columns.string(0)
            // The hidden columns 2 and 3 are generated.
            table.columns.append(
                Column(
                    name: name, type: columns.string(1).lowercased(),
                    isMandatory: columns.int64(2) != 0 || columns.int64(5) != 0,
                    defaultText: columns.isNull(3) ? nil : columns.string(3), isGenerated: columns.int64(4) > 1))
            if columns.int64(5) > 0 { key.append((columns.int64(5), name)) }
        }
        table.primaryKey = key.sorted { $0.place < $1.place }.map(\.name)
    }

    private static func readForeignKeys(of table: inout Table, _ connection: SQLiteConnection) throws {
        let keys = try connection.prepare(
            "SELECT id, \"from\", \"table\", \"to\", on_delete FROM pragma_foreign_key_list(?) ORDER BY id, seq")
        keys.bind(1, table.name)
        var read: [(id: Int64, key: ForeignKey)] = []
        while try keys.step() {
            let (id, column) = (keys.int64(0), keys.string(1))
            let target = keys.isNull(3) ? [] : [keys.string(3)]
            if let last = read.last, last.id == id {
                read[read.count - 1].key = ForeignKey(
                    columns: last.key.columns + [column], table: last.key.table, targets: last.key.targets + target,
                    action: last.key.action)
                continue
            }
            let action: ForeignKey.Action =
                switch keys.string(4) {
                case "CASCADE": .cascade
                case "SET NULL": .setNull
                case "SET DEFAULT": .setDefault
                case "RESTRICT": .restrict
                default: .noAction
                }
            read.append(
                (id, ForeignKey(columns: [column], table: keys.string(2), targets: target, action: action)))
        }
        table.foreignKeys = read.map(\.key)
    }

    private static func readIndexes(of table: inout Table, _ connection: SQLiteConnection) throws {
        let list = try connection.prepare(
            "SELECT name, \"unique\", partial FROM pragma_index_list(?) WHERE origin <> 'pk' ORDER BY name")
        list.bind(1, table.name)
        while try list.step() {
            let columns = try connection.prepare(
                "SELECT name, \"desc\" FROM pragma_index_xinfo(?) WHERE key = 1 ORDER BY seqno")
            columns.bind(1, list.string(0))
            var found: [(name: String, isDescending: Bool)] = []
            var hasExpression = false
            while try columns.step() {
                if columns.isNull(0) { hasExpression = true }
                found.append((columns.string(0), columns.int64(1) != 0))
            }
            table.indexes.append(
                Index(
                    name: list.string(0), columns: found, isUnique: list.int64(1) != 0,
                    isPartial: hasExpression || list.int64(2) != 0))
        }
    }
}
