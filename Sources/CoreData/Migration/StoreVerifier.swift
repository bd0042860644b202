import Foundation

/// Looks whether a store is whole: every row of an entity of the model, every reference leads somewhere, nothing mandatory
/// is missing, keys go on counting above the highest one.
///
/// Everything is asked of SQLite; no row is read into the program. The store must be a single file that nobody writes.
struct StoreVerifier {
    let model: NSManagedObjectModel
    let configuration: String?

    init(_ model: NSManagedObjectModel, _ configuration: String? = nil) {
        self.model = model
        self.configuration = configuration
    }

    /// A query that finds nothing in a whole store, and what it means when it does.
    private struct Check {
        var sql: String
        var entity: String
        var property: String?
        var problem: String
    }

    /// Throws the first problem: entity, property, key of the row.
    ///
    /// - Parameters:
    ///   - rows: how many rows entities must have, by name; the others may have any number.
    ///   - work: is told how far it is, and may cancel it.
    func verify(
        _ url: URL, rows: [String: Int] = [:], following work: FollowedWork = FollowedWork(progress: nil)
    ) throws {
        do {
            let connection = try SQLiteConnection(path: url.path, access: .immutable)
            SQLiteFunctions.register(on: connection)
            let layout = model.layout
            let metadata = try SQLStoreMetadata.read(from: connection, url: url)
            let names = Set((metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]).keys)
            let schema = try ActualSchema(connection).fit(layout, entities: names, url: url)
            let checks = checks(layout, schema)
            for (number, check) in checks.enumerated() {
                try work.advance(Double(number) / Double(checks.count))
                if let key = try work.run(on: connection, { try connection.text(check.sql) }) {
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

    // MARK: What is asked

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
                    checks.append(missing(slot.name, column, table, number, entity))
                case .toOne(let relationship, _):
                    if !relationship.isOptional { checks.append(missing(slot.name, column, table, number, entity)) }
                    if let check = dangling(relationship, column, table, number, entity, layout, schema) {
                        checks.append(check)
                    }
                default: break
                }
            }
            for toMany in entity.toManys where toMany.declaringIndex == entity.index {
                guard let end = schema.joinEnds[entity.index][toMany.index] else { continue }
                checks += pairs(end, toMany, entity, layout, schema)
            }
        }
        return checks
    }

    private func checksOfTable(_ table: String, _ root: EntityLayout, _ schema: SQLSchema) -> [Check] {
        let numbers = root.subtree.compactMap { schema.numbers[$0] }.map(String.init).joined(separator: ", ")
        return [
            Check(
                sql: "SELECT Z_PK FROM \(quoted(table)) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers)) LIMIT 1",
                entity: root.name, problem: "belongs to no entity of the model"),
            Check(
                sql: "SELECT MAX(Z_PK) FROM \(quoted(table)) HAVING MAX(Z_PK) > "
                    + "(SELECT MAX(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_ENT IN (\(numbers)))",
                entity: root.name, problem: "lies above the highest key that was given out"),
        ]
    }

    private func missing(
        _ property: String, _ column: String, _ table: String, _ number: Int, _ entity: EntityLayout
    ) -> Check {
        Check(
            sql: "SELECT Z_PK FROM \(quoted(table)) WHERE Z_ENT = \(number) AND \(quoted(column)) IS NULL LIMIT 1",
            entity: entity.name, property: property, problem: "has no value, which the model demands")
    }

    private func dangling(
        _ relationship: NSRelationshipDescription, _ column: String, _ table: String, _ number: Int,
        _ entity: EntityLayout, _ layout: ModelLayout, _ schema: SQLSchema
    ) -> Check? {
        guard let target = destination(of: relationship, layout, schema) else { return nil }
        return Check(
            sql: "SELECT r.Z_PK FROM \(quoted(table)) r WHERE r.Z_ENT = \(number) AND r.\(quoted(column)) IS NOT NULL "
                + "AND NOT EXISTS (SELECT 1 FROM \(quoted(target)) t WHERE t.Z_PK = r.\(quoted(column))) LIMIT 1",
            entity: entity.name, property: relationship.name, problem: "leads to an object that is not there")
    }

    private func pairs(
        _ end: SQLJoinEnd, _ toMany: ToManySlot, _ entity: EntityLayout, _ layout: ModelLayout, _ schema: SQLSchema
    ) -> [Check] {
        let own = schema.table(ofRoot: entity.rootIndex)?.name
        let other = destination(of: toMany.relationship, layout, schema)
        return [(end.ownerColumn, own), (end.memberColumn, other)].compactMap { column, target in
            guard let target else { return nil }
            return Check(
                sql: "SELECT p.\(quoted(end.ownerColumn)) FROM \(quoted(end.table)) p WHERE NOT EXISTS "
                    + "(SELECT 1 FROM \(quoted(target)) t WHERE t.Z_PK = p.\(quoted(column))) LIMIT 1",
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

    private func quoted(_ name: String) -> String { SQLiteDialect().quoted(name) }

    private func failure(_ check: Check, _ key: String?, _ url: URL) -> NSError {
        let place = check.property.map { "\(check.entity).\($0)" } ?? check.entity
        let row = key.map { ", row \($0)," } ?? ""
        let help =
            "If the store was so before, mend or delete the row with the older version of the program: a copy takes the "
            + "store's place only when it is whole."
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
