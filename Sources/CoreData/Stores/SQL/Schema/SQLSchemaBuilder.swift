import Foundation

/// Makes the schema of a model, with the names, numbers and order of tables, columns and indexes in Apple's stores.
package struct SQLSchemaBuilder {
    private let layout: ModelLayout
    private let style: any SQLSchemaStyle
    private var schema: SQLSchema
    private var tableNames = SQLNames()

    /// - Parameters:
    ///   - entities: The names of the entities that the store holds (a configuration); nil for all. Superentities are
    ///     added.
    ///   - numbers: Numbers by entity name, if an existing store has its own; nil for new numbers from 1.
    ///   - style: The names of tables and columns in the database.
    package static func schema(
        of layout: ModelLayout, entities: Set<String>? = nil, numbers: [String: Int]? = nil,
        style: any SQLSchemaStyle = CoreDataFileStyle()
    ) -> SQLSchema {
        var builder = SQLSchemaBuilder(layout: layout, style: style)
        builder.number(entities: entities, numbers: numbers)
        builder.makeEntityTables()
        builder.makeJoinTables()
        builder.noteVersionedLinks()
        builder.makeFetchIndexes()
        builder.tellIndexesApart()
        return builder.schema
    }

    /// The fetch indexes of a model that a schema leaves out because an element computes its values.
    static func missingIndexes(of layout: ModelLayout) -> [MissingIndex] {
        var builder = SQLSchemaBuilder(layout: layout, style: CoreDataFileStyle())
        builder.number(entities: nil, numbers: nil)
        builder.makeEntityTables()
        return layout.entities.flatMap { entity in
            entity.entity.indexes.compactMap { index in
                guard
                    let element = index.elements.first(where: {
                        $0.ownedExpression != nil && builder.indexColumn($0, in: entity) == nil
                    })
                else { return nil }
                let expression = (element.ownedExpression as? NSExpressionDescription)?.expression
                return MissingIndex(
                    entity: entity.name, index: index.name, expression: expression?.description ?? "nil")
            }
        }
    }

    private init(layout: ModelLayout, style: any SQLSchemaStyle) {
        self.layout = layout
        self.style = style
        schema = SQLSchema(
            numbers: Array(repeating: nil, count: layout.entities.count),
            columns: layout.entities.map { Array(repeating: nil, count: $0.slots.count) },
            joinEnds: layout.entities.map { Array(repeating: nil, count: $0.toManys.count) })
        schema.tagsExternalValues = style.tagsExternalValues
    }

    // MARK: Numbers

    private mutating func number(entities: Set<String>?, numbers: [String: Int]?) {
        var included = Set(layout.entities.indices)
        if let entities {
            included = []
            for entity in layout.entities where entities.contains(entity.name) {
                var index: Int? = entity.index
                while let place = index, included.insert(place).inserted { index = layout.entities[place].superIndex }
            }
        }
        var next = 1
        for entity in layout.entities where included.contains(entity.index) {
            let number = numbers?[entity.name] ?? next
            schema.numbers[entity.index] = number
            schema.layoutOfNumber[number] = entity.index
            schema.historyMarks[entity.index] = style.historyMark(of: entity.name)
            next += 1
        }
    }

    private func isStored(_ index: Int) -> Bool { schema.numbers[index] != nil }

    // MARK: Entity tables

    /// A column before it is added to the table, with the values by which it is sorted.
    private struct DraftColumn {
        var column: SQLColumn
        var group: Int
        var entity: Int
        var kind: ColumnPlan.Kind
        var name: String
        /// A companion follows its key directly. Elements of a composite attribute stand where its name sorts, in their
        /// declared order.
        var part: Int
    }

    private mutating func makeEntityTables() {
        let roots = layout.entities.filter { $0.superIndex == nil && isStored($0.index) }
        var given: [String: String] = [:]
        for root in roots { given[root.name] = style.givenTable(of: root.entity) }
        let tables = style.tables(ofRoots: roots.map(\.name), given: given)
        tableNames = tables.names
        for root in roots { makeTable(tables.byRoot[root.name] ?? "", of: root) }
    }

    private mutating func makeTable(_ table: String, of root: EntityLayout) {
        var taken = SQLNames()
        for name in style.fixedColumns { taken.take(name) }
        for index in root.subtree where isStored(index) {
            let entity = layout.entities[index]
            for slot in entity.slots where slot.declaringIndex == index {
                if let given = style.givenColumn(of: slot, in: entity) { taken.take(given) }
            }
        }
        var drafts: [DraftColumn] = []
        var keyIndexes: [SQLIndex] = []
        if root.hasSubentities {
            keyIndexes.append(
                SQLIndex(
                    name: style.index(ofKey: SQLSchema.entityColumn, in: table), table: table,
                    columns: [SQLIndexColumn(name: SQLSchema.entityColumn)]))
        }
        for index in root.subtree where isStored(index) {
            let entity = layout.entities[index]
            var suffixes: [Int: String] = [:]
            for number in entity.slots.indices {
                let slot = entity.slots[number]
                guard slot.isPersistent else { continue }
                if slot.declaringIndex != index {
                    // A slot has one column in the whole hierarchy below the declaring entity.
                    schema.columns[index][number] = schema.columns[slot.declaringIndex][number]
                    continue
                }
                guard let plan = plan(of: slot, in: entity) else { continue }
                var name = plan.name
                if let given = style.givenColumn(of: slot, in: entity) {
                    name = given
                } else if let suffix = plan.follows.flatMap({ suffixes[$0] }) {
                    name = taken.own(name + suffix)
                } else {
                    name = taken.own(name)
                    suffixes[number] = String(name.dropFirst(plan.name.count))
                }
                schema.columns[index][number] = name
                drafts.append(
                    DraftColumn(
                        column: SQLColumn(name: name, type: plan.type), group: plan.group, entity: index,
                        kind: plan.kind, name: slot.composite?.name ?? slot.name,
                        part: slot.composite == nil ? (plan.follows == nil ? 0 : 1) : number))
                if plan.isKey {
                    keyIndexes.append(
                        SQLIndex(
                            name: style.index(ofKey: name, in: table), table: table,
                            columns: [SQLIndexColumn(name: name)]))
                }
            }
        }
        drafts.sort { a, b in
            if a.group != b.group { return a.group < b.group }
            if a.entity != b.entity { return a.entity < b.entity }
            if a.kind != b.kind { return a.kind.rawValue < b.kind.rawValue }
            if a.name != b.name { return a.name.utf8.lexicographicallyPrecedes(b.name.utf8) }
            return a.part < b.part
        }
        schema.tableOfRoot[root.index] = schema.entityTables.count
        schema.entityTables.append(
            SQLTable(
                name: table,
                columns: [
                    SQLColumn(name: SQLSchema.keyColumn, type: .integer, isPrimaryKey: true),
                    SQLColumn(name: SQLSchema.entityColumn, type: style.entityType),
                    SQLColumn(name: SQLSchema.versionColumn, type: .integer),
                ] + drafts.map(\.column)))
        schema.indexes.append(contentsOf: keyIndexes)
    }

    private struct ColumnPlan {
        /// In the order in which they stand in a table. Keys of to-many relationships without inverse stand behind
        /// those of to-one relationships in all four such tables of Apple's at hand.
        enum Kind: Int { case attribute, toOne, owner }

        var name: String
        var type: SQLColumnType
        var group: Int
        var kind = Kind.attribute
        var isKey = false
        /// The slot whose numbering suffix this column repeats.
        var follows: Int?
    }

    /// The name of the column of a slot before numbering. An element of a composite attribute has its own name in the
    /// table.
    private static func columnName(of slot: Slot) -> String { slot.elementPath.last ?? slot.name }

    /// The name of a slot's column before numbering, and its place in the order; nil if the slot has no column.
    private func plan(of slot: Slot, in entity: EntityLayout) -> ColumnPlan? {
        let name = Self.columnName(of: slot)
        switch slot.role {
        case .attribute(let attribute):
            return ColumnPlan(
                name: style.column(ofAttribute: name), type: style.type(of: attribute, kind: slot.kind),
                group: Self.group(of: attribute, kind: slot.kind))
        case .toOne:
            return ColumnPlan(
                name: style.column(ofReference: name), type: .integer, group: 1, kind: .toOne, isKey: true)
        case .companion(let key):
            guard case .toOne(let relationship, _) = entity.slots[key].role,
                let destination = relationship.destinationEntity.flatMap({ layout.layout(of: $0) }),
                let number = schema.numbers[destination.index]
            else { return nil }
            return ColumnPlan(
                name: style.column(ofEntityOf: name, number: number), type: style.entityType, group: 1,
                kind: .toOne, follows: key)
        case .order(let key):
            var owner: Int?
            if case .owner(let relationship) = entity.slots[key].role { owner = ownerNumber(of: relationship) }
            return ColumnPlan(
                name: style.column(ofPlaceIn: name, owner: owner), type: .integer, group: 2, kind: .toOne,
                follows: key)
        case .owner(let relationship):
            guard let number = ownerNumber(of: relationship) else { return nil }
            let column = style.column(ofOwner: relationship.entity.name ?? "", number: number, name)
            return ColumnPlan(name: column, type: .integer, group: 1, kind: .owner, isKey: true)
        }
    }

    private func ownerNumber(of relationship: NSRelationshipDescription) -> Int? {
        layout.layout(of: relationship.entity).flatMap { schema.numbers[$0.index] }
    }

    /// The columns of a table are sorted by their types first, as in Apple's files.
    private static func group(of attribute: NSAttributeDescription, kind: SlotKind) -> Int {
        switch kind {
        case .integer, .boolean, .reference, .entityNumber, .order: 1
        case .double, .float, .date: 3
        case .decimal: 4
        case .string: 5
        case .uri: attribute.attributeType == .objectIDAttributeType ? 1 : 6
        case .uuid: 7
        case .transformable: 8
        case .data: 9
        }
    }

    // MARK: Join tables

    private struct RelationshipName: Hashable {
        var entity: Int
        var name: String
    }

    private mutating func makeJoinTables() {
        var seen: Set<RelationshipName> = []
        var takenColumns = SQLNames()
        let byName = layout.entities.filter { isStored($0.index) }
            .sorted { Self.precedes($0.name, $1.name) }
        for entity in byName {
            for toMany in entity.toManys.sorted(by: { $0.relationship.name < $1.relationship.name }) {
                guard case .join(let inverseIndex, _) = toMany.kind, isStored(toMany.destinationIndex),
                    seen.insert(RelationshipName(entity: toMany.declaringIndex, name: toMany.relationship.name))
                        .inserted
                else { continue }
                let inverse = layout.entities[toMany.destinationIndex].toManys[inverseIndex]
                seen.insert(RelationshipName(entity: inverse.declaringIndex, name: inverse.relationship.name))
                guard case .join(_, let isNaming) = toMany.kind else { continue }
                addJoin(naming: isNaming ? toMany : inverse, inverse: isNaming ? inverse : toMany, &takenColumns)
            }
        }
        fillJoinEnds()
    }

    /// The order of entities' names in which join tables are named: first without case, then by bytes.
    private static func precedes(_ a: String, _ b: String) -> Bool {
        let (lowerA, lowerB) = (a.lowercased(), b.lowercased())
        return lowerA == lowerB
            ? a.utf8.lexicographicallyPrecedes(b.utf8) : lowerA.utf8.lexicographicallyPrecedes(lowerB.utf8)
    }

    private mutating func addJoin(naming: ToManySlot, inverse: ToManySlot, _ takenColumns: inout SQLNames) {
        guard let owner = schema.numbers[naming.declaringIndex], let member = schema.numbers[inverse.declaringIndex]
        else { return }
        let isReflexive =
            naming.declaringIndex == inverse.declaringIndex && naming.relationship.name == inverse.relationship.name
        func side(_ toMany: ToManySlot, _ number: Int) -> SQLJoinSides.Side {
            SQLJoinSides.Side(
                entity: layout.entities[toMany.declaringIndex].name, number: number,
                relationship: toMany.relationship.name, isOrdered: toMany.isOrdered,
                userInfo: toMany.relationship.userInfo)
        }
        let sides = SQLJoinSides(
            naming: side(naming, owner), inverse: side(inverse, member), isReflexive: isReflexive)
        let join = style.join(sides, &tableNames, &takenColumns)
        joinsByName[RelationshipName(entity: naming.declaringIndex, name: naming.relationship.name)] =
            (schema.joins.count, true)
        if !isReflexive {
            joinsByName[RelationshipName(entity: inverse.declaringIndex, name: inverse.relationship.name)] =
                (schema.joins.count, false)
        }
        schema.joins.append(join)
        schema.joinTables.append(join.definition)
        schema.indexes.append(join.index)
    }

    private var joinsByName: [RelationshipName: (join: Int, isNaming: Bool)] = [:]

    private mutating func fillJoinEnds() {
        for entity in layout.entities where isStored(entity.index) {
            for toMany in entity.toManys {
                let name = RelationshipName(entity: toMany.declaringIndex, name: toMany.relationship.name)
                guard let (index, isNaming) = joinsByName[name] else { continue }
                schema.joinEnds[entity.index][toMany.index] = schema.joins[index].end(index, naming: isNaming)
            }
        }
    }

    private mutating func noteVersionedLinks() {
        func isVersioned(_ name: String, _ declaring: Int) -> Bool {
            style.isVersioned(name, of: layout.entities[declaring].name)
        }
        let toManys = layout.entities.map { entity in
            Set(entity.toManys.filter { isVersioned($0.relationship.name, $0.declaringIndex) }.map(\.index))
        }
        let toOnes = layout.entities.map { entity in
            Set(
                entity.pairedSlots.filter {
                    isVersioned(entity.slots[$0].name, entity.slots[$0].declaringIndex)
                })
        }
        if (toManys + toOnes).contains(where: { !$0.isEmpty }) {
            schema.versionedLinks = VersionedLinks(toManys: toManys, toOnes: toOnes)
        }
    }

    // MARK: Indexes of attributes

    private mutating func makeFetchIndexes() {
        for entity in layout.entities where isStored(entity.index) {
            guard let table = schema.table(ofRoot: entity.rootIndex)?.name else { continue }
            var names: Set<String> = []
            func add(
                _ suffix: String, _ columns: [SQLIndexColumn?], unique: Bool = false, condition: SQLExpression? = nil
            ) {
                let name = style.index(suffix, of: entity.name)
                let found = columns.compactMap { $0 }
                guard !found.isEmpty, found.count == columns.count, names.insert(name).inserted else { return }
                schema.indexes.append(
                    SQLIndex(name: name, table: table, columns: found, isUnique: unique, condition: condition))
            }
            let own = entity.entity
            for index in own.uncoveredIndexes + own.indexes where isNeeded(index, in: entity) {
                add(
                    index.name, index.elements.map { indexColumn($0, in: entity) },
                    condition: condition(of: index, in: entity))
            }
            // Newer models have a fetch index for each compound index, under another name.
            let covered = own.indexes.map { $0.elements.map { $0.propertyName ?? "" } }
            for names in own.compoundIndexNames where !covered.contains(names) {
                add(names.joined(separator: "_"), names.map { indexColumn($0, in: entity) })
            }
            for constraint in own.uniquenessConstraintNames {
                add(
                    "UNIQUE_" + constraint.joined(separator: "_"), constraint.map { indexColumn($0, in: entity) },
                    unique: true)
            }
        }
    }

    /// Makes the names of indexes unique in the store, because indexes share a namespace with tables.
    private mutating func tellIndexesApart() {
        for table in schema.joinTables { tableNames.take(table.name) }
        for place in schema.indexes.indices {
            schema.indexes[place].name = tableNames.own(SQLNames.word(schema.indexes[place].name))
        }
    }

    /// The condition of a partial index, if every SQLite can compute it: another program could not update an index with
    /// functions of this framework. Without a condition the index covers all rows, and can be used just as well.
    private func condition(of index: NSFetchIndexDescription, in entity: EntityLayout) -> SQLExpression? {
        guard let predicate = index.partialIndexPredicate else { return nil }
        let translator = SQLFetchTranslator(schema: schema, layout: entity, storeNumber: 0)
        guard let frame = try? translator.frame(includesSubentities: true),
            let condition = try? translator.condition(predicate, in: frame), frame.select.joins.isEmpty
        else { return nil }
        return condition.onColumnsOnly
    }

    /// Whether a fetch index becomes an index of the table.
    ///
    /// A spatial index does not: it would be a virtual table, which only Apple's Photos has. Nor does an index of only
    /// a to-one relationship, whose key has an index anyway.
    private func isNeeded(_ index: NSFetchIndexDescription, in entity: EntityLayout) -> Bool {
        if index.elements.contains(where: { $0.collationType == .rTree }) { return false }
        guard index.elements.count == 1, let name = index.elements.first?.propertyName,
            case .toOne? = entity.access[name]
        else { return true }
        return false
    }

    /// The column of an element; nil if the element computes a value that no column holds.
    private func indexColumn(_ element: NSFetchIndexElementDescription, in entity: EntityLayout) -> SQLIndexColumn? {
        guard let computed = element.ownedExpression else {
            return indexColumn(element.propertyName ?? "", in: entity, ascending: element.isAscending)
        }
        switch (computed as? NSExpressionDescription)?.expression?.payload {
        case .evaluatedObject: return indexColumn("self", in: entity, ascending: element.isAscending)
        case .keyPath(let path, operand: nil):
            return indexColumn(path.text, in: entity, ascending: element.isAscending)
        default: return nil
        }
    }

    private func indexColumn(_ property: String, in entity: EntityLayout, ascending: Bool = true) -> SQLIndexColumn? {
        let name: String?
        switch entity.access(at: property) {
        case .attribute(let slot), .toOne(let slot): name = schema.columns[entity.index][slot]
        case .toMany, .composite, .fetched: name = nil
        case nil:
            switch property {
            case "self", "SELF", "objectID": name = SQLSchema.keyColumn
            case "entity": name = SQLSchema.entityColumn
            default: name = nil
            }
        }
        return name.map { SQLIndexColumn(name: $0, direction: ascending ? .ascending : .descending) }
    }
}

extension SQLJoinTable {
    /// The table's definition.
    package var definition: SQLTable {
        var columns = [SQLColumn(name: ownerColumn, type: .integer), SQLColumn(name: memberColumn, type: .integer)]
        for order in [ownerOrderColumn, memberOrderColumn].compactMap({ $0 }) {
            columns.append(SQLColumn(name: order, type: .integer))
        }
        return SQLTable(name: table, columns: columns, compositeKey: [ownerColumn, memberColumn])
    }

    /// The index that finds pairs by their second column.
    package var index: SQLIndex {
        SQLIndex(
            name: "\(table)_\(memberColumn)_INDEX", table: table,
            columns: [SQLIndexColumn(name: memberColumn), SQLIndexColumn(name: ownerColumn)])
    }

    /// The table from one of its sides.
    package func end(_ index: Int, naming: Bool) -> SQLJoinEnd {
        SQLJoinEnd(
            joinIndex: index, table: table, ownerColumn: naming ? ownerColumn : memberColumn,
            memberColumn: naming ? memberColumn : ownerColumn,
            orderColumn: naming ? memberOrderColumn : ownerOrderColumn,
            inverseOrderColumn: naming ? ownerOrderColumn : memberOrderColumn, isReflexive: isReflexive,
            isFlipped: !naming)
    }
}
