/// The names of tables, columns and indexes that names of the model get, and the names that are taken.
///
/// Names that Core Data's own files hold stay as they are. Only names that SQL could not take are changed: characters
/// that no plain word has become underscores, and a name that is taken gets a number.
package struct SQLNames {
    private var taken: Set<String> = []
    private let fitting: @Sendable (String) -> String

    /// - Parameter fitting: shortens a name that is too long for the database.
    package init(fitting: @escaping @Sendable (String) -> String = { $0 }) { self.fitting = fitting }

    /// A name as a plain word: letters and digits of ASCII, everything beyond ASCII, underscores and dollar signs.
    package static func word(_ name: String) -> String {
        if name.utf8.allSatisfy(isPlain) { return name }
        return String(decoding: name.utf8.map { isPlain($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
    }

    /// The name of a property or an entity as it stands in those of columns and tables.
    package static func upper(_ name: String) -> String { word(name.uppercased()) }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "_"), UInt8(ascii: "$"), 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
        default: false
        }
    }

    /// SQLite tells names apart without regard to the case of ASCII letters.
    private static func key(_ name: String) -> String {
        String(decoding: name.utf8.map { (0x61...0x7A).contains($0) ? $0 - 32 : $0 }, as: UTF8.self)
    }

    /// Whether nobody can have the name any more.
    package func isTaken(_ name: String) -> Bool { taken.contains(Self.key(name)) }

    /// Takes a name.
    package mutating func take(_ name: String) { taken.insert(Self.key(name)) }

    /// Takes a name, with the first number behind it that makes it one of its own, and gives it.
    package mutating func own(_ name: String) -> String {
        var candidate = fitting(name)
        var count = 0
        while isTaken(candidate) {
            count += 1
            candidate = fitting("\(name)\(count)")
        }
        take(candidate)
        return candidate
    }

    /// Tables that every store has, or that a migration makes for a moment.
    package static func isReserved(_ table: String) -> Bool {
        ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "Z_MIGRATED"].contains(table) || table.hasPrefix("Z__MIGRATION")
    }

    /// The table of every root entity by its name, in the order given.
    ///
    /// An entity that has a name alone keeps it. Of entities that would share one (`item` and `Item`) the first does,
    /// unless it is reserved; the others get numbers.
    package static func tables(ofRoots roots: [String]) -> (byRoot: [String: String], names: SQLNames) {
        let wanted = roots.map { "Z" + upper($0) }
        let users = Dictionary(wanted.map { ($0, 1) }, uniquingKeysWith: +)
        var names = SQLNames()
        var result: [String: String] = [:]
        for (root, table) in zip(roots, wanted) where users[table] == 1 && !isReserved(table) {
            names.take(table)
            result[root] = table
        }
        for (root, table) in zip(roots, wanted) where result[root] == nil {
            if isReserved(table) { names.take(table) }
            result[root] = names.own(table)
        }
        return (result, names)
    }
}
