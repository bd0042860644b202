import Foundation

/// Checks that a store is whole: it has every row of an entity of the model, every reference leads to a row, no
/// mandatory value is missing, and keys continue above the highest one.
///
/// SQLite evaluates all checks, so no row is read into the program. The store must be a single file that no process
/// writes.
struct StoreVerifier {
    let model: NSManagedObjectModel
    let configuration: String?

    init(_ model: NSManagedObjectModel, _ configuration: String? = nil) {
        self.model = model
        self.configuration = configuration
    }

    /// A query that has no result in a whole store, and the meaning of its results.
    private struct Check {
        var select: SQLSelect
        var entity: String
        var property: String?
        var problem: String
    }

    /// Throws the first problem: entity, property, key of the row.
    ///
    /// - Parameters:
    ///   - rows: The number of rows that entities must have, by name; other entities may have any number.
    ///   - work: Receives the progress, and may cancel the work.
    func verify(
        _ url: URL, rows: [String: Int] = [:], following work: FollowedWork = FollowedWork(progress: nil)
    ) throws {
        do {
            let connection = try SQLiteConnection(path: url.path, access: .immutable)
            SQLiteFunctions.register(on: connection)
            let layout = model.layout
            let metadata = try SQLStoreMetadata.read(from: connection, url: url)
            let names = Set((metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]).keys)
            let schema = try IntrospectedSchema(connection).fit(layout, entities: names, url: url)
            let checks = checks(layout, schema)
            for (number, check) in checks.enumerated() {
                try work.advance(Double(number) / Double(checks.count))
                if let key = try work.run(on: connection, { try Self.found(check.select, on: connection) }) {
                    throw failure(check, key, url)
                }
            }
            if rows.isEmpty { return }
            let found = try EntityCounts.rows(layout, schema, on: connection, following: work)
            if let error = EntityCounts.failure(found, expected: rows, url: url) { throw error }
        } catch let error as SQLiteError {
            throw MigrationErrors.translated(error, url: url, doing: "verifying", isInPlace: false)
        }
    }

    // MARK: The checks

    private func checks(_ layout: ModelLayout, _ schema: SQLSchema) -> [Check] {
        var checks: [Check] = []
        for entity in layout.entities {
            guard let number = schema.numbers[entity.index], let table = schema.table(ofRoot: entity.rootIndex)?.name
            else { continue }
            if entity.superIndex == nil { checks += checksOfTable(table, entity, schema) }
            if entity.entity.isAbstract { continue }
            for (place, slot) in entity.slots.enumerated() {
                guard let column = schema.columns[entity.index][place] else { continue }
                switch slot.role {
                case .attribute(let attribute)
                where !attribute.isOptional && !(attribute is NSDerivedAttributeDescription):
                    checks.append(missing(slot.name, column: column, table: table, number: number, entity: entity))
                case .toOne(let relationship, _):
                    if !relationship.isOptional {
                        checks.append(missing(slot.name, column: column, table: table, number: number, entity: entity))
                    }
                    if let check = dangling(
                        relationship, column: column, table: table, number: number, entity: entity, layout: layout,
                        schema: schema)
                    {
                        checks.append(check)
                    }
                default: break
                }
            }
            for toMany in entity.toManys where toMany.declaringIndex == entity.index {
                guard let end = schema.joinEnds[entity.index][toMany.index] else { continue }
                checks += pairs(end, toMany: toMany, entity: entity, layout: layout, schema: schema)
            }
        }
        return checks
    }

    private func checksOfTable(_ table: String, _ root: EntityLayout, _ schema: SQLSchema) -> [Check] {
        let numbers = root.subtree.compactMap { schema.numbers[$0] }
        let highest = SQLExpression.function(.max, [.column(SQLSchema.keyColumn)])
        let entity = SQLExpression.column(SQLSchema.entityColumn)
        let noted = SQLSelect(
            [.function(.max, [.column(SQLBookkeeping.Keys.highest)])], of: SQLBookkeeping.Keys.table,
            where: .isIn(.column(SQLBookkeeping.Keys.number), numbers.map { .number($0) }))
        var above = SQLSelect([highest], of: table)
        above.having = .binary(.greater, highest, .scalar(noted))
        return [
            Check(
                select: first(of: table, where: .or([.isNull(entity), .not(.isEntity(numbers))])), entity: root.name,
                problem: "belongs to no entity of the model"),
            Check(select: above, entity: root.name, problem: "is above the highest key that was assigned"),
        ]
    }

    /// The key of the first row that a condition holds for.
    private func first(of table: String, where condition: SQLExpression) -> SQLSelect {
        SQLSelect([.column(SQLSchema.keyColumn)], of: table, where: condition, limit: 1)
    }

    private static func found(_ select: SQLSelect, on connection: any SQLConnection) throws -> String? {
        try connection.prepare(.select(select)).first { $0.isNull(0) ? nil : $0.string(0) } ?? nil
    }

    private func missing(
        _ property: String, column: String, table: String, number: Int, entity: EntityLayout
    ) -> Check {
        Check(
            select: first(of: table, where: .and([.isEntity([number]), .isNull(.column(column))])),
            entity: entity.name, property: property, problem: "has no value, which the model demands")
    }

    private func dangling(
        _ relationship: NSRelationshipDescription, column: String, table: String, number: Int, entity: EntityLayout,
        layout: ModelLayout, schema: SQLSchema
    ) -> Check? {
        guard let target = destination(of: relationship, layout, schema) else { return nil }
        func row(_ name: String) -> SQLExpression { .column(alias: "r", name: name) }
        let select = SQLSelect(
            [row(SQLSchema.keyColumn)], of: table, as: "r",
            where: .and([
                .binary(.equal, row(SQLSchema.entityColumn), .number(number)), .isNotNull(row(column)),
                isMissing(row(column), in: target),
            ]), limit: 1)
        return Check(
            select: select, entity: entity.name, property: relationship.name,
            problem: "leads to an object that is not there")
    }

    /// Whether a table has no row with a key.
    private func isMissing(_ key: SQLExpression, in table: String) -> SQLExpression {
        let present = SQLExpression.column(alias: "t", name: SQLSchema.keyColumn)
        return .not(.exists(SQLSelect([present], of: table, as: "t", where: .binary(.equal, present, key))))
    }

    private func pairs(
        _ end: SQLJoinEnd, toMany: ToManySlot, entity: EntityLayout, layout: ModelLayout, schema: SQLSchema
    ) -> [Check] {
        let own = schema.table(ofRoot: entity.rootIndex)?.name
        let other = destination(of: toMany.relationship, layout, schema)
        return [(end.ownerColumn, own), (end.memberColumn, other)].compactMap { column, target in
            guard let target else { return nil }
            func pair(_ name: String) -> SQLExpression { .column(alias: "p", name: name) }
            return Check(
                select: SQLSelect(
                    [pair(end.ownerColumn)], of: end.table, as: "p", where: isMissing(pair(column), in: target),
                    limit: 1),
                entity: entity.name, property: toMany.relationship.name,
                problem: "has a member or an owner that is not there")
        }
    }

    private func destination(
        of relationship: NSRelationshipDescription, _ layout: ModelLayout, _ schema: SQLSchema
    ) -> String? {
        relationship.destinationEntity.flatMap { layout.layout(of: $0) }
            .flatMap { schema.table(ofRoot: $0.rootIndex)?.name }
    }

    private func failure(_ check: Check, _ key: String?, _ url: URL) -> NSError {
        let place = check.property.map { "\(check.entity).\($0)" } ?? check.entity
        let row = key.map { ", row \($0)," } ?? ""
        let help =
            "If the store was so before, correct or delete the row with the older version of the program: a copy takes "
            + "the store's place only when it is whole."
        var info: [String: Any] = [
            MigrationErrors.entityKey: check.entity, NSLocalizedRecoverySuggestionErrorKey: help,
        ]
        info[MigrationErrors.rowKey] = key.flatMap { Int64($0) }
        if let property = check.property { info[MigrationErrors.propertyKey] = property }
        return .coreData(
            NSMigrationError,
            reason: "The migrated store did not pass its verification: “\(place)”\(row) \(check.problem). "
                + help, url: url,
            userInfo: info)
    }
}
