import Foundation

/// One step of a migration as a value. `MigrationStep+SQL` makes the statements of it.
enum MigrationStep {
    /// Searches for rows that the newer model does not allow, and throws if there is one.
    case check(MigrationCheck)
    case dropTrigger(String)
    /// Makes a trigger again that was dropped while its table changed.
    case createTrigger(StoreCatalog.Trigger)
    case dropView(String)
    /// Makes a view again that was dropped while tables changed.
    case createView(StoreCatalog.View)
    case dropIndex(String)
    case createIndex(SQLIndex)
    case createTable(SQLTable)
    case dropTable(String)
    case renameTable(from: String, to: String)
    case addColumn(table: String, SQLColumn)
    case renameColumn(table: String, from: String, to: String)
    /// SQLite writes every row of the table anew.
    case dropColumn(table: String, String)
    /// Gives a column and its values another type, if the database does that in place.
    case changeType(table: String, SQLColumn, from: String)
    /// Puts new names of entities into the rows of these columns. `names` are the names of all entities by their
    /// numbers.
    case renameEntities([SQLUpdate], names: [Int: String])
    /// Deletes the rows of removed entities.
    case deleteRows(table: String, numbers: [Int])
    /// Clears keys of rows that are about to be deleted.
    case clearKeys(table: String, columns: [String], key: String, target: String, numbers: [Int])
    /// Deletes the pairs of a join table that lead to rows that are about to be deleted.
    case deletePairs(table: String, column: String, target: String, numbers: [Int])
    /// Sets default values, numbers of entities and cleared values by one UPDATE for the whole table.
    case update(table: String, [MigrationAssignment])
    /// Copies rows with the values of every column.
    case copyRows(from: String, into: String, [MigrationAssignment], numbers: [Int]?)
    /// Copies the pairs of a join table, or makes pairs of the keys in an entity's table.
    case copyPairs(MigrationPairs)
    /// Puts the tag of external storage in front of the values of a column, or takes it away.
    case tagValues(table: String, column: String, numbers: [Int]?, tagged: Bool, of: MigrationPlace)
    /// Sets the entity of a relationship's destination, which it reads in the table of the destination.
    case fillEntity(table: String, column: String, key: String, target: String)
    /// Sets the positions of the members of every owner's list. Members without a position follow those with one, in
    /// the order of their keys.
    case fillPositions(table: String, column: String, owner: String)
    /// Computes a derived attribute that is new or computed otherwise than before.
    case fillDerived(table: String, column: String, SQLStatement)
    /// Computes such a derived attribute in the program (client evaluation), for the rows of some entities or of all.
    case deriveOnClient(table: String, column: String, numbers: [Int]?, ClientDerivation)
    /// Sets the other side of a one-to-one relationship if it is empty.
    case fillInverse(table: String, column: String, numbers: [Int]?, from: String, key: String)
    /// Replaces the rows of `Z_PRIMARYKEY`.
    case replaceKeys(remove: [Int], [MigrationKeyRow])
    /// Changes the numbers of entities in persistent history, and deletes changes of removed entities.
    case renumberHistory(moves: [Int: Int], removed: [Int], reordered: [Int])
    case replaceModelCache
    case writeMetadata
}

/// The entity and the property of a column, for messages.
struct MigrationPlace: Equatable {
    var entity: String
    var property: String
}

/// A column and its new value, as an expression over the row's columns as they were.
struct MigrationAssignment: Equatable {
    var column: String
    var value: SQLExpression
    /// The condition for the rows that change; nil for all.
    var condition: SQLExpression?
}

/// The source of the pairs of a join table.
struct MigrationPairs: Equatable {
    /// A column with positions.
    struct Positions: Equatable {
        var column: String
        /// The column of the source; nil if the positions are counted anew within each list.
        var source: String?
    }

    var from: String
    var into: String
    /// The columns of the table from which the pairs are taken.
    var owner: String
    var member: String
    /// The columns of the new table.
    var ownerColumn: String
    var memberColumn: String
    var memberOrder: Positions?
    var ownerOrder: Positions?
    /// Whether both directions of every pair are needed (a relationship that became its own inverse).
    var isMirrored = false
    /// Whether the table has pairs already, and may have some of these.
    var isAddition = false
}

/// A row of `Z_PRIMARYKEY`.
struct MigrationKeyRow: Equatable {
    var number: Int
    var name: String
    var parent: Int
    /// The old numbers whose highest key is the start of this row's keys; empty for a new hierarchy.
    var continues: [Int]
}

/// Rows that must not exist if a migration is to continue.
struct MigrationCheck {
    enum Reason {
        case missingAttribute
        case missingRelationship
        case unfitValue(type: String)
        case abstractEntity
        case ambiguousInverse
        /// The object to which the row leads has a link to another object, by the relationship that is now the inverse.
        case otherSide(String)
        case removedDestination
        case otherConfiguration
    }

    var entity: String
    var property: String?
    var table: String
    /// The column to read; its first value is part of the message.
    var column: String
    var condition: SQLExpression
    var reason: Reason

    /// The problem of a row.
    func problem(value: String) -> String {
        let place = property.map { "“\(entity).\($0)”" } ?? "“\(entity)”"
        switch reason {
        case .missingAttribute:
            return "Validation error missing attribute values on mandatory destination attribute \(place)."
        case .missingRelationship:
            return "Validation error missing attribute values on mandatory destination relationship \(place)."
        case .unfitValue(let type):
            return "The value \(value) of \(place) does not fit the new type \(type)."
        case .abstractEntity:
            return "The entity \(place) becomes abstract but has objects of its own."
        case .ambiguousInverse:
            return "Several objects lead to the same object over the relationship whose inverse is now \(place), which "
                + "is to-one."
        case .otherSide(let inverse):
            return
                "An object’s \(place) does not agree with “\(inverse)”, which is its inverse now: the object that it "
                + "leads to leads to another one."
        case .removedDestination:
            return
                "Validation error missing attribute values on mandatory destination relationship \(place): the object "
                + "that it leads to is of an entity that is removed."
        case .otherConfiguration:
            return "The entity \(place) belongs to another configuration now, and \(value) objects of it in this store "
                + "would be lost."
        }
    }

    /// A change that makes the migration possible.
    var help: String {
        switch reason {
        case .missingAttribute: "Give the attribute a default value, or make it optional."
        case .missingRelationship: "Make the relationship optional."
        case .unfitValue: "Use a mapping model to convert it."
        case .abstractEntity: "Delete them first, or use a mapping model that moves them to another entity."
        case .ambiguousInverse: "Make the inverse to-many, or use a mapping model."
        case .otherSide: "Make the two agree with the older version of the program, or use a mapping model."
        case .removedDestination: "Make the relationship optional, or delete these objects first."
        case .otherConfiguration:
            "Leave the entity in this configuration as well, or move its objects to the other store first."
        }
    }
}

extension MigrationStep: CustomStringConvertible {
    var description: String {
        switch self {
        case .check(let check):
            "check \(check.entity)" + (check.property.map { ".\($0)" } ?? "")
        case .dropTrigger(let name): "drop trigger \(name)"
        case .createTrigger(let trigger): "create trigger \(trigger.name)"
        case .dropView(let name): "drop view \(name)"
        case .createView(let view): "create view \(view.name)"
        case .dropIndex(let name): "drop index \(name)"
        case .createIndex(let index):
            index.isUnique ? "create index \(index.name), looking for duplicates" : "create index \(index.name)"
        case .createTable(let table): "create table \(table.name)"
        case .dropTable(let name): "drop table \(name)"
        case .renameTable(let from, let to): "rename table \(from) to \(to)"
        case .addColumn(let table, let column): "add column \(table).\(column.name)"
        case .renameColumn(let table, let from, let to): "rename column \(table).\(from) to \(to)"
        case .dropColumn(let table, let name): "drop column \(table).\(name)"
        case .changeType(let table, let column, _): "change the type of \(table).\(column.name)"
        case .renameEntities: "rename entities"
        case .deleteRows(let table, let numbers): "delete rows of entities \(numbers) from \(table)"
        case .clearKeys(let table, let columns, _, _, _): "clear keys \(table).\(columns.joined(separator: ", "))"
        case .deletePairs(let table, let column, _, _): "delete pairs of \(table).\(column)"
        case .update(let table, let assignments):
            "update \(table): \(assignments.map(\.column).joined(separator: ", "))"
        case .copyRows(let from, let into, _, _): "copy rows from \(from) into \(into)"
        case .copyPairs(let pairs): "copy pairs from \(pairs.from) into \(pairs.into)"
        case .tagValues(let table, let column, _, let tagged, _):
            "\(tagged ? "add" : "remove") external storage tags in \(table).\(column)"
        case .fillEntity(let table, let column, _, _): "look up entities for \(table).\(column)"
        case .fillPositions(let table, let column, _): "count positions for \(table).\(column)"
        case .fillDerived(let table, let column, _), .deriveOnClient(let table, let column, _, _):
            "compute \(table).\(column)"
        case .fillInverse(let table, let column, _, _, _): "fill inverse \(table).\(column)"
        case .replaceKeys: "replace entity numbers"
        case .renumberHistory: "renumber persistent history"
        case .replaceModelCache: "replace the archived model"
        case .writeMetadata: "write metadata"
        }
    }

    /// The stage of the step in events.
    var stage: MigrationEvent.Stage {
        if case .check = self { .checking } else { .rewriting }
    }

    /// The table of the step in events; nil for an instant step.
    var subject: String? {
        if case .copyRows(_, let into, _, _) = self { into } else { touchedTable }
    }

    /// Whether the step takes the same time for any number of rows.
    func isInstant(in dialect: any SQLDialect) -> Bool {
        switch self {
        // In a database that changes columns in place, dropping a column touches no row.
        case .dropColumn: dialect.changesTypes || isInstant
        case .renameEntities(let updates, _): updates.isEmpty || isInstant
        default: isInstant
        }
    }

    /// Whether the step takes the same time for any number of rows in SQLite files.
    var isInstant: Bool {
        switch self {
        case .dropTrigger, .createTrigger, .dropView, .createView, .dropIndex, .createTable, .renameTable, .addColumn,
            .renameColumn,
            .replaceKeys,
            .replaceModelCache, .writeMetadata:
            true
        // Dropping a table gives its pages back without reading rows.
        case .dropTable: true
        case .check, .createIndex, .dropColumn, .changeType, .renameEntities, .deleteRows, .clearKeys, .deletePairs,
            .update,
            .copyRows, .copyPairs, .tagValues, .fillEntity, .fillPositions, .fillDerived, .deriveOnClient,
            .fillInverse, .renumberHistory:
            false
        }
    }

    /// The column whose name is not free any more after the step.
    var takenColumn: (table: String, column: String)? {
        switch self {
        case .addColumn(let table, let column): (table, column.name)
        case .renameColumn(let table, _, let to): (table, to)
        default: nil
        }
    }

    /// The tables that have other rows, names or columns after the step; an added column does not count.
    var changedTables: [String] {
        switch self {
        case .check, .createIndex, .addColumn: []
        case .renameTable(let from, let to): [from, to]
        case .renameColumn(let table, _, _), .dropTable(let table): [table]
        case .createTable(let table): [table.name]
        case .copyRows(_, let into, _, _): [into]
        case .copyPairs(let pairs): [pairs.into]
        default: touchedTable.map { [$0] } ?? []
        }
    }

    /// The table whose rows the step reads or writes; nil for an instant step.
    var touchedTable: String? {
        switch self {
        case .check(let check): check.table
        case .createIndex(let index): index.table
        case .dropColumn(let table, _), .changeType(let table, _, _), .deleteRows(let table, _),
            .clearKeys(let table, _, _, _, _),
            .deletePairs(let table, _, _, _), .update(let table, _), .copyRows(let table, _, _, _),
            .tagValues(let table, _, _, _, _), .fillEntity(let table, _, _, _), .fillPositions(let table, _, _),
            .fillDerived(let table, _, _), .deriveOnClient(let table, _, _, _),
            .fillInverse(let table, _, _, _, _):
            table
        case .copyPairs(let pairs): pairs.from
        case .renumberHistory: "ACHANGE"
        default: nil
        }
    }
}
