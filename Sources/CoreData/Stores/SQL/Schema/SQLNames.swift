/// Makes the names of tables, columns and indexes from names of the model, and records the names that are used.
///
/// Names that Apple's files have stay as they are. Only names that SQL does not accept are changed: characters that are
/// not part of a plain word become underscores, and a name that is already used gets a number.
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

    /// The name of a property or an entity as a part of the names of columns and tables.
    package static func upper(_ name: String) -> String { word(name.uppercased()) }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "_"), UInt8(ascii: "$"), 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
        default: false
        }
    }

    /// SQLite ignores the case of ASCII letters when it compares names.
    private static func key(_ name: String) -> String {
        String(decoding: name.utf8.map { (0x61...0x7A).contains($0) ? $0 - 32 : $0 }, as: UTF8.self)
    }

    /// Whether a name is already used.
    package func isTaken(_ name: String) -> Bool { taken.contains(Self.key(name)) }

    /// Marks a name as used.
    package mutating func take(_ name: String) { taken.insert(Self.key(name)) }

    /// Returns a name that is not used yet, with a number added if necessary, and marks it as used.
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

    /// Whether a table is one that every store has, or that a migration creates temporarily.
    package static func isReserved(_ table: String) -> Bool {
        ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "Z_MIGRATED"].contains(table) || table.hasPrefix("Z__MIGRATION")
    }

    /// The table of every root entity by its name, in the given order.
    ///
    /// An entity whose name is unique keeps it. Of entities that would share a name (`item` and `Item`) the first one
    /// gets it, unless it is reserved; the remaining ones get numbers.
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
