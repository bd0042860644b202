import Foundation

extension MigrationPlanner {
    /// Computes derived attributes that are new, or derived otherwise than before, for the rows that are there.
    ///
    /// After everything else: the tables already are those of the destination. A derivation that has no translation is left
    /// to opening the store, which refuses the model.
    mutating func addDerivedValues() {
        for change in tables where change.source != nil {
            for index in difference.destination.entities[change.root].subtree {
                let entity = difference.destination.entities[index]
                for (number, slot) in entity.slots.enumerated() where slot.declaringIndex == index {
                    guard case .attribute(let attribute) = slot.role,
                        let derived = attribute as? NSDerivedAttributeDescription,
                        let expression = derived.derivationExpression, let column = new.columns[index][number]
                    else { continue }
                    let members = change.members.filter { entity.subtree.contains($0.layout) }
                    let isKept = members.allSatisfy { member in
                        let layout = difference.destination.entities[member.layout]
                        let source = sourceAttribute(of: slot, in: layout) as? NSDerivedAttributeDescription
                        return source?.derivationExpression?.description == expression.description
                    }
                    guard !isKept, let command = command(for: expression, column, entity, members, change) else {
                        continue
                    }
                    add(
                        .fillDerived(table: change.table.name, column: column, command), rows: change.source?.rows ?? 0)
                }
            }
        }
    }

    private func command(
        for expression: NSExpression, _ column: String, _ entity: EntityLayout, _ members: [TableChange.Member],
        _ change: TableChange
    ) -> MigrationCommand? {
        let translator = SQLFetchTranslator(schema: new, layout: entity, storeNumber: 0)
        guard let frame = try? translator.frame(includesSubentities: true),
            let operand = try? translator.operand(expression, in: frame),
            let (value, _) = try? translator.single(operand, expression)
        else { return nil }
        frame.select.results = [SQLSelect.Result(expression: value)]
        let table = frame.select.table
        frame.addCondition(.binary(.equal, frame.key, .column(alias: table, name: SQLSchema.keyColumn)))
        var printer = SQLPrinter(dialect: SQLiteDialect())
        printer.print(frame.select)
        var sql = "UPDATE \(table) SET \(column) = (\(printer.text))"
        if members.count < change.members.count {
            sql += " WHERE \(SQLSchema.entityColumn) IN (\(members.map { String($0.new) }.joined(separator: ", ")))"
        }
        var values = printer.values
        if expression.description.hasPrefix("now("), !values.isEmpty {
            values[0] = .double(Date().timeIntervalSinceReferenceDate)
        }
        return MigrationCommand(sql: sql, values: values)
    }
}
