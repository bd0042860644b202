/// A definition of a damaged file's: of a table, an index, a view or a trigger.
struct SalvageDefinition {
    let kind: String
    let name: String
    let root: Int
    let text: String
    /// Whether the name is written more than once. A table's is written three times, and one of them may be damaged.
    let isNameCertain: Bool

    /// Nil where a row of the table of definitions does not say enough.
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
