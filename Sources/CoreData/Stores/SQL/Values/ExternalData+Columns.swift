extension SQLStore {
    /// The columns that may name external files, by table.
    final var externalColumns: [String: [String]] {
        var columns: [String: Set<String>] = [:]
        for entity in layout.entities {
            guard let table = schema.table(ofRoot: entity.rootIndex)?.name else { continue }
            for (number, slot) in entity.slots.enumerated() where RowShape.isExternal(slot) {
                if let column = schema.columns[entity.index][number] { columns[table, default: []].insert(column) }
            }
        }
        return columns.mapValues { $0.sorted() }
    }
}
