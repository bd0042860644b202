import Foundation

/// The rule for fetches that group rows: a group has values of the grouping columns, values of functions over its rows,
/// and no other values.
package struct GroupingRule {
    private let layout: EntityLayout
    private let groupBy: [StoreFetch.Column]
    /// The key paths of the grouping columns.
    private let paths: Set<String>

    package init(_ groupBy: [StoreFetch.Column], in layout: EntityLayout) {
        self.layout = layout
        self.groupBy = groupBy
        paths = Set(
            groupBy.compactMap { column in
                guard let expression = column.expression else { return nil }
                return expression.bareObject ?? expression.barePath
            })
    }

    /// Whether a column is one of the grouping columns.
    package func groups(_ column: StoreFetch.Column) -> Bool {
        groupBy.contains {
            switch ($0, column) {
            case (.keyPath(let one), .keyPath(let other)): one == other
            case (.expression(let one), .expression(let other)): one === other || one.name == other.name
            default: false
            }
        }
    }

    /// Throws 134060 for a property that has many values in a group, and for a condition on groups if there are no
    /// groups.
    package func check(_ properties: [StoreFetch.Column], having: NSPredicate?) throws {
        if groupBy.isEmpty {
            guard having != nil else { return }
            // A condition on all rows as one group makes no group of them.
            let aggregates = properties.flatMap { $0.expression?.aggregates ?? [] }
            if aggregates.isEmpty { throw error("havingPredicate needs propertiesToGroupBy or aggregate functions") }
            return
        }
        for column in properties where !groups(column) {
            guard let expression = column.expression else { continue }
            let rest = expression.withoutAggregates
            let single = rest.bareObject.map { [$0] } ?? rest.keyPaths.sorted()
            if let path = single.first(where: { !paths.contains($0) }) { throw refusal(path, of: column.name) }
        }
        guard let having else { return }
        let names = Set(properties.filter { layout.access[$0.name] == nil }.map(\.name))
        for path in having.replacing(\.aggregateAsNothing).keyPaths.sorted() {
            if names.contains(path) || isDetermined(path) { continue }
            throw refusal(path, of: "havingPredicate")
        }
    }

    /// Whether all rows of a group have one value at a path: the path is grouped, or begins at a grouped object.
    private func isDetermined(_ path: String) -> Bool {
        paths.contains(path) || paths.contains("objectID") || paths.contains { path.hasPrefix($0 + ".") }
    }

    private func refusal(_ path: String, of place: String) -> NSError {
        error(
            "A fetch that groups rows can only have properties named in propertiesToGroupBy, or aggregate functions "
                + "(\(path)\(path == place ? "" : " in \(place)") is neither)")
    }

    private func error(_ reason: String) -> NSError {
        .coreData(NSCoreDataError, reason: "\(reason) (entity \(layout.name))")
    }
}

extension StoreFetch.Column {
    /// The expression of the column's value; nil for a description without one.
    package var expression: NSExpression? {
        switch self {
        case .keyPath(let path): NSExpression(forKeyPath: path)
        case .expression(let description): (description as? NSExpressionDescription)?.expression
        }
    }
}

extension NSExpression {
    /// "objectID" if the expression is the row itself; otherwise nil.
    fileprivate var bareObject: String? {
        switch payload {
        case .evaluatedObject: "objectID"
        case .keyPath(let path, nil) where ["self", "SELF", "objectID"].contains(path.text): "objectID"
        default: nil
        }
    }

    fileprivate var barePath: String? {
        if case .keyPath(let path, nil) = payload { path.text } else { nil }
    }

    /// A nil constant, if the expression is a function of several rows.
    fileprivate var aggregateAsNothing: NSExpression? {
        AggregateExpression(self) == nil ? nil : NSExpression(forConstantValue: nil)
    }

    fileprivate var withoutAggregates: NSExpression { replacing(\.aggregateAsNothing) }
}
