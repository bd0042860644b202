/// Columns of one table that statements select together: the whole rows of an entity.
///
/// Their text is the longest part of such a statement. It is made once for a dialect and then cached.
package final class SQLColumnList: Equatable, Sendable {
    package let alias: String
    package let names: [String]
    /// The text in the dialect that was used first. A store has only one dialect.
    private let kept = Locked<(dialect: ObjectIdentifier, text: String)?>(nil)

    package init(alias: String, names: [String]) {
        self.alias = alias
        self.names = names
    }

    package static func == (one: SQLColumnList, other: SQLColumnList) -> Bool {
        one === other || one.alias == other.alias && one.names == other.names
    }

    /// The text of the columns in a dialect. The body makes it if it is not cached.
    func text(in dialect: any SQLDialect, _ make: () -> String) -> String {
        let type = ObjectIdentifier(Swift.type(of: dialect))
        return kept.withLock { kept in
            if let kept, kept.dialect == type { return kept.text }
            let text = make()
            if kept == nil { kept = (type, text) }
            return text
        }
    }
}
