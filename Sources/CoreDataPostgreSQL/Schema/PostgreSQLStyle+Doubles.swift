#if PostgreSQL
import CoreData

// Names that a model gives. Two things cannot have the same one, and the server would name the second one alone.
extension PostgreSQLStyle {
    func requireOwnNames(of schema: SQLSchema, _ layout: ModelLayout) throws {
        let complaints = Self.doubles(in: schema, layout)
        if complaints.isEmpty { return }
        throw NSError.coreData(
            NSPersistentStoreIncompatibleSchemaError,
            reason: "Names of tables or columns, up to their 63rd byte, are given twice: "
                + complaints.joined(separator: "; ") + ".")
    }

    /// The tables and columns that have the same name as another one, each in a sentence.
    private static func doubles(in schema: SQLSchema, _ layout: ModelLayout) -> [String] {
        var found: [String] = []
        var tables: [String: String] = [:]
        func take(_ table: String, for what: String) {
            if PostgreSQLDialect.place(of: table).schema != nil {
                found.append("\(what) has the table “\(table)”, which is a name of the framework's own")
            }
            if let other = tables.updateValue(what, forKey: table) {
                found.append("\(other) and \(what) have the table “\(table)”")
            }
        }
        for root in layout.entities where root.superIndex == nil {
            guard let table = schema.table(ofRoot: root.index)?.name else { continue }
            take(table, for: "the entity “\(root.name)”")
            found += doubles(in: schema, layout, of: root).map { column, one, other in
                "\(one) and \(other) have the column “\(table).\(column)”"
            }
        }
        let names = schema.namesOfJoins(layout)
        for (index, join) in schema.joins.enumerated() {
            let what = "the relationship “\(names[index] ?? "")”"
            take(join.table, for: what)
            var columns: Set<String> = []
            for column in join.definition.columns where !columns.insert(column.name).inserted {
                let name = PostgreSQLDialect.asGiven(column.name)
                found.append("\(what) has the column “\(join.table).\(name)” twice")
            }
        }
        return found
    }

    /// The properties of a hierarchy that have one column with another one.
    private static func doubles(
        in schema: SQLSchema, _ layout: ModelLayout, of root: EntityLayout
    ) -> [(column: String, one: String, other: String)] {
        var owners: [String: String] = [:]
        return root.subtree.flatMap { index in
            layout.entities[index].slots.enumerated().compactMap { number, slot in
                guard slot.declaringIndex == index, let column = schema.columns[index][number] else { return nil }
                let name = "“\(layout.entities[index].name).\(slot.name)”"
                return owners.updateValue(name, forKey: column).map {
                    (PostgreSQLDialect.asGiven(column), $0, name)
                }
            }
        }
    }
}

extension SQLSchema {
    /// The relationships that join tables are named by.
    fileprivate func namesOfJoins(_ layout: ModelLayout) -> [Int: String] {
        var names: [Int: String] = [:]
        for entity in layout.entities {
            for toMany in entity.toManys where toMany.declaringIndex == entity.index {
                guard let end = joinEnds[entity.index][toMany.index], !end.isFlipped else { continue }
                names[end.joinIndex] = "\(entity.name).\(toMany.relationship.name)"
            }
        }
        return names
    }
}
#endif
