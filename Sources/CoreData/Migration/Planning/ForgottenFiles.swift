import Foundation

/// The files of external values that no row names after a migration, because their attribute or its entity was removed,
/// or its values are now in the rows.
///
/// The files are recorded before the transaction is committed. The next opening, by any process, removes the record and
/// the files that no row names by then (`ExternalData+Sweeping`).
struct ForgottenFiles {
    /// Table and column of the older version.
    struct Place: Hashable {
        var table: String
        var column: String
    }
    private(set) var places: Set<Place> = []

    init(of difference: ModelDifference, in schema: SQLSchema) {
        let source = difference.source
        for entity in source.entities {
            guard let table = schema.table(ofRoot: entity.rootIndex)?.name, schema.numbers[entity.index] != nil else {
                continue
            }
            let kept = difference.destinationOf[entity.index].map { new in
                difference.properties[new].filter {
                    Self.isExternal(name: $0.key, in: difference.destination.entities[new])
                }
            }
            let names = Set(kept?.values.map(\.name) ?? [])
            for (number, slot) in entity.slots.enumerated()
            where RowShape.isExternal(slot) && !names.contains(slot.name) {
                if let column = schema.columns[entity.index][number] {
                    places.insert(Place(table: table, column: column))
                }
            }
        }
    }

    private static func isExternal(name: String, in entity: EntityLayout) -> Bool {
        entity.slots.contains { $0.name == name && RowShape.isExternal($0) }
    }
}
