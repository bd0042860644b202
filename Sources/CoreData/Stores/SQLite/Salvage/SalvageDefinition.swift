/// A definition in a damaged file: of a table, an index, a view or a trigger.
struct SalvageDefinition {
    let kind: String
    let name: String
    let root: Int
    let text: String
    /// Whether two copies of the name agree. A table's name is stored three times, and one copy may be damaged.
    let isNameCertain: Bool

    /// Nil if a row of the schema table does not hold enough.
    init?(_ row: SalvagedRow) {
        guard let number = row[3].integer, let root = Int(exactly: number), let text = row[4].readableText
        else { return nil }
        let told = SQLiteConnection.tableName(inDefinition: text)
        let names = [row[1].text, row[2].text, told].compactMap { $0 }
        guard let kind = told == nil ? row[0].text : "table", let first = names.first else { return nil }
        let common = names.first { name in names.count { $0 == name } > 1 }
        self.kind = kind
        self.root = root
        self.text = text
        isNameCertain = common != nil
        name = kind == "table" ? common ?? first : first
    }
}
