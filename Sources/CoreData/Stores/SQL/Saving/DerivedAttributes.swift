import Foundation

/// Keeps the derived attributes of a store up to date: within the transaction of a save, for the rows that it concerns.
///
/// Apple's files do this by triggers; stores made here have none, and where a file has them both come to the same
/// values. A derivation is any expression that can be translated to SQL: a function of own attributes
/// (`canonical:(title)`, `now()`), an attribute across a to-one relationship, a count or sum over a to-many one. The
/// new values are in the file; objects show them once they are refreshed.
package struct DerivedAttributes: Sendable {
    /// One derived attribute of one entity (with its sub-entities).
    private struct Derivation: Sendable {
        let layout: Int
        let subtree: Range<Int>
        let rootIndex: Int
        /// Its place among the derivations, by which connections keep its statements.
        let number: Int
        /// An UPDATE of the rows whose keys are the first parameter.
        let statement: SQLStatement
        /// The source of the second one, evaluated for each save: an expression of the time, which is the same for all
        /// rows.
        nonisolated(unsafe) let time: NSExpression?
        /// The program's way to compute the expression, where the database does not.
        let judged: JudgedDerivation?
        let dependency: Dependency?
    }

    /// The rows of another entity that a derivation looks at.
    private enum Dependency {
        /// Rows of `layout` whose reference slot names the row.
        case members(layout: Int, slot: Int)
        /// Pairs of a join table.
        case pairs(joinIndex: Int, isFlipped: Bool)
        /// The row that the column of a to-one relationship names.
        case destination(layout: Int, table: String, column: String)
    }

    /// Those that others read come before these.
    private let derivations: [Derivation]

    package var isEmpty: Bool { derivations.isEmpty }

    /// Whether one of them looks at other rows than its own.
    package var dependsOnOthers: Bool { derivations.contains { $0.dependency != nil } }

    /// Throws when a derivation has no translation, naming the attribute.
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
                    place.expression, column, entity, entity.slots[place.slot].name, schema, storeNumber, missing,
                    number: derivations.count))
        }
        self.derivations = derivations
    }

    private static func derivation(
        _ expression: NSExpression, _ column: String, _ entity: EntityLayout, _ name: String, _ schema: SQLSchema,
        _ storeNumber: Int, _ missing: Set<SQLExpression.Function>, number: Int
    ) throws -> Derivation {
        let translator = SQLFetchTranslator(schema: schema, layout: entity, storeNumber: storeNumber)
        let frame = try translator.frame(includesSubentities: true)
        let judged: JudgedDerivation?
        do {
            let (value, _) = try translator.single(translator.operand(expression, in: frame), expression)
            frame.select.results = [SQLSelect.Result(expression: value)]
            judged = try JudgedDerivation(value, frame.select, key: frame.key, column: column, missing: missing)
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
            time: time, judged: judged,
            dependency: dependency(of: expression, entity, schema))
    }

    /// The expression, where it has one value for all rows, which the translator has computed, and another one later.
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

    /// Computes the derived attributes of the rows that a change set concerns; returns those rows' keys by root index.
    package func update(
        for changes: ChangeSet, store: SQLStore, connection: any SQLConnection
    ) throws -> [(rootIndex: Int, primaryKeys: Set<Int64>)] {
        var touched: [(rootIndex: Int, primaryKeys: Set<Int64>)] = []
        for derivation in derivations {
            let keys = try affectedKeys(derivation, changes, store, connection)
            if keys.isEmpty { continue }
            try compute(derivation, keys, connection)
            touched.append((derivation.rootIndex, keys))
        }
        return touched
    }

    private func compute(
        _ derivation: Derivation, _ keys: some Sequence<Int64>, _ connection: any SQLConnection
    ) throws {
        if let judged = derivation.judged { return try judged.compute(Array(keys), connection) }
        let statement = try connection.statement(.derivation(derivation.number)) { derivation.statement }
        try statement.run { parameters in
            parameters.bind(1, list: Array(keys))
            if let time = derivation.time { parameters.bind(2, Self.value(of: time)) }
        }
    }

    // MARK: Batches

    /// Computes the derived attributes of the given rows; returns the root entities that have any.
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

    /// Computes anew, for all rows, attributes that are derived from rows of the given root entities or from the pairs
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
            try JudgedDerivation.eachPage(ofKeysIn: table, where: rows(of: derivation, store), connection) { keys in
                try compute(derivation, keys, connection)
            }
            touched.insert(derivation.rootIndex)
        }
        return touched
    }

    private func affectedKeys(
        _ derivation: Derivation, _ changes: ChangeSet, _ store: SQLStore, _ connection: any SQLConnection
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
                    // It was deleted unread, and is gone: whose member it was is not known any more.
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

    /// Whether a row is one of the derivation's entity, or of an entity below that.
    private func rows(of derivation: Derivation, _ store: SQLStore) -> SQLExpression {
        let numbers = derivation.subtree.compactMap { store.schema.numbers[$0] }
        return .isEntity(numbers)
    }
}
