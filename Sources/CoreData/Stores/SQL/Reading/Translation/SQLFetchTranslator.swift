// Implementation notes: Stores/SQL/Reading.
//
// - The client evaluates the conditions that a database does not compute as predicates do. `SQLTypes` determines the
//   types of expressions and the operands that the database compares as predicates do. For any other condition
//   `SQLClientEvaluation` reads the values on which the condition depends, computes the condition for them
//   (`SQLEvaluation`), and replaces it by a list of the values for which it is true.
// - Of plain ASCII texts `SQLClientEvaluation` reads only those that the database does not refuse
//   (`TextCondition.narrowing`).
// - `SQLClientPostProcessing` computes results, groups, orders and limits after a statement that the database cannot
//   run completely.
// - Fetches that differ only in the constants of their comparisons have one statement (`KnownFetches`). It is
//   translated and printed once, and found by a number.
// - In columns of dictionaries and conditions on groups, functions of several rows join the members of their paths
//   (`SQLFetchTranslator.Scope`). Everywhere else they are SELECTs about one row. Stores without SQL give equal results
//   (`MemoryTable`).
// - Dictionaries come from a store as a table (`FetchedTable`) of the objects that `NSDictionary` holds. The results
//   are Foundation's own class, because Swift treats any subclass as an empty dictionary.

import Foundation

/// Translates fetches and predicates to SQL for one store. It throws an error that names a part without a translation.
package struct SQLFetchTranslator {
    package let schema: SQLSchema
    package let layout: EntityLayout
    package let storeNumber: Int
    /// The store's identifier, by which constants that are objects of the store are recognised; nil if no constant can
    /// be an object.
    package var storeIdentifier: String?
    /// Whether a missing value is unequal to every other value, and NOT negates every result, as in the evaluation of a
    /// predicate object by object. In SQL, and so in SQLite stores, a condition on a missing value is neither true nor
    /// false.
    package var decidesByObject = false
    /// The rows whose values are translated.
    package var scope = Scope.row

    /// The meaning of functions of several rows and of paths to many objects.
    package enum Scope: Sendable {
        /// In a condition on rows: a function is a value of one row, computed from the members of its path.
        case row
        /// In the columns of dictionaries and in conditions on groups: a function is computed over all rows of the
        /// group.
        case group
        /// In the argument of such a function: a path to many objects joins them to the rows.
        case member
    }

    /// The translator for values of another scope.
    package func within(_ scope: Scope) -> SQLFetchTranslator {
        var translator = self
        translator.scope = scope
        return translator
    }

    /// A frame over the rows of the fetch's entity, with the condition on the entity.
    package func frame(includesSubentities: Bool) throws -> SQLFrame {
        guard let table = schema.table(ofRoot: layout.rootIndex)?.name else {
            throw NSError.coreData(
                NSCoreDataError, reason: "The store does not hold the entity “\(layout.name)”.")
        }
        let frame = SQLFrame(layout: layout, table: table)
        let root = layout.model.entities[layout.rootIndex]
        if root.hasSubentities, !(includesSubentities && layout.superIndex == nil) {
            let indexes = includesSubentities ? Array(layout.subtree) : [layout.index]
            let numbers = indexes.compactMap { schema.numbers[$0] }.map { SQLExpression.value(.int(Int64($0))) }
            let entity = frame.column(SQLSchema.entityColumn)
            frame.addCondition(
                numbers.count == 1 ? .binary(.equal, entity, numbers[0]) : .isIn(entity, numbers))
        }
        return frame
    }

    /// Adds the order of sort descriptors.
    package func addOrder(_ descriptors: [NSSortDescriptor], to frame: SQLFrame) throws {
        for descriptor in descriptors {
            guard let selector = descriptor.sortSelector else {
                throw NSError.coreData(
                    NSCoreDataError, reason: "unsupported sort descriptor (its comparison is a block): \(descriptor)")
            }
            let keys = KeyValuePath(descriptor.sortKey ?? "self").keys
            let expression: SQLExpression
            switch try follow(keys, in: frame) {
            case .value(let value, _), .entity(let value): expression = value
            case .object(let key, _, _): expression = key
            case .members, .constant:
                throw NSError.coreData(
                    NSCoreDataError,
                    reason: "to-many key not allowed here: a sort descriptor with \(keys.joined(separator: "."))")
            }
            let collation: SQLSelect.Order.Collation
            switch selector {
            case .caseInsensitiveCompare: collation = .caseInsensitive
            case .localizedCompare: collation = .localized
            case .localizedCaseInsensitiveCompare: collation = .localizedCaseInsensitive
            case .localizedStandardCompare: collation = .localizedStandard
            default: collation = .binary
            }
            frame.select.order.append(
                SQLSelect.Order(expression: expression, isAscending: descriptor.ascending, collation: collation))
        }
    }

    // MARK: Predicates

    package func comparisonCondition(
        _ comparison: NSComparisonPredicate, in frame: SQLFrame
    ) throws -> SQLExpression {
        if let list = Self.dependentList(comparison.rightExpression) {
            return try listCondition(comparison, list, in: frame)
        }
        let left = try operand(comparison.leftExpression, in: frame)
        let right = try operand(comparison.rightExpression, in: frame)
        // A column with an archive can only be compared for equality.
        let comparesArchives = [.equalTo, .notEqualTo, .in].contains(comparison.predicateOperatorType)
        if left.isArchive || right.isArchive, comparison.comparisonPredicateModifier != .direct || !comparesArchives {
            throw Self.failure(comparison.printed)
        }
        let context = SQLComparison(translator: self, comparison: comparison)
        switch (comparison.comparisonPredicateModifier, left) {
        case (.any, .members(let members)):
            return try exists(members) { try context.compare($0, right) }
        case (.all, .members(let members)):
            // ALL: no member fails. A comparison with NULL fails.
            return .not(
                try exists(members) {
                    .not(.function(.coalesce, [try context.compare($0, right), .value(.int(0))]))
                })
        case (.any, _), (.all, _), (.direct, _):
            return try context.compareWhole(left, right)
        }
    }

    /// A comparison with a list whose elements differ from row to row: `BETWEEN {low, high}`, `IN {a, b}`.
    private func listCondition(
        _ comparison: NSComparisonPredicate, _ list: [NSExpression], in frame: SQLFrame
    ) throws -> SQLExpression {
        let left = try operand(comparison.leftExpression, in: frame)
        let elements = try list.map { try operand($0, in: frame) }
        let context = SQLComparison(translator: self, comparison: comparison)
        switch (comparison.comparisonPredicateModifier, left) {
        case (.any, .members(let members)):
            return try exists(members) { try context.compare($0, toList: elements) }
        case (_, .members):
            throw Self.failure(comparison.printed)
        default:
            return try context.compare(left, toList: elements)
        }
    }
}
