import Foundation

/// The columns that a fetch of dictionaries reads from the stores. Stores have columns for the elements of a composite
/// attribute, and none for the attribute.
struct DictionaryColumns {
    private let layout: EntityLayout
    private let properties: [StoreFetch.Column]
    private let groupBy: [StoreFetch.Column]
    private let composites: [CompositeAccess]

    init(_ plan: FetchPlan) throws {
        let layout = plan.store.layout
        self.layout = layout
        properties =
            try plan.parameters.propertiesToFetch?.map { try Self.column($0, layout) }
            ?? layout.entity.attributesByName.keys.sorted().map { .keyPath($0) }
        groupBy = try plan.parameters.propertiesToGroupBy?.map { try Self.column($0, layout) } ?? []
        composites = properties.compactMap { column in
            guard case .composite(let composite)? = layout.access[column.name] else { return nil }
            return composite
        }
    }

    func result(_ parameters: FetchParameters) -> StoreFetch.Result {
        .dictionaries(
            properties: properties.flatMap { column -> [StoreFetch.Column] in
                guard let composite = composites.first(where: { $0.name == column.name }) else { return [column] }
                return composite.slots.map { .keyPath(layout.slots[$0].name) }
            },
            groupBy: groupBy, having: parameters.havingPredicate, distinct: parameters.returnsDistinctResults)
    }

    /// Whether the dictionaries are the columns as the store returns them: no value is made of several columns, and no
    /// name stands for two.
    var fitTable: Bool { composites.isEmpty && Set(properties.map(\.name)).count == properties.count }

    /// The dictionaries with one for each composite attribute, made of its elements.
    func folded(_ rows: [[String: Any]]) -> [[String: Any]] {
        if composites.isEmpty { return rows }
        let asked = Set(properties.map(\.name))
        return rows.map { folded($0, keeping: asked) }
    }

    private func folded(_ row: [String: Any], keeping asked: Set<String>) -> [String: Any] {
        var result = row
        // A program's store may have returned the whole composite.
        for composite in composites where row[composite.name] == nil {
            func value(_ composite: CompositeAccess) -> [String: Any]? {
                var values: [String: Any] = [:]
                for (name, access) in composite.elements {
                    switch access {
                    case .attribute(let slot):
                        let path = layout.slots[slot].name
                        values[name] = row[path]
                        if !asked.contains(path) { result[path] = nil }
                    case .composite(let inner): values[name] = value(inner)
                    case .toOne, .toMany, .fetched: break
                    }
                }
                return values.isEmpty ? nil : values
            }
            result[composite.name] = value(composite)
        }
        return result
    }

    private static func column(_ element: Any, _ layout: EntityLayout) throws -> StoreFetch.Column {
        switch element {
        case let name as String: return .keyPath(name)
        case let expression as NSExpressionDescription:
            // A column without an expression may stand for the attribute of its name.
            let isAttribute = if case .attribute? = layout.access[expression.name] { true } else { false }
            return expression.expression == nil && isAttribute ? .keyPath(expression.name) : .expression(expression)
        case let property as NSPropertyDescription: return .keyPath(property.name)
        case let keyPath as AnyKeyPath:
            return .keyPath(KeyPathNames.requiredName(of: keyPath, for: "propertiesToFetch of '\(layout.name)'"))
        default:
            throw NSError.coreData(
                NSCoreDataError,
                reason: """
                    Invalid element \(element) in propertiesToFetch or propertiesToGroupBy of a request for \
                    '\(layout.name)'
                    """)
        }
    }
}
