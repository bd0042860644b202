import Foundation

/// The property with which an index for a fetch should begin, if the model has no such index.
struct IndexedProperty {
    let entityName: String
    let propertyName: String

    /// Takes the property of the first comparison for equality, or else of the first for a range. A fetch that is
    /// sorted and limited needs an index of its first sort key.
    init?(_ request: StoreFetch, _ schema: SQLSchema) {
        var ranges: [IndexedProperty] = []
        for part in Self.conjuncts(of: request.predicate) {
            guard let (path, isEquality) = Self.comparedPath(part) else { continue }
            guard let property = Self(path, request.layout, schema) else {
                // An index would serve the comparison, but the database has decided not to use it.
                if isEquality { return nil }
                continue
            }
            if isEquality {
                self = property
                return
            }
            ranges.append(property)
        }
        if let range = ranges.first {
            self = range
        } else if request.predicate == nil, request.limit > 0, let sort = request.sortDescriptors.first,
            sort.sortSelector == .compare, let key = sort.sortKey, let property = Self(key, request.layout, schema)
        {
            self = property
        } else {
            return nil
        }
    }

    /// Nil if the path leads through a to-many relationship or to no attribute, or if there is an index.
    private init?(_ path: String, _ start: EntityLayout, _ schema: SQLSchema) {
        var layout = start
        let keys = KeyValuePath(path).keys
        for key in keys.dropLast() {
            guard case .toOne(let slot)? = layout.access[key] else { return nil }
            layout = layout.model.entities[layout.destinations[slot].layoutIndex]
        }
        guard let last = keys.last, case .attribute(let slot)? = layout.access[last],
            let column = schema.column(layout: layout.index, slot: slot),
            let table = schema.table(ofRoot: layout.rootIndex)?.name
        else { return nil }
        let isIndexed = schema.indexes.contains { index in
            index.table == table && index.columns.first { $0.name != SQLSchema.entityColumn }?.name == column
        }
        if isIndexed { return nil }
        entityName = layout.name
        propertyName = String(last)
    }

    /// The parts of a predicate that must all hold for each row of the result.
    private static func conjuncts(of predicate: NSPredicate?) -> [NSPredicate] {
        guard let predicate else { return [] }
        guard let compound = predicate as? NSCompoundPredicate else { return [predicate] }
        return compound.compoundPredicateType == .and ? compound.parts.flatMap { conjuncts(of: $0) } : []
    }

    /// The path that a predicate compares with a constant by an operator that an index serves.
    private static func comparedPath(_ part: NSPredicate) -> (path: String, isEquality: Bool)? {
        guard let comparison = part as? NSComparisonPredicate, comparison.comparisonPredicateModifier == .direct,
            comparison.options.isEmpty, case .keyPath(let path, nil) = comparison.leftExpression.payload
        else { return nil }
        switch comparison.predicateOperatorType {
        case .equalTo, .in: return (path.text, true)
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .between, .beginsWith:
            return (path.text, false)
        default: return nil
        }
    }
}
