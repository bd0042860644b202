import Foundation

/// The limits of a database for content from the tables of another database.
package struct TransferLimits: Sendable {
    /// Whether texts may have the character U+0000.
    package var takesZeroInTexts = true
    /// The range of dates, in seconds from 2001.
    package var dates: ClosedRange<Double>?
    /// Whether integers and Boolean values have columns of different sizes.
    package var hasSizesOfIntegers = false
    /// Whether properties that are mandatory for all entities of a table must have a value.
    package var demandsValues = false
    /// The largest text or binary value.
    package var largestValue = Int.max
    /// The largest text in an index, after compression by the database.
    package var largestIndexed = Int.max
    /// The columns that must lead to a row, by the tables of a schema; empty if columns may lead anywhere.
    package var references: [TransferReference] = []

    package init() {}
}

/// A column that must lead to a row of a table.
package struct TransferReference: Hashable, Sendable {
    package var table: String
    package var column: String
    package var target: String

    package init(table: String, column: String, target: String) {
        self.table = table
        self.column = column
        self.target = target
    }
}

/// Searches the rows of a database for values that another database cannot hold, before anything is written.
package struct TransferCheck {
    private let source: TransferEnd
    private let limits: TransferLimits
    private let follower: TransferFollower
    /// The store identifier at the beginning of the URIs of objects.
    private let identifier: String
    private var found: [MigrationUnfitValue] = []
    private var count = 0
    /// The columns in indexes, by their tables.
    private let indexed: [String: Set<String>]

    /// The greatest number of values that the error lists.
    package static let listed = 100

    package init(_ source: TransferEnd, _ limits: TransferLimits, identifier: String, follower: TransferFollower) {
        self.source = source
        self.limits = limits
        self.identifier = identifier
        self.follower = follower
        var indexed: [String: Set<String>] = [:]
        for index in source.schema.indexes { indexed[index.table, default: []].formUnion(index.columns.map(\.name)) }
        self.indexed = indexed
    }

    /// Throws if there are such values. The error lists them.
    package mutating func run(storeAt url: URL?) throws {
        let reader = TransferReader(source)
        for root in source.roots {
            let table = source.schema.table(ofRoot: root.index)?.name ?? ""
            follower.begin(.checking, root.name, rows: try source.count(table))
            var last: Int64 = 0
            var pages = TransferPages()
            while true {
                let rows = try reader.rows(of: root, after: last, limit: pages.limit)
                guard let final = rows.last else { break }
                for row in rows { inspect(at: row) }
                last = final.key & ObjectKey.primaryKeyMask
                pages.adapt(to: rows)
                try follower.advance(rows.count)
            }
        }
        for reference in limits.references { try search(for: reference) }
        if count > 0 { throw error(url) }
    }

    private mutating func note(_ entity: EntityLayout, property: String?, key: Int64, reason: String) {
        count += 1
        guard found.count < Self.listed else { return }
        found.append(
            MigrationUnfitValue(
                entity: entity.name, property: property,
                uri: URL(string: "x-coredata://\(identifier)/\(entity.name)/p\(key & ObjectKey.primaryKeyMask)"),
                reason: reason))
    }

    // MARK: Values

    private mutating func inspect(at row: Snapshot) {
        let entity = source.layout.entities[row.layoutIndex]
        for (slot, description) in entity.slots.enumerated() where source.schema.columns[row.layoutIndex][slot] != nil {
            guard
                let reason = row.isNull(slot)
                    ? reasonOfAbsence(description, entity) : reason(row, slot, description)
            else { continue }
            note(entity, property: description.name, key: row.key, reason: reason)
        }
    }

    private func reasonOfAbsence(_ slot: Slot, _ entity: EntityLayout) -> String? {
        guard limits.demandsValues, case .attribute(let attribute) = slot.role, !attribute.isOptional,
            slot.declaringIndex == entity.rootIndex, slot.composite == nil,
            !(attribute is NSDerivedAttributeDescription),
            !source.layout.entities[entity.rootIndex].subtree.contains(where: { index in
                source.layout.entities[index].entity.uniquenessConstraintNames.contains { $0.contains(slot.name) }
            })
        else { return nil }
        return "has no value, which the model demands"
    }

    private func reason(_ row: Snapshot, _ slot: Int, _ description: Slot) -> String? {
        switch description.kind {
        case .string, .uri:
            let bytes = row.bytes(slot)
            if !limits.takesZeroInTexts, bytes.contains(0) { return "is a text with the character U+0000" }
            if bytes.count > limits.largestValue { return "is a text of \(bytes.count) bytes" }
            return isTooLarge(bytes, row, slot)
                ? "is a text of \(bytes.count) bytes, which is too large for an index" : nil
        case .data, .transformable:
            let count = row.bytes(slot).count
            return count > limits.largestValue ? "is a value of \(count) bytes" : nil
        case .double, .float: return row.double(slot).isNaN ? "is not a number" : nil
        case .date:
            let seconds = row.double(slot)
            if seconds.isNaN { return "is not a number" }
            guard let dates = limits.dates, !dates.contains(seconds) else { return nil }
            return "is a date \(seconds) seconds from 2001"
        case .boolean:
            return limits.hasSizesOfIntegers && !(0...1).contains(row.int(slot))
                ? "is the truth value \(row.int(slot))" : nil
        case .integer:
            guard limits.hasSizesOfIntegers, case .attribute(let attribute) = description.role else { return nil }
            let value = row.int(slot)
            let fits =
                switch attribute.attributeType {
                case .integer16AttributeType: Int16(exactly: value) != nil
                case .integer32AttributeType: Int32(exactly: value) != nil
                default: true
                }
            return fits ? nil : "is the number \(value), which is too large"
        case .reference, .entityNumber, .order, .uuid, .decimal: return nil
        }
    }

    /// Whether a text is certainly too large for its index. Deflated it is smaller than in any database that compresses
    /// for speed.
    private func isTooLarge(_ bytes: UnsafeRawBufferPointer, _ row: Snapshot, _ slot: Int) -> Bool {
        guard bytes.count > limits.largestIndexed, let column = source.schema.columns[row.layoutIndex][slot],
            let table = source.schema.table(ofRoot: source.layout.entities[row.layoutIndex].rootIndex)?.name,
            indexed[table]?.contains(column) == true
        else { return false }
        let size = (try? RawDeflate.compress(Data(bytes)))?.count ?? bytes.count
        return size > limits.largestIndexed
    }

    // MARK: References

    private mutating func search(for reference: TransferReference) throws {
        func column(_ alias: String, _ name: String) -> SQLExpression { .column(alias: alias, name: name) }
        let present = column("t", SQLSchema.keyColumn)
        let condition = SQLExpression.and([
            .isNotNull(column("r", reference.column)),
            .not(
                .exists(
                    SQLSelect(
                        [present], of: reference.target, as: "t",
                        where: .binary(.equal, present, column("r", reference.column))))),
        ])
        let joins = source.relationships.compactMap { relationship in
            source.join(relationship).map { (relationship, $0) }
        }
        let number =
            try source.connection.integer(
                SQLSelect([.countAll], of: reference.table, as: "r", where: condition)) ?? 0
        if number == 0 { return }
        let join = joins.first { $0.1.table == reference.table }
        let key = join?.1.ownerColumn ?? SQLSchema.keyColumn
        let select = SQLSelect(
            [column("r", key), column("r", reference.column)], of: reference.table, as: "r", where: condition,
            orderedBy: [column("r", key)], limit: Self.listed)
        let before = count
        let (entity, property) = place(of: reference, join?.0)
        var rows: [(Int64, Int64)] = []
        try source.connection.prepare(.select(select)).rows { rows.append(($0.int64(0), $0.int64(1))) }
        for (row, target) in rows {
            note(entity, property: property, key: row, reason: "leads to the object \(target), which is not there")
        }
        count = before + Int(number)
    }

    private func place(of reference: TransferReference, _ join: ToManySlot?) -> (EntityLayout, String?) {
        if let join { return (source.layout.entities[join.declaringIndex], join.relationship.name) }
        for entity in source.layout.entities
        where source.schema.table(ofRoot: entity.rootIndex)?.name == reference.table {
            if let slot = source.schema.columns[entity.index].firstIndex(of: reference.column) {
                return (entity, entity.slots[slot].name)
            }
        }
        return (source.roots[0], nil)
    }

    private func error(_ url: URL?) -> NSError {
        let some = found.prefix(5).map(\.description).joined(separator: "; ")
        return .coreData(
            NSMigrationError,
            reason: "The store has \(count) value\(count == 1 ? "" : "s") that the other database cannot hold: \(some)"
                + "\(count > 5 ? " …" : ""). Nothing was written. Change them, and move the store again.",
            url: url,
            userInfo: [NSMigrationUnfitValuesErrorKey: found, NSMigrationUnfitValueCountErrorKey: count])
    }
}
