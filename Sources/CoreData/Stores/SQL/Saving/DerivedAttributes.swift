import Foundation

/// Keeps the derived attributes of a store up to date: within the transaction of a save, for the rows that the save
/// affects.
///
/// Apple's files do this by triggers. Stores of this framework have them only on request
/// (``NSSQLiteDerivedAttributeTriggersOption``), and then both compute equal values. A derivation is any expression
/// that can be translated to SQL: a function of own attributes (`canonical:(title)`, `now()`), an attribute across a
/// to-one relationship, a count or sum over a to-many one. The new values are in the file; objects show them after a
/// refresh.
package struct DerivedAttributes: Sendable {
    /// One derived attribute of one entity and its subentities.
    private struct Derivation: Sendable {
        let layout: Int
        let subtree: Range<Int>
        let rootIndex: Int
        /// Its index among the derivations, by which connections cache its statements.
        let number: Int
        /// An UPDATE of the rows whose keys are the first parameter.
        let statement: SQLStatement
        /// An expression of the time, which is evaluated for each save and is the second parameter. Its value is equal
        /// for all rows.
        nonisolated(unsafe) let time: NSExpression?
        /// The computation by the client, if the database cannot compute the expression.
        let clientDerivation: ClientDerivation?
        let dependency: Dependency?
    }

    /// The rows of another entity that a derivation reads.
    private enum Dependency {
        /// Rows of `layout` whose reference slot names the row.
        case members(layout: Int, slot: Int)
        /// Pairs of a join table.
        case pairs(joinIndex: Int, isFlipped: Bool)
        /// The row to which the column of a to-one relationship leads.
        case destination(layout: Int, table: String, column: String)
    }

    /// The derivations in the order of their computation.
    private let derivations: [Derivation]

    package var isEmpty: Bool { derivations.isEmpty }

    /// Whether a derivation reads other rows than its own.
    package var dependsOnOthers: Bool { derivations.contains { $0.dependency != nil } }

    /// Throws an error that names the attribute if a derivation has no translation.
    ///
    /// - Parameter missing: the functions that the database does not compute.
    package init(
        layout: ModelLayout, schema: SQLSchema, storeNumber: Int, missing: Set<SQLExpression.Function> = []
    ) throws {
        var derivations: [Derivation] = []
        for place in DerivationOrder.places(in: layout) {
            let entity = place.entity
            guard schema.numbers[entity.index] != nil, let column = schema.columns[entity.index][place.slot] else {
                continue
            }
            derivations.append(
                try Self.derivation(
                    of: place.expression, column: column, entity: entity, name: entity.slots[place.slot].name,
                    schema: schema, storeNumber: storeNumber, missing: missing, number: derivations.count))
        }
        self.derivations = derivations
    }

    /// The error of a derivation that has no translation; nil if it has one.
    static func error(of place: DerivationOrder.Place, in schema: SQLSchema) -> (any Error)? {
        guard let column = schema.columns[place.entity.index][place.slot] else { return nil }
        do {
            _ = try derivation(
                of: place.expression, column: column, entity: place.entity,
                name: place.entity.slots[place.slot].name, schema: schema, storeNumber: 0, missing: [], number: 0)
            return nil
        } catch {
            return error
        }
    }

    private static func derivation(
        of expression: NSExpression, column: String, entity: EntityLayout, name: String, schema: SQLSchema,
        storeNumber: Int, missing: Set<SQLExpression.Function>, number: Int
    ) throws -> Derivation {
        let translator = SQLFetchTranslator(schema: schema, layout: entity, storeNumber: storeNumber)
        let frame = try translator.frame(includesSubentities: true)
        let clientDerivation: ClientDerivation?
        do {
            let (value, _) = try translator.single(translator.operand(expression, in: frame), expression)
            frame.select.results = [SQLSelect.Result(expression: value)]
            clientDerivation = try ClientDerivation(
                value, frame.select, key: frame.key, column: column, missing: missing)
        } catch {
            throw NSError.coreData(
                NSPersistentStoreIncompatibleSchemaError,
                reason:
                    "The derivation \(expression) of \(entity.name).\(name) cannot be kept by a store of this kind.",
                underlying: error)
        }
        let table = frame.select.table
        frame.addCondition(.binary(.equal, frame.key, .column(alias: table, name: SQLSchema.keyColumn)))
        let time = timeExpression(expression, frame.select.results)
        return Derivation(
            layout: entity.index, subtree: entity.subtree, rootIndex: entity.rootIndex, number: number,
            statement: .update(
                SQLUpdate(
                    table, [.init(column, time == nil ? .scalar(frame.select) : .parameter(2))],
                    where: .isInParameter(.column(SQLSchema.keyColumn), 1))),
            time: time, clientDerivation: clientDerivation,
            dependency: dependency(of: expression, entity, schema))
    }

    /// The expression, if the translator has computed one value for all rows but the value depends on the time;
    /// otherwise nil.
    package static func timeExpression(_ expression: NSExpression, _ results: [SQLSelect.Result]) -> NSExpression? {
        guard case .value? = results.first?.expression, expression.description.contains("now(") else { return nil }
        return expression
    }

    /// The present value of an expression of the time.
    package static func value(of time: NSExpression) -> SlotValue {
        switch ExpressionValue(time.expressionValue(with: nil, context: nil)) {
        case .date(let seconds), .double(let seconds): .double(seconds)
        case .int(let number): .int(number)
        case .string(let text): .string(text)
        default: .null
        }
    }

    /// The destination of the first key path of a derivation.
    private static func dependency(
        of expression: NSExpression, _ entity: EntityLayout, _ schema: SQLSchema
    ) -> Dependency? {
        switch expression.payload {
        case .keyPath(let path, operand: nil):
            switch entity.access[path.keys.first ?? ""] {
            case .toOne(let slot) where path.keys.count > 1:
                guard case .toOne(let relationship, _) = entity.slots[slot].role,
                    let destination = relationship.destinationEntity.flatMap({ entity.model.layout(of: $0) }),
                    let table = schema.table(ofRoot: entity.rootIndex)?.name,
                    let column = schema.column(layout: entity.index, slot: slot)
                else { return nil }
                return .destination(layout: destination.index, table: table, column: column)
            case .toMany(let index):
                let toMany = entity.toManys[index]
                switch toMany.kind {
                case .inverseKey(let slot, _), .ownerKey(let slot, _):
                    return .members(layout: toMany.destinationIndex, slot: slot)
                case .join:
                    return schema.joinEnds[entity.index][index].map {
                        .pairs(joinIndex: $0.joinIndex, isFlipped: $0.isFlipped)
                    }
                case .transient:
                    return nil
                }
            default:
                return nil
            }
        case .function(_, _, let arguments):
            for argument in arguments {
                if let found = dependency(of: argument, entity, schema) { return found }
            }
            return nil
        default:
            return nil
        }
    }

    // MARK: Keeping

    /// Computes the derived attributes of the rows that a change set affects. Returns those rows' keys by root index.
    package func update(
        for changes: ChangeSet, store: SQLStore, connection: any SQLConnection
    ) throws -> [(rootIndex: Int, primaryKeys: Set<Int64>)] {
        var touched: [(rootIndex: Int, primaryKeys: Set<Int64>)] = []
        for derivation in derivations {
            let keys = try affectedKeys(of: derivation, changes: changes, in: store, on: connection)
            if keys.isEmpty { continue }
            try compute(derivation, keys, connection)
            touched.append((derivation.rootIndex, keys))
        }
        return touched
    }

    private func compute(
        _ derivation: Derivation, _ keys: some Sequence<Int64>, _ connection: any SQLConnection
    ) throws {
        if let clientDerivation = derivation.clientDerivation {
            return try clientDerivation.compute(Array(keys), connection)
        }
        let statement = try connection.statement(.derivation(derivation.number)) { derivation.statement }
        try statement.run { parameters in
            parameters.bind(1, list: Array(keys))
            if let time = derivation.time { parameters.bind(2, Self.value(of: time)) }
        }
    }

    // MARK: Batches

    /// Computes the derived attributes of the given rows. Returns the root entities that have derived attributes.
    package func update(rows: [ObjectKey], connection: any SQLConnection) throws -> Set<Int> {
        var roots: Set<Int> = []
        for derivation in derivations {
            let keys = rows.filter { derivation.subtree.contains($0.layoutIndex) }.map(\.primaryKey)
            if keys.isEmpty { continue }
            try compute(derivation, keys, connection)
            roots.insert(derivation.rootIndex)
        }
        return roots
    }

    /// Computes, for all rows, the attributes that are derived from rows of the given root entities or from the pairs
    /// of the given join tables. Returns the root entities that have such attributes.
    package func refresh(
        dependingOn roots: Set<Int>, joins: Set<Int>, store: SQLStore, connection: any SQLConnection
    ) throws -> Set<Int> {
        var touched: Set<Int> = []
        for derivation in derivations {
            let isConcerned =
                switch derivation.dependency {
                case .members(let layout, _), .destination(let layout, _, _):
                    roots.contains(store.layout.entities[layout].rootIndex)
                case .pairs(let joinIndex, _): joins.contains(joinIndex)
                case nil: false
                }
            guard isConcerned, let table = store.schema.table(ofRoot: derivation.rootIndex)?.name else { continue }
            try ClientDerivation.eachPage(ofKeysIn: table, where: rows(of: derivation, store), connection) { keys in
                try compute(derivation, keys, connection)
            }
            touched.insert(derivation.rootIndex)
        }
        return touched
    }

    private func affectedKeys(
        of derivation: Derivation, changes: ChangeSet, in store: SQLStore, on connection: any SQLConnection
    ) throws -> Set<Int64> {
        let model = store.layout
        let subtree = model.entities[derivation.layout].subtree
        var keys: Set<Int64> = []
        func add(_ key: Int64) { keys.insert(key & ObjectKey.primaryKeyMask) }
        for row in changes.inserted where subtree.contains(row.layoutIndex) { add(row.key) }
        for update in changes.updated where subtree.contains(update.new.layoutIndex) { add(update.new.key) }
        switch derivation.dependency {
        case .members(let layout, let slot):
            let members = model.entities[layout].subtree
            func addOwner(_ row: Snapshot) {
                if members.contains(row.layoutIndex), !row.isNull(slot) { add(row.int(slot)) }
            }
            for row in changes.inserted { addOwner(row) }
            for update in changes.updated {
                addOwner(update.old)
                addOwner(update.new)
            }
            for deletion in changes.deleted where members.contains(deletion.key.layoutIndex) {
                if let row = deletion.row {
                    addOwner(row)
                } else {
                    // The member was deleted as a fault, so its owner is not known.
                    return try allKeys(derivation, store, connection)
                }
            }
        case .pairs(let joinIndex, let isFlipped):
            for join in changes.joins {
                guard let end = store.schema.joinEnds[join.owner.layoutIndex][join.toMany.index],
                    end.joinIndex == joinIndex
                else { continue }
                let others = (join.added + join.removed).map(\.key)
                if end.isFlipped == isFlipped { add(join.owner.key) }
                if end.isFlipped != isFlipped || end.isReflexive { others.forEach(add) }
            }
            let lost = changes.deleted.contains { deletion in
                store.schema.joinEnds[deletion.key.layoutIndex].contains { $0?.joinIndex == joinIndex }
            }
            if lost { return try allKeys(derivation, store, connection) }
        case .destination(let layout, let table, let column):
            let destinations = model.entities[layout].subtree
            let updated = changes.updated.filter { destinations.contains($0.new.layoutIndex) }.map {
                $0.new.key & ObjectKey.primaryKeyMask
            }
            if updated.isEmpty { break }
            let statement = try connection.statement(.referring(table: table, column: column)) {
                .select(
                    SQLSelect(
                        [.column(SQLSchema.keyColumn)], of: table, where: .isInParameter(.column(column), 1)))
            }
            try statement.rows({ $0.bind(1, list: updated) }) { keys.insert($0.int64(0)) }
        case nil:
            break
        }
        return keys
    }

    private func allKeys(
        _ derivation: Derivation, _ store: SQLStore, _ connection: any SQLConnection
    ) throws -> Set<Int64> {
        guard let table = store.schema.table(ofRoot: derivation.rootIndex)?.name else { return [] }
        let select = SQLSelect([.column(SQLSchema.keyColumn)], of: table, where: rows(of: derivation, store))
        var keys: Set<Int64> = []
        try connection.prepare(.select(select)).stream({ _ in }) { keys.insert($0.int64(0)) }
        return keys
    }

    /// Whether a row is of the derivation's entity, or of a subentity.
    private func rows(of derivation: Derivation, _ store: SQLStore) -> SQLExpression {
        let numbers = derivation.subtree.compactMap { store.schema.numbers[$0] }
        return .isEntity(numbers)
    }
}
