#if PostgreSQL
import CoreData

extension MigrationForecast.Lock {
    /// The seconds for which a short transaction holds a lock.
    private static let short = 0.01

    /// The lock on a table of the store by which a definition keeps other sessions out, or keeps them from writing. It
    /// lasts as long as its short transaction.
    init?(ofShortDefinition text: String) {
        let word = text.prefix { $0 != "\n" }
        let mark: String
        var isExclusive = true
        if word.hasPrefix("ALTER TABLE ") {
            // These let other sessions read and write.
            if word.contains(" VALIDATE CONSTRAINT ") { return nil }
            mark = "ALTER TABLE "
            isExclusive = !word.contains(" FOREIGN KEY ")
        } else if word.hasPrefix("DROP TABLE ") {
            mark = "DROP TABLE "
        } else if word.hasPrefix("DROP TRIGGER ") {
            mark = " ON "
        } else if word.hasPrefix("CREATE"), word.contains(" TRIGGER ") {
            mark = " ON "
            isExclusive = false
        } else {
            return nil
        }
        guard let start = text.range(of: mark)?.upperBound else { return nil }
        let name = Self.name(at: text[start...])
        if name.isEmpty { return nil }
        self.init(tables: [name], isExclusive: isExclusive, seconds: Self.short)
    }

    /// The name that a text begins with, without its quotes.
    private static func name(at text: Substring) -> String {
        let text = text.hasPrefix("IF EXISTS ") ? text.dropFirst(10) : text
        guard text.first == "\"" else { return String(text.prefix { $0 != " " && $0 != ";" }) }
        return String(text.dropFirst().prefix { $0 != "\"" })
    }
}
#endif
