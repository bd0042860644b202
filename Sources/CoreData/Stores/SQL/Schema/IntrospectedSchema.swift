import Foundation

/// The introspected schema: the tables and columns that a store's file really has. A store that Apple's framework has
/// migrated, or created years ago, may have other names than a new one.
package struct IntrospectedSchema {
    private let connection: any SQLConnection
    package let tables: Set<String>
    /// The numbers in `Z_PRIMARYKEY`, by entity name.
    package let numbers: [String: Int]

    package init(_ connection: any SQLConnection) throws {
        self.connection = connection
        tables = try connection.tableNames()
        var numbers: [String: Int] = [:]
        typealias Keys = SQLBookkeeping.Keys
        if tables.contains(Keys.table) {
            let select = SQLSelect([.column(Keys.number), .column(Keys.name)], of: Keys.table)
            try connection.prepare(.select(select)).rows { numbers[$0.string(1)] = Int($0.int64(0)) }
        }
        self.numbers = numbers
    }

    /// The columns of a table, in their order.
    package func columns(of table: String) throws -> [String] {
        try connection.columnNames(of: table)
    }

    /// The schema of a model with the names of this store. Throws if the store lacks a table or column that the model
    /// needs.
    package func fit(_ layout: ModelLayout, entities: Set<String>?, url: URL?) throws -> SQLSchema {
        let entities = entities.map { $0.union(presentSubentities(of: $0, layout)) }
        let computed = SQLSchemaBuilder.schema(of: layout, entities: entities, style: connection.style)
        let names = layout.entities.filter { computed.numbers[$0.index] != nil }.map(\.name)
        // A migration may have left an old name in Z_PRIMARYKEY. Then the numbers are those of a new store.
        let ownNumbers = Set(names).isSubset(of: numbers.keys) ? numbers : nil
        if ownNumbers != nil { try checkNumbers(of: names, url) }
        var schema =
            ownNumbers == nil
            ? computed
            : SQLSchemaBuilder.schema(
                of: layout, entities: entities, numbers: ownNumbers, style: connection.style)
        for root in layout.entities where root.superIndex == nil {
            if let table = schema.table(ofRoot: root.index) {
                try fitTable(table, root: root, layout: layout, schema: &schema, url: url)
            }
        }
        for index in schema.joins.indices { try fitJoin(at: index, layout: layout, schema: &schema, url: url) }
        return schema
    }

    /// The highest number of an entity that is accepted, because rows are found in arrays of that size.
    private static let highestNumber = 0xFFFF

    /// Throws if an entity has a number that no store would give.
    private func checkNumbers(of names: [String], _ url: URL?) throws {
        for name in names {
            guard let number = numbers[name], !(1...Self.highestNumber).contains(number) else { continue }
            throw NSError.coreData(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                reason: "The store is damaged: its table \(SQLBookkeeping.Keys.table) gives the entity “\(name)” the "
                    + "number \(number).", url: url)
        }
    }

    /// Subentities of a configuration's entities that the configuration does not name, but that the file was created
    /// with.
    private func presentSubentities(of names: Set<String>, _ layout: ModelLayout) -> [String] {
        layout.entities.filter { entity in
            guard numbers[entity.name] != nil else { return false }
            var above = entity.superIndex
            while let index = above {
                if names.contains(layout.entities[index].name) { return true }
                above = layout.entities[index].superIndex
            }
            return false
        }.map(\.name)
    }

    private func fitTable(
        _ table: SQLTable, root: EntityLayout, layout: ModelLayout, schema: inout SQLSchema, url: URL?
    ) throws {
        guard tables.contains(table.name) else { throw Self.missing("the table \(table.name)", root.name, url) }
        guard try connection.isKey(SQLSchema.keyColumn, of: table.name) else {
            throw Self.missing(
                "the key \(SQLSchema.keyColumn) of the table \(table.name)", root.name, url)
        }
        let present = try Set(columns(of: table.name))
        for index in root.subtree where schema.numbers[index] != nil {
            let entity = layout.entities[index]
            for (number, slot) in entity.slots.enumerated() {
                guard let name = schema.columns[index][number], !present.contains(name) else { continue }
                switch slot.role {
                case .companion:
                    // The number in a companion's name may be from before a migration.
                    let tail = "_" + name.drop { $0 != "_" }.dropFirst()
                    schema.columns[index][number] = present.first { column in
                        column.hasSuffix(tail) && column.first == "Z"
                            && !column.dropFirst().dropLast(tail.count).isEmpty
                            && column.dropFirst().dropLast(tail.count).allSatisfy(\.isNumber)
                    }
                case .order:
                    schema.columns[index][number] = nil
                case .attribute, .toOne, .owner:
                    throw Self.missing(
                        "the column \(name) of the table \(table.name) for “\(slot.name)”", entity.name, url)
                }
            }
        }
    }

    /// Finds a join table by its present name, or by the name that the other side would give it.
    private func fitJoin(at index: Int, layout: ModelLayout, schema: inout SQLSchema, url: URL?) throws {
        var join = schema.joins[index]
        if !tables.contains(join.table), let other = otherTableName(join) { join.table = other }
        guard tables.contains(join.table) else { throw Self.missing("the join table \(join.table)", nil, url) }
        let present = try columns(of: join.table)
        join.ownerColumn = Self.find(join.ownerColumn, in: present) ?? join.ownerColumn
        join.memberColumn = Self.find(join.memberColumn, in: present) ?? join.memberColumn
        for column in [join.ownerColumn, join.memberColumn] where !present.contains(column) {
            throw Self.missing("the column \(column) of the join table \(join.table)", nil, url)
        }
        if let name = join.memberOrderColumn, !present.contains(name) {
            join.memberOrderColumn = present.first {
                $0 == "Z_FOK_" + join.memberColumn.dropFirst(join.isReflexive ? 0 : 2)
            }
        }
        if let name = join.ownerOrderColumn, !present.contains(name) {
            join.ownerOrderColumn = present.first { $0 == "Z_FOK_" + join.ownerColumn.dropFirst(2) }
        }
        schema.replaceJoin(index, by: join)
    }

    /// The name that the table has if the inverse has named it: that of the owner column, without a suffix.
    private func otherTableName(_ join: SQLJoinTable) -> String? {
        if join.isReflexive { return nil }
        return tables.first { table in
            table == join.ownerColumn
                || (join.ownerColumn.hasPrefix(table) && join.ownerColumn.dropFirst(table.count).allSatisfy(\.isNumber))
        }
            ?? tables.first { table in
                guard table.hasPrefix("Z_"), table.dropFirst(2).first?.isNumber == true,
                    let columns = try? columns(of: table)
                else { return false }
                return Self.find(join.ownerColumn, in: columns) != nil
                    && Self.find(join.memberColumn, in: columns) != nil
            }
    }

    /// A column by its name, with any number that the store has added.
    private static func find(_ name: String, in columns: [String]) -> String? {
        if columns.contains(name) { return name }
        let base = String(name.reversed().drop { $0.isNumber }.reversed())
        return columns.first { $0.hasPrefix(base) && $0.dropFirst(base.count).allSatisfy(\.isNumber) }
    }

    private static func missing(_ what: String, _ entity: String?, _ url: URL?) -> NSError {
        let of = entity.map { " of the entity “\($0)”" } ?? ""
        return .coreData(
            NSPersistentStoreIncompatibleSchemaError,
            reason: "The store has not \(what)\(of), which the model needs."
                + (url?.isFileURL == true ? " Where it was lost, \(SQLStoreMetadata.remedy)" : ""),
            url: url)
    }
}

extension SQLSchema {
    /// Replaces the definition of a join table, and updates the ends of its relationships.
    package mutating func replaceJoin(_ index: Int, by join: SQLJoinTable) {
        joins[index] = join
        joinTables[index] = join.definition
        for layout in joinEnds.indices {
            for number in joinEnds[layout].indices {
                guard let end = joinEnds[layout][number], end.joinIndex == index else { continue }
                joinEnds[layout][number] = join.end(index, naming: !end.isFlipped)
            }
        }
    }
}
