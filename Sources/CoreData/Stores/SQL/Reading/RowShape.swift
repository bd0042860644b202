import Foundation

/// The columns of a SELECT that reads whole rows of one entity and of all its subentities.
///
/// The columns are: key, entity, version, then every column that any of the entities stores. A shape is made once for
/// each entity. Drivers build the snapshots of rows by it.
package final class RowShape: @unchecked Sendable {  // immutable after init
    package struct Field {
        package enum Kind: UInt8 {
            case integer, boolean, double, reference, entityNumber
            case bytes, external, uuid, decimal
        }
        package var slot: Int32
        package var column: Int32
        package var kind: Kind
        /// The number of bits that an integer may have.
        package var bits: UInt8 = 64
        /// The entities, by their places in the model, that an entity number in this field may mean.
        package var entities: Range<Int32> = 0..<0

        /// Whether an integer fits the attribute's type.
        @inline(__always)
        package func fits(_ value: Int64) -> Bool {
            if bits == 64 { return true }
            let sign = value >> Int64(bits - 1)
            return sign == 0 || sign == -1
        }
    }

    /// The plan by which the rows of one concrete entity are read.
    package final class Plan {
        package let layout: EntityLayout
        package let inline: [Field]
        package let tails: [Field]
        /// Whether a cached row of the same version may be used. Triggers change derived values without a new version,
        /// so rows with derived attributes are always read.
        package let isCacheable: Bool

        package init(layout: EntityLayout, inline: [Field], tails: [Field], isCacheable: Bool) {
            self.layout = layout
            self.inline = inline
            self.tails = tails
            self.isCacheable = isCacheable
        }
    }

    package let rootIndex: Int
    /// The names of the columns after key, entity and version.
    package let columnNames: [String]
    package let plans: [Plan?]
    /// The layout index of each entity number in the store; -1 for none.
    private let layoutOfNumber: [Int]
    package let keyBase: Int64
    package let externalData: ExternalData?
    private let tableName: String
    /// The store's file, for messages.
    package let fileName: String
    /// All columns, with the alias that the table has in most statements.
    private let columns: SQLColumnList
    private let singleLayout: Int?
    /// The only entity of the table, if it holds rows of one entity only. The number in a row is then ignored:
    /// migrations of older versions left wrong numbers, and Apple's framework does not read it either.
    private let soleLayout: Int?
    /// The plan for all rows, if the table holds rows of one entity only.
    package let solePlan: Plan?
    /// Whether values of rows may lie in files, so that building a row may take long.
    package let mayReadFiles: Bool
    /// The columns after the entity's name, if that name is ignored and need not be sent.
    private let others: [String]?

    package init(
        layout: EntityLayout, schema: SQLSchema, storeNumber: Int, externalData: ExternalData?, fileName: String?
    ) {
        self.fileName = fileName ?? "the store in memory"
        rootIndex = layout.rootIndex
        tableName = schema.table(ofRoot: layout.rootIndex)?.name ?? ""
        keyBase = ObjectKey.key(storeNumber: storeNumber, primaryKey: 0)
        self.externalData = externalData
        let highest = schema.layoutOfNumber.keys.max() ?? 0
        var numbers = Array(repeating: -1, count: highest + 1)
        for (number, index) in schema.layoutOfNumber { numbers[number] = index }
        layoutOfNumber = numbers
        var names: [String] = []
        var places: [String: Int32] = [:]
        let model = layout.model
        var plans: [Plan?] = Array(repeating: nil, count: model.entities.count)
        for index in layout.subtree where schema.numbers[index] != nil {
            let entity = model.entities[index]
            var inline: [Field] = []
            var tails: [Field] = []
            var isCacheable = true
            for (number, slot) in entity.slots.enumerated() {
                guard let name = schema.columns[index][number] else { continue }
                let place: Int32
                if let known = places[name] {
                    place = known
                } else {
                    place = Int32(names.count + 3)
                    places[name] = place
                    names.append(name)
                }
                let kind: Field.Kind
                switch slot.kind {
                case .integer, .order: kind = .integer
                case .boolean: kind = .boolean
                case .double, .float, .date: kind = .double
                case .reference: kind = .reference
                case .entityNumber: kind = .entityNumber
                case .string, .uri: kind = .bytes
                case .data, .transformable:
                    kind = Self.isExternal(slot) && schema.tagsExternalValues ? .external : .bytes
                case .uuid: kind = .uuid
                case .decimal: kind = .decimal
                }
                var field = Field(slot: Int32(number), column: place, kind: kind)
                if case .attribute(let attribute) = slot.role {
                    switch attribute.attributeType {
                    case .integer16AttributeType: field.bits = 16
                    case .integer32AttributeType: field.bits = 32
                    default: break
                    }
                }
                if case .companion(let key) = slot.role, let destination = entity.slots[key].destinationIndex {
                    let subtree = model.entities[destination].subtree
                    field.entities = Int32(subtree.lowerBound)..<Int32(subtree.upperBound)
                }
                if slot.kind.isInline { inline.append(field) } else { tails.append(field) }
                if slot.property?.isReadOnly == true { isCacheable = false }
            }
            plans[index] = Plan(layout: entity, inline: inline, tails: tails, isCacheable: isCacheable)
        }
        self.plans = plans
        mayReadFiles = plans.contains { plan in plan?.tails.contains { $0.kind == .external } == true }
        columnNames = names
        columns = SQLColumnList(
            alias: "t0", names: [SQLSchema.keyColumn, SQLSchema.entityColumn, SQLSchema.versionColumn] + names)
        let stored = layout.subtree.filter { schema.numbers[$0] != nil }
        singleLayout = stored.count == 1 ? stored.first : nil
        soleLayout = schema.soleLayout(ofRoot: layout.rootIndex, in: model)
        solePlan = soleLayout.flatMap { plans[$0] }
        others = soleLayout != nil && schema.namesEntities ? [SQLSchema.versionColumn] + names : nil
    }

    /// Whether a slot's values may be in external files.
    package static func isExternal(_ slot: Slot) -> Bool {
        guard case .attribute(let attribute) = slot.role else { return false }
        return attribute.allowsExternalBinaryDataStorage && (slot.kind == .data || slot.kind == .transformable)
    }

    /// The columns, as results of a SELECT.
    package func results(alias: String) -> [SQLSelect.Result] {
        if let others {
            return [
                .column(alias: alias, name: SQLSchema.keyColumn), .null,
                .columns(SQLColumnList(alias: alias, names: others)),
            ].map { SQLSelect.Result(expression: $0) }
        }
        let list = alias == columns.alias ? columns : SQLColumnList(alias: alias, names: columns.names)
        return [SQLSelect.Result(expression: .columns(list))]
    }

    /// The plan for the rows with an entity's number; nil if the shape does not have the entity.
    @inline(__always)
    package func plan(ofNumber number: Int) -> (index: Int, plan: Plan)? {
        let index = soleLayout ?? layoutIndex(ofNumber: number) ?? (number == 0 ? singleLayout ?? -1 : -1)
        guard index >= 0, let plan = plans[index] else { return nil }
        return (index, plan)
    }

    /// The entity with a number in the store; nil if no entity has the number.
    @inline(__always)
    package func layoutIndex(ofNumber number: Int) -> Int? {
        guard number > 0, number < layoutOfNumber.count, layoutOfNumber[number] >= 0 else { return nil }
        return layoutOfNumber[number]
    }

    /// Whether a row that was read may be shared with other readers of its version.
    @inline(__always)
    package func isCacheable(_ row: Snapshot) -> Bool {
        (solePlan ?? plans[row.layoutIndex])?.isCacheable == true
    }

    /// The key of an object from the key of its row. Throws if no object can have the key in the table.
    @inline(__always)
    package func key(_ primaryKey: Int64) throws -> Int64 {
        guard ObjectKey.isPrimaryKey(primaryKey) else { throw ObjectKey.refusal(of: primaryKey, in: tableName) }
        return keyBase | primaryKey
    }

    /// The error for a value that does not fit its column.
    package func damage(isBlob: Bool, _ what: String, field: Field, plan: Plan, key: Int64) -> NSError {
        damage(
            "The file “\(fileName)” holds a \(isBlob ? "blob" : "text") that \(what)", field: field, plan: plan,
            key: key)
    }

    /// The error for content that does not fit its column. The sentence begins with a description of the content.
    package func damage(_ what: String, field: Field, plan: Plan, key: Int64) -> NSError {
        let name = plan.layout.slots[Int(field.slot)].name
        return NSError.coreData(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            reason: "\(what) in the column "
                + "\(columnNames[Int(field.column) - 3]) (\(plan.layout.name).\(name), row "
                + "\(key & ObjectKey.primaryKeyMask)).",
            userInfo: [NSValidationKeyErrorKey: name])
    }

    /// The error for an entity number of an entity to which the relationship does not lead.
    package func strangeEntity(_ index: Int, field: Field, plan: Plan, key: Int64) -> NSError {
        let name = plan.layout.model.entities[index].name
        return damage("The file “\(fileName)” names the entity “\(name)”", field: field, plan: plan, key: key)
    }
}
