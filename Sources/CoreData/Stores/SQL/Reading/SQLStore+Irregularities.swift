import Foundation

// Finds content that no save writes, in tables whose columns accept any value.
extension SQLStore {
    /// Nil if the database has types of its own.
    func irregularities(_ connection: any SQLConnection) throws -> [StoreIrregularity]? {
        if capabilities.hasTypedColumns { return nil }
        var found: [StoreIrregularity] = []
        for root in layout.entities where root.superIndex == nil {
            guard let table = schema.table(ofRoot: root.index)?.name else { continue }
            if let counter = try laggingCounter(of: root, in: table, connection) { found.append(counter) }
            let checks = RowChecks(root, schema, layout)
            let names = [SQLSchema.keyColumn, SQLSchema.entityColumn] + checks.names
            let select = SQLSelect(names.map { .column($0) }, of: table, orderedBy: [.column(SQLSchema.keyColumn)])
            try connection.prepare(.select(select)).stream({ _ in }) { checks.check($0, &found) }
        }
        for end in pairEnds { found += try danglingPairs(end, connection) }
        return found
    }

    private func laggingCounter(
        of root: EntityLayout, in table: String, _ connection: any SQLConnection
    ) throws -> StoreIrregularity? {
        guard let number = schema.numbers[root.index] else { return nil }
        let keys = SQLBookkeeping.Keys.self
        let noted = try connection.integer(
            SQLSelect(
                [.column(keys.highest)], of: keys.table, where: .binary(.equal, .column(keys.number), .number(number))))
        let present = try connection.integer(
            SQLSelect([.function(.max, [.column(SQLSchema.keyColumn)])], of: table))
        guard let present, present > noted ?? 0 else { return nil }
        return StoreIrregularity(.counter, .init(root.name, present), found: noted.map { "\($0)" } ?? "none")
    }

    // MARK: Pairs

    /// One end of a join table, with its relationship.
    struct PairEnd {
        let end: SQLJoinEnd
        let owner: EntityLayout
        let toMany: ToManySlot
        let ownerTable: String
        let memberTable: String
    }

    /// Both ends of every join table. The end that names the table comes first.
    var pairEnds: [PairEnd] {
        let ends = layout.entities.flatMap { entity in
            entity.toManys.compactMap { toMany -> PairEnd? in
                let destination = layout.entities[toMany.destinationIndex]
                guard toMany.declaringIndex == entity.index,
                    let end = schema.joinEnds[entity.index][toMany.index],
                    let ownerTable = schema.table(ofRoot: entity.rootIndex)?.name,
                    let memberTable = schema.table(ofRoot: destination.rootIndex)?.name
                else { return nil }
                return PairEnd(
                    end: end, owner: entity, toMany: toMany, ownerTable: ownerTable, memberTable: memberTable)
            }
        }
        return ends.filter { !$0.end.isFlipped } + ends.filter { $0.end.isFlipped && !$0.end.isReflexive }
    }

    /// The pairs without a member. Only the naming end reports pairs without an owner, too.
    private func danglingPairs(_ pair: PairEnd, _ connection: any SQLConnection) throws -> [StoreIrregularity] {
        func isThere(_ column: String, in table: String) -> SQLExpression {
            .isInSelect(.column(column), SQLSelect([.column(SQLSchema.keyColumn)], of: table))
        }
        let (owner, member) = (pair.end.ownerColumn, pair.end.memberColumn)
        var conditions: [SQLExpression] = [.not(isThere(member, in: pair.memberTable))]
        if pair.end.isFlipped { conditions.append(isThere(owner, in: pair.ownerTable)) }
        let select = SQLSelect(
            [.column(owner), .column(member)], of: pair.end.table, where: .and(conditions),
            orderedBy: [.column(owner), .column(member)])
        var keys: [(owner: Int64, member: Int64)] = []
        try connection.prepare(.select(select)).rows { keys.append(($0.int64(0), $0.int64(1))) }
        return try keys.map { key in
            StoreIrregularity(
                .link, .init(try entityName(ofRow: key.owner, pair, connection), key.owner),
                pair.toMany.relationship.name,
                target: .init(layout.entities[pair.toMany.destinationIndex].name, key.member), found: "\(key.member)")
        }
    }

    private func entityName(ofRow key: Int64, _ pair: PairEnd, _ connection: any SQLConnection) throws -> String {
        let number = try connection.integer(
            SQLSelect(
                [.column(SQLSchema.entityColumn)], of: pair.ownerTable,
                where: .binary(.equal, .column(SQLSchema.keyColumn), .value(.int(key)))))
        let index = number.flatMap { layoutIndex(number: $0, rootIndex: pair.owner.rootIndex) }
        return layout.entities[index ?? pair.owner.index].name
    }
}

/// The checks of the values of a table's rows: of those that are cheap to read, and whose type can be wrong.
private struct RowChecks {
    private struct Check {
        let slot: Slot
        /// Place among the columns of the SELECT.
        let place: Int
    }

    private let root: EntityLayout
    /// The entity of each number in the store, and the checks of its rows.
    private var entities: [Int64: (name: String, checks: [Check])] = [:]
    private(set) var names: [String] = []
    private static let shownBytes = 64

    init(_ root: EntityLayout, _ schema: SQLSchema, _ model: ModelLayout) {
        self.root = root
        for index in root.subtree {
            let entity = model.entities[index]
            guard let number = schema.numbers[index], !entity.entity.isAbstract else { continue }
            var checks: [Check] = []
            for (slot, column) in zip(entity.slots, schema.columns[index]) {
                guard let column, slot.property != nil, slot.kind != .data, slot.kind != .transformable else {
                    continue
                }
                let known = names.firstIndex(of: column)
                if known == nil { names.append(column) }
                checks.append(Check(slot: slot, place: 2 + (known ?? names.count - 1)))
            }
            entities[Int64(number)] = (entity.name, checks)
        }
    }

    func check(_ row: any SQLRow, _ found: inout [StoreIrregularity]) {
        let key = row.int64(0)
        let named = row.isNull(1) ? nil : entities[row.int64(1)]
        if named == nil {
            let number = row.isNull(1) ? "none" : "\(row.int64(1))"
            found.append(StoreIrregularity(.entity, .init(root.name, key), found: number))
        }
        // The number may be any: all rows of a table of one entity are of that entity.
        guard let entity = named ?? (entities.count == 1 ? entities.first?.value : nil) else { return }
        for check in entity.checks where !row.isNull(check.place) {
            guard let kind = Self.kind(row, check) else { continue }
            found.append(
                StoreIrregularity(
                    kind, .init(entity.name, key), check.slot.name, found: Self.text(row, check.place, kind)))
        }
    }

    /// The irregularity of a value; nil for a regular one.
    private static func kind(_ row: any SQLRow, _ check: Check) -> StoreIrregularity.Kind? {
        if [.string, .uri].contains(check.slot.kind) {
            return String(validating: row.data(check.place), as: UTF8.self) == nil ? .encoding : nil
        }
        return check.slot.takes(row.slotValue(check.place)) ? nil : .value
    }

    private static func text(_ row: any SQLRow, _ place: Int, _ kind: StoreIrregularity.Kind) -> String {
        let value = kind == .encoding ? .data(row.data(place)) : row.slotValue(place)
        switch value {
        case .int(let number): return "\(number)"
        case .double(let number): return "\(number)"
        case .string(let text): return text
        case .data(let bytes):
            let digits = bytes.prefix(shownBytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            return bytes.count > shownBytes ? digits + "…" : digits
        case .null, .uuid, .decimal: return ""
        }
    }
}
