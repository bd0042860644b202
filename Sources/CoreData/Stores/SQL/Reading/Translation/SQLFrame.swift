/// A SELECT under construction over the rows of one entity: its alias, the joins that its key paths have needed so far,
/// and the enclosing frame of a nested SELECT.
package final class SQLFrame {
    package let layout: EntityLayout
    package let alias: String
    package let outer: SQLFrame?
    /// The variable of a SUBQUERY that stands for this frame's rows.
    package let variable: String?
    package var select: SQLSelect
    /// Named expressions: the computed values of a dictionary fetch, for its HAVING.
    package var named: [String: SQLExpression] = [:]
    private var joined: [JoinKey: String] = [:]
    private let names: AliasSource

    private struct JoinKey: Hashable {
        var alias: String
        var column: String
        var table: String
        var target: String
    }

    /// Makes aliases that are unique in the whole statement.
    package final class AliasSource {
        private var next = 0
        package func make() -> String {
            defer { next += 1 }
            return "t\(next)"
        }
    }

    package init(
        layout: EntityLayout, table: String, names: AliasSource = AliasSource(), outer: SQLFrame? = nil,
        variable: String? = nil
    ) {
        self.layout = layout
        self.names = names
        self.outer = outer
        self.variable = variable
        alias = names.make()
        select = SQLSelect(table: table, alias: alias)
    }

    /// A nested SELECT over the rows of another entity.
    package func nested(_ layout: EntityLayout, table: String, variable: String? = nil) -> SQLFrame {
        SQLFrame(layout: layout, table: table, names: names, outer: self, variable: variable)
    }

    package func column(_ name: String) -> SQLExpression { .column(alias: alias, name: name) }

    package var key: SQLExpression { column(SQLSchema.keyColumn) }

    /// The alias of a joined table whose rows have the value of a column of another table: the destination of a
    /// to-one's column, or the members of a to-many. It is joined once, however many paths use it.
    package func join(
        table: String, from alias: String, column: String, to target: String = SQLSchema.keyColumn
    ) -> String {
        let key = JoinKey(alias: alias, column: column, table: table, target: target)
        if let known = joined[key] { return known }
        let new = names.make()
        select.joins.append(
            SQLSelect.Join(
                table: table, alias: new,
                on: .binary(
                    .equal, .column(alias: alias, name: column), .column(alias: new, name: target))))
        joined[key] = new
        return new
    }

    /// Joins a table that must have a matching row: a join table.
    package func joinInner(table: String, on condition: (String) -> SQLExpression) {
        let new = names.make()
        select.joins.append(SQLSelect.Join(table: table, alias: new, on: condition(new), isLeft: false))
    }

    package func addCondition(_ condition: SQLExpression) {
        if let present = select.condition {
            select.condition = .and([present, condition])
        } else {
            select.condition = condition
        }
    }

    /// The frame whose rows a variable stands for; nil if there is none.
    package func frame(ofVariable name: String) -> SQLFrame? {
        variable == name ? self : outer?.frame(ofVariable: name)
    }
}
