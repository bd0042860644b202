import Foundation

/// Changes the rows of a batch: by one statement if the keys of the rows are not needed. Otherwise it reads their keys,
/// and the values of expressions for them, in one connection and writes in another.
package struct BatchUpdater {
    private let batch: BatchUpdate
    private let transaction: BatchTransaction
    private let store: SQLStore
    private let layout: EntityLayout
    private let writer: RowWriter
    private let ranges: BatchRanges

    /// One column to set.
    private struct Assignment {
        let field: RowWriter.Field
        /// The value in the form of the column; nil if each row has a value of its own.
        var constant: SlotValue?
        /// Bytes that are written to a new file for each row.
        var external: Data?
        /// The place among the columns that are read.
        var place: Int?
        /// The expression that computes the value of each row.
        var expression: NSExpression?
    }

    package init(_ batch: BatchUpdate, _ transaction: BatchTransaction) throws {
        self.batch = batch
        self.transaction = transaction
        store = transaction.store
        layout = batch.rows.layout
        // A writer needs a concrete entity only for its number, which is not used here.
        writer = try store.rowWriter(layout.index)
        ranges = BatchRanges(layout)
    }

    package func run() throws {
        var assignments: [Assignment] = []
        var strangers: [BatchReference] = []
        let select = try store.selection(of: batch.rows) { translator, frame in
            for (slot, value) in batch.assignments {
                guard let field = writer.field(ofSlot: slot) else { continue }
                switch value {
                case .constant(let value):
                    assignments.append(constant(value, field))
                case .reference(let reference):
                    if reference.key.storeNumber == store.storeNumber {
                        try requireRow(reference)
                    } else {
                        strangers.append(reference)
                    }
                    assignments.append(constant(.int(reference.key.key), field))
                case .expression(let expression):
                    guard field.kind != .external else { throw cannotCompute(expression, slot) }
                    let operand = try translator.operand(expression, in: frame)
                    let (computed, _) = try translator.single(operand, expression)
                    assignments.append(
                        Assignment(field: field, place: frame.select.results.count, expression: expression))
                    frame.select.results.append(SQLSelect.Result(expression: computed))
                }
            }
        }
        if assignments.isEmpty { return }
        if strangers.isEmpty, changesAtOnce(select, assignments) {
            try changeAtOnce(select, assignments)
            return
        }
        let statement = try transaction.connection.prepare(
            RowWriter.update(writer.table, assignments.map(\.field.column)))
        try store.scan(select, beside: transaction.connection) { rows in
            if let stranger = strangers.first, !rows.isEmpty {
                throw stranger.failure("is in another store than a row that is updated")
            }
            try update(rows, assignments, statement)
        }
        if transaction.outcome.count > 0 { transaction.changedRoots.insert(layout.rootIndex) }
    }

    /// Throws if the row to which a relationship is set does not exist.
    private func requireRow(_ reference: BatchReference) throws {
        let (key, root) = (reference.key, store.layout.entities[reference.key.layoutIndex].rootIndex)
        let number = try store.schema.table(ofRoot: root).flatMap { table in
            try transaction.connection.integer(
                SQLSelect(
                    [.function(.coalesce, [.column(SQLSchema.entityColumn), .number(0)])], of: table.name,
                    where: .binary(.equal, .column(SQLSchema.keyColumn), .value(.int(key.primaryKey)))))
        }
        guard let number, store.layoutIndex(number: number, rootIndex: root) == key.layoutIndex else {
            throw reference.failure("is not in the store (deleted, or never saved)")
        }
    }

    // MARK: By one statement

    /// Whether one statement is enough: a changed row has no consequences, and the value of an expression is stored in
    /// its column without a conversion.
    private func changesAtOnce(_ select: SQLSelect, _ assignments: [Assignment]) -> Bool {
        guard store.types == nil, !store.capabilities.hasTypedColumns, transaction.writesRowsOnly, !batch.wantsKeys,
            select.isPlain, select.condition?.isSteady ?? true
        else { return false }
        return assignments.allSatisfy { assignment in
            // The names of the external files that are replaced must be read.
            if assignment.field.kind == .external { return false }
            guard let place = assignment.place else { return assignment.constant != nil }
            switch assignment.field.kind {
            case .integer: return computes(select.results[place].expression, select.alias)
            case .double where layout.slots[assignment.field.slot].kind == .double:
                return computes(select.results[place].expression, withDoubles: true, select.alias)
            default: return false
            }
        }
    }

    /// Whether an expression only adds, subtracts and multiplies integers, or also doubles. The result is of these
    /// kinds, or too large for them.
    private func computes(_ expression: SQLExpression, withDoubles: Bool = false, _ alias: String?) -> Bool {
        // A set of kinds would be the first of its type in most programs, which the runtime takes long to make.
        func isAllowed(_ kind: SlotKind) -> Bool { kind == .integer || withDoubles && kind == .double }
        return switch expression {
        case .value(.int): true
        case .value(.double): withDoubles
        case .column(alias: alias, let name):
            writer.fields.contains { $0.column == name && isAllowed(layout.slots[$0.slot].kind) }
        case .binary(.add, let first, let second), .binary(.subtract, let first, let second),
            .binary(.multiply, let first, let second):
            computes(first, withDoubles: withDoubles, alias) && computes(second, withDoubles: withDoubles, alias)
        default: false
        }
    }

    private func changeAtOnce(_ select: SQLSelect, _ assignments: [Assignment]) throws {
        var select = select
        if layout.superIndex == nil, store.soleLayouts[layout.index] == nil, let alias = select.alias {
            // Rows of entities that the model does not have stay unchanged.
            let numbers = layout.subtree.compactMap { store.schema.numbers[$0] }.map { SQLExpression.number($0) }
            let known = SQLExpression.isIn(.column(alias: alias, name: SQLSchema.entityColumn), numbers)
            select.condition = .and([known] + (select.condition.map { [$0] } ?? []))
        }
        try requireFitting(select, assignments)
        let update = SQLUpdate(
            writer.table, as: select.alias,
            [RowWriter.risenVersion]
                + assignments.map { assignment in
                    .init(
                        assignment.field.column,
                        assignment.place.map { select.results[$0].expression } ?? .value(assignment.constant ?? .null))
                }, where: select.condition)
        let outcome = try transaction.connection.run(.update(update))
        transaction.outcome.count += outcome.changed
        if outcome.changed > 0 { transaction.changedRoots.insert(layout.rootIndex) }
    }

    /// Throws if an expression has a value that its attribute cannot hold. The least and the greatest value show that
    /// for all rows.
    private func requireFitting(_ select: SQLSelect, _ assignments: [Assignment]) throws {
        let computed = assignments.filter { $0.place != nil }
        if computed.isEmpty { return }
        var bounds = select
        bounds.results = computed.flatMap { assignment in
            let value = assignment.place.map { select.results[$0].expression } ?? .null
            return [SQLExpression.Function.min, .max, .count].map {
                SQLSelect.Result(expression: .function($0, [value]))
            }
        }
        bounds.results.append(.init(expression: .countAll))
        bounds.order = []
        let values = bounds.results.count
        try transaction.connection.prepare(.select(bounds)).rows { row in
            for (number, assignment) in computed.enumerated() {
                var found = [row.slotValue(number * 3), row.slotValue(number * 3 + 1)].filter { !$0.isNull }
                if row.int64(number * 3 + 2) < row.int64(values - 1) { found.append(.null) }
                for value in found { _ = try converted(value, assignment.field, assignment.expression) }
            }
        }
    }

    // MARK: Row by row

    private func update(
        _ rows: [[SlotValue]], _ assignments: [Assignment], _ statement: any SQLPreparedStatement
    ) throws {
        let external = assignments.map(\.field).filter { $0.kind == .external }
        let slots = assignments.map(\.field.slot)
        let found = try rows.compactMap { row in
            try store.key(of: row, rootIndex: layout.rootIndex).map { (key: $0, values: row) }
        }
        try statement.run(found.count) { place, parameters in
            let (key, row) = found[place]
            let isFirst = place == 0
            try transaction.noteFiles(of: external, writer.table, key.primaryKey)
            for (place, assignment) in assignments.enumerated() {
                if let constant = assignment.constant {
                    if isFirst { parameters.bind(place + 1, constant) }
                } else if let column = assignment.place {
                    parameters.bind(place + 1, try converted(row[column], assignment.field, assignment.expression))
                } else if let bytes = assignment.external {
                    parameters.bind(place + 1, try bytes.withUnsafeBytes { try transaction.encode($0) })
                }
            }
            parameters.bind(assignments.count + 1, key.primaryKey)
        }
        let changed = found.map(\.key)
        for key in changed {
            transaction.take(key, wantsKeys: batch.wantsKeys)
            try transaction.history?.record(.update, key, slots: slots)
        }
        try transaction.derive(changed)
    }

    /// A constant in the form of its column.
    private func constant(_ value: SlotValue, _ field: RowWriter.Field) -> Assignment {
        switch (field.kind, value) {
        case (.reference, .int(let key)):
            return Assignment(field: field, constant: .int(key & ObjectKey.primaryKeyMask))
        case (.entityNumber, .int(let index)):
            let number = store.schema.numbers[Int(index)]
            return Assignment(field: field, constant: number.map { .int(Int64($0)) } ?? .null)
        case (.external, .data(let data)):
            if data.count > ExternalData.inlineLimit { return Assignment(field: field, external: data) }
            return Assignment(field: field, constant: .data(data.withUnsafeBytes { ExternalData.inline($0) }))
        default:
            return Assignment(field: field, constant: value)
        }
    }

    /// The value of an expression in the column's type. A computed number may be whole or not.
    private func converted(
        _ value: SlotValue, _ field: RowWriter.Field, _ expression: NSExpression?
    ) throws -> SlotValue {
        // SQLite stores NaN as NULL, and a mandatory number must not become NULL.
        if value.isNull, layout.slots[field.slot].kind != .date,
            layout.validationRules.floatingSlots.contains(field.slot),
            layout.validationRules.requiredSlots.contains(field.slot)
        {
            throw layout.slots[field.slot].notANumber(entity: layout.name, expression: expression)
        }
        let result: SlotValue =
            switch (field.kind, value) {
            case (.integer, .double(let number)): try ranges.whole(number, field.slot)
            case (.double, .int(let number)): .double(Double(number))
            default: value
            }
        try ranges.check(result, field.slot)
        return result
    }

    private func cannotCompute(_ expression: NSExpression, _ slot: Int) -> NSError {
        NSError.coreData(
            NSCoreDataError,
            reason: "The attribute \(layout.slots[slot].name) of \(layout.name) allows external storage; it cannot be "
                + "set to \(expression)")
    }
}
