#if PostgreSQL
import CoreData
import Foundation

/// The additions of an online migration to the tables of a store: a value, made before any of them is carried out.
///
/// A property that keeps its values also keeps its column, whatever its new name is. A property with other values
/// gets a shadow column, and a trigger keeps both columns in step.
struct OnlinePlan {
    /// A shadow column: it holds the values of another column in the form of the newer version.
    struct ShadowColumn: Equatable {
        var table: String
        /// The entities whose rows the shadow column belongs to, by their labels in rows; nil for all rows of the
        /// table.
        var labels: [String]?
        var old: SQLColumn
        var new: SQLColumn
        /// The values that replace NULL, in either version.
        var newDefault: String?
        var oldDefault: String?
        /// Whether a value has to be the same after both conversions.
        var isExact: Bool
        var isMandatory: Bool
    }

    /// A column that exists in one version only. Rows that programs of the other version insert get a value in it.
    struct Filler: Equatable {
        var table: String
        var labels: [String]
        var column: String
        var value: String
        /// Whether the column belongs to the newer version: then the rows that exist get the value, too.
        var isOfNewer: Bool
    }

    struct NewColumn: Equatable {
        var table: String
        var column: SQLColumn
        var defaultValue: String?
        var isMandatory = false
        var comment: String
    }

    let migration: OnlineMigration
    let lock: Int64
    let sourcePlaces: PostgreSQLPlaces
    let old: SQLSchema
    /// The tables and columns of the newer version's properties.
    var places: PostgreSQLPlaces
    var new: SQLSchema

    var newTables: [SQLTable] = []
    var newColumns: [NewColumn] = []
    var shadowColumns: [ShadowColumn] = []
    var fillers: [Filler] = []
    var links: [Link] = []
    var splits: [Split] = []
    var newIndexes: [SQLIndex] = []
    /// The foreign keys that only the newer version has, and those that only the older version has.
    var newReferences: [TransferReference] = []
    var unknownReferences: [TransferReference] = []
    var refusals: [NSError] = []

    var source: ModelLayout { migration.difference.source }
    var destination: ModelLayout { migration.difference.destination }

    /// The tables whose rows are moved.
    var movedTables: [String] {
        var tables: [String] = []
        for table in shadowColumns.map(\.table) + fillers.filter(\.isOfNewer).map(\.table) + splits.map(\.table)
        where !tables.contains(table) {
            tables.append(table)
        }
        return tables
    }

    /// Whether no table changes.
    var changesNamesOnly: Bool {
        newTables.isEmpty && newColumns.isEmpty && shadowColumns.isEmpty && fillers.isEmpty && links.isEmpty
            && splits.isEmpty
            && newIndexes.isEmpty && newReferences.isEmpty && unknownReferences.isEmpty
    }

    /// - Parameters:
    ///   - places: the tables and columns of the store's present version.
    ///   - resumed: the choice of an earlier attempt; nil where there was none.
    init(
        _ migration: OnlineMigration, from places: PostgreSQLPlaces, resumed: PostgreSQLPlaces?,
        on connection: PostgreSQLConnection
    ) throws {
        self.migration = migration
        lock = PostgreSQLConnection.versionLock(of: migration.newMetadata)
        sourcePlaces = places
        let held = (migration.metadata[NSStoreModelVersionHashesKey] as? [String: Data]).map { Set($0.keys) }
        old = SQLSchemaBuilder.schema(
            of: migration.difference.source, entities: held, numbers: places.numbers,
            style: PostgreSQLStyle(places.names))
        var chooser = OnlinePlaces(migration, old, places)
        refusals = chooser.refusals
        self.places = try resumed ?? chooser.places(on: connection)
        self.places.guarded = migration.guarded
        self.places.tellHistory(migration.difference, after: places)
        let style = PostgreSQLStyle(self.places.names)
        new = SQLSchemaBuilder.schema(
            of: migration.difference.destination, entities: migration.entities, numbers: self.places.numbers,
            style: style)
        lookForWhatCannotBe()
        try lookAtDependents(on: connection)
        if !refusals.isEmpty { throw OnlineMigration.combined(refusals) }
        try style.requireOwnNames(of: new, migration.difference.destination)
        lookAtTables()
        lookAtReferences()
        try lookAtIndexes(on: connection)
        self.places.plan = digest
    }

    /// A number of all that is done. It also covers facts that no hash contains: the names of the properties in the
    /// older version, and their defaults.
    private var digest: String {
        var parts = newTables.map { "\($0)" } + newColumns.map { "\($0)" } + shadowColumns.map { "\($0)" }
        parts += fillers.map { "\($0)" } + links.map { "\($0)" } + new.indexes.map { "\($0)" }
        parts += splits.flatMap { split in split.columns.map { "\(split.table) \(split.part) \($0)" } }
        parts += newReferences.map { "\($0)" } + unknownReferences.map { "- \($0)" }
        return String(parts.sorted().joined(separator: "\n").utf8.stableHash, radix: 16)
    }

    mutating func refuse(_ entity: String?, property: String? = nil, because reason: String, help: String) {
        refusals.append(
            OnlineMigration.refusal(entity: entity, property: property, reason: reason, help: help))
    }

    // MARK: Tables and columns

    private mutating func lookAtTables() {
        let present = Dictionary(old.allTables.map { ($0.name, $0) }) { first, _ in first }
        newTables = new.allTables.filter { present[$0.name] == nil }
        for root in destination.entities where root.superIndex == nil {
            guard let table = new.table(ofRoot: root.index), let before = present[table.name] else { continue }
            let known = Set(before.columns.map(\.name))
            let types = Dictionary(table.columns.map { ($0.name, $0) }) { first, _ in first }
            for index in root.subtree where new.numbers[index] != nil {
                let entity = destination.entities[index]
                for (number, slot) in entity.slots.enumerated() where slot.declaringIndex == index {
                    guard let name = new.columns[index][number], !known.contains(name), let column = types[name]
                    else { continue }
                    add(column, slot: slot, of: entity, table: table, before: before)
                }
            }
        }
        addFillersOfOlder()
    }

    private mutating func add(
        _ column: SQLColumn, slot: Slot, of entity: EntityLayout, table: SQLTable, before: SQLTable
    ) {
        let isOfRoot = entity.superIndex == nil
        var added = NewColumn(table: table.name, column: column, comment: "\(entity.name).\(slot.name).")
        guard case .attribute(let attribute) = slot.role, slot.composite == nil else {
            newColumns.append(added)
            return
        }
        let value = PostgreSQLDialect().defaultValue(of: attribute, in: column.type)
        let isMandatory = isOfRoot && isMandatory(attribute, of: entity)
        if let former = former(slot, of: entity) {
            let formerColumn = before.columns.first { $0.name == former.column }
            shadowColumns.append(
                ShadowColumn(
                    table: table.name, labels: isOfRoot ? nil : labels(below: entity),
                    old: formerColumn ?? column, new: column,
                    newDefault: attribute.isOptional ? nil : value,
                    oldDefault: former.attribute.isOptional
                        ? nil
                        : PostgreSQLDialect().defaultValue(
                            of: former.attribute, in: formerColumn?.type ?? column.type),
                    isExact: Self.isExact(former.attribute.attributeType, attribute.attributeType),
                    isMandatory: isMandatory))
        } else if isOfRoot, !isUnique(attribute, entity) {
            (added.defaultValue, added.isMandatory) = (value, isMandatory)
        } else if let value, !isUnique(attribute, entity) {
            fillers.append(
                Filler(
                    table: table.name, labels: labels(below: entity), column: column.name, value: value,
                    isOfNewer: true))
        }
        newColumns.append(added)
    }

    /// The attribute of the older version whose values an attribute takes over, and its column.
    private func former(
        _ slot: Slot, of entity: EntityLayout
    ) -> (attribute: NSAttributeDescription, column: String)? {
        guard let origin = migration.difference.sourceOf[entity.index],
            let attribute = migration.difference.properties[entity.index][slot.name] as? NSAttributeDescription
        else { return nil }
        let layout = source.entities[origin]
        guard let place = layout.slots.firstIndex(where: { $0.property === attribute && $0.composite == nil }),
            let column = old.columns[origin][place]
        else { return nil }
        return (attribute, column)
    }

    /// Whether values of two types convert exactly. Numbers with fractions are rounded to the precision of the
    /// other type; values of all other types must fit.
    private static func isExact(_ one: NSAttributeType, _ other: NSAttributeType) -> Bool {
        let fractions: Set<NSAttributeType> = [
            .doubleAttributeType, .floatAttributeType, .decimalAttributeType,
        ]
        return !(fractions.contains(one) && fractions.contains(other))
    }

    func isUnique(_ attribute: NSAttributeDescription, _ entity: EntityLayout) -> Bool {
        entity.model.entities[entity.rootIndex].subtree.contains { index in
            entity.model.entities[index].entity.uniquenessConstraintNames.contains { $0.contains(attribute.name) }
        }
    }

    /// Whether the column is NOT NULL, by the rule of `PostgreSQLTables`: a save that exchanges unique values
    /// writes NULL between, so a unique column is not.
    private func isMandatory(_ attribute: NSAttributeDescription, of entity: EntityLayout) -> Bool {
        !attribute.isOptional && !(attribute is NSDerivedAttributeDescription) && !isUnique(attribute, entity)
    }

    private func labels(below entity: EntityLayout) -> [String] {
        entity.subtree.filter { new.numbers[$0] != nil }.map { places.label(of: destination.entities[$0].name) }
    }

    /// Adds fillers for attributes that only the older version has, and that need a value in each of its rows. A
    /// column of the table's root entity has a default value in the table.
    private mutating func addFillersOfOlder() {
        for entity in source.entities where entity.superIndex != nil && old.numbers[entity.index] != nil {
            guard let now = migration.difference.destinationOf[entity.index],
                let table = old.table(ofRoot: entity.rootIndex)
            else { continue }
            let kept = migration.difference.properties[now].values
            for (number, slot) in entity.slots.enumerated() where slot.declaringIndex == entity.index {
                guard case .attribute(let attribute) = slot.role, slot.composite == nil, !attribute.isOptional,
                    !kept.contains(where: { $0 === attribute }), let name = old.columns[entity.index][number],
                    let column = table.columns.first(where: { $0.name == name }),
                    let value = PostgreSQLDialect().defaultValue(of: attribute, in: column.type)
                else { continue }
                let labels = entity.subtree.map { sourcePlaces.label(of: source.entities[$0].name) }
                fillers.append(
                    Filler(
                        table: table.name, labels: labels, column: name, value: value, isOfNewer: false))
            }
        }
    }

    // MARK: References and indexes

    private mutating func lookAtReferences() {
        let before = PostgreSQLTables.wanted(old, source)
        let after = PostgreSQLTables.wanted(new, destination)
        func sorted(_ keys: Set<TransferReference>) -> [TransferReference] {
            keys.sorted { ($0.table, $0.column) < ($1.table, $1.column) }
        }
        newReferences = sorted(after.subtracting(before))
        let tables = Set(new.allTables.map(\.name))
        // The key of a link follows the pairs. A reference that the server clears would have another version before
        // the save writes the row.
        let keys = links.map { ($0.table, $0.key) }
        unknownReferences = sorted(
            before.subtracting(after).filter { key in
                tables.contains(key.target) && !keys.contains { $0 == (key.table, key.column) }
            })
    }

    private mutating func lookAtIndexes(on connection: PostgreSQLConnection) throws {
        let fresh = Set(newTables.map(\.name))
        let catalog = try connection.catalog(ofTables: Set(new.allTables.map(\.name)).subtracting(fresh))
        let unfinished = try connection.unfinishedIndexes()
        newIndexes = new.indexes.filter { index in
            !fresh.contains(index.table)
                && !catalog.indexes.contains { PostgreSQLStep.isSame($0, index) && !unfinished.contains($0.name) }
        }
    }
}
#endif
