import CoreData
import Foundation

/// A fetch that the store computes: values of keys, and functions of groups.
struct DictionaryRequest {
    /// The keys in the results, or by which they are grouped.
    let keys: [Column]
    let computed: [ComputedValue]
    var columns: [Column] { keys + computed.map(\.column) }

    /// - Parameter names: keys of attributes or of to-one relationships.
    init(keys names: [String], computed: [ComputedValue], in entity: NSEntityDescription) throws {
        keys = try names.map { name in
            let column = try Column.named(name, in: entity)
            switch column.content {
            case .attribute(let attribute) where !(attribute is NSCompositeAttributeDescription): return column
            case .object: return column
            default: throw ToolError(.usage, "'\(name)' is no value: results cannot have it, nor be grouped by it")
            }
        }
        self.computed = computed
    }

    /// The rows from the store, each with the values of the columns.
    func rows(
        _ store: ResolvedStore, _ options: RequestOptions, in entity: NSEntityDescription,
        having: (value: NSPredicate, format: String)? = nil
    ) throws -> [[Any?]] {
        let context = try store.context()
        return try context.performAndWait { try rows(context, store, options, in: entity, having: having) }
    }

    /// The rows from a context. Call it on the context's queue.
    func rows(
        _ context: NSManagedObjectContext, _ store: ResolvedStore, _ options: RequestOptions,
        in entity: NSEntityDescription, having: (value: NSPredicate, format: String)? = nil
    ) throws -> [[Any?]] {
        let request = try options.request(for: entity, NSDictionary.self)
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = keys.map(\.keyPath) + computed.map(\.description)
        if computed.isEmpty {
            request.returnsDistinctResults = true
        } else if !keys.isEmpty {
            request.propertiesToGroupBy = keys.map(\.keyPath)
        }
        if let having {
            let names = keys.map(\.keyPath) + computed.map(\.column.title)
            try PredicateKeys.check(having.value, written: having.format, in: entity, besides: names)
            request.havingPredicate = having.value
        }
        // Objects have no order of their own.
        request.sortDescriptors = keys.compactMap { key in
            if case .attribute = key.content { NSSortDescriptor(key: key.keyPath, ascending: true) } else { nil }
        }
        let found = try store.asking { try context.fetch(request) }
        let names = keys.map(\.keyPath) + computed.map(\.column.title)
        return found.map { row in names.map { row[$0] } }
    }
}

/// A function of the objects of a group.
struct ComputedValue {
    enum Function: String, CaseIterable {
        case count, sum, avg, min, max

        fileprivate var selector: String { self == .avg ? "average:" : "\(rawValue):" }
    }

    let column: Column
    let description: NSExpressionDescription

    /// The number of objects.
    static var count: ComputedValue {
        ComputedValue(
            .count, argument: .expressionForEvaluatedObject(), named: "count", .integer64AttributeType)
    }

    /// A function of the values of an attribute.
    init(_ function: Function, of path: String, in entity: NSEntityDescription) throws {
        let key = try Column.named(path, in: entity)
        guard case .attribute(let attribute) = key.content, attribute.attributeType.isOrdered else {
            throw ToolError(.usage, "'\(path)' has no values that can be compared or added")
        }
        let type = attribute.attributeType
        let isCalculated = function == .sum || function == .avg
        if isCalculated, !type.isNumber {
            throw ToolError(.usage, "'\(path)' is no number: it has no \(function == .sum ? "sum" : "average")")
        }
        let result: NSAttributeType =
            switch (function, type) {
            case (.min, _), (.max, _), (_, .decimalAttributeType): type
            case (.sum, .integer16AttributeType), (.sum, .integer32AttributeType), (.sum, .integer64AttributeType):
                .integer64AttributeType
            default: .doubleAttributeType
            }
        // A key path in a predicate has no other characters.
        let name = "\(function.rawValue)_\(path.replacingOccurrences(of: ".", with: "_"))"
        self.init(function, argument: CoreData.NSExpression(forKeyPath: key.keyPath), named: name, result)
    }

    private init(
        _ function: Function, argument: CoreData.NSExpression, named name: String, _ type: NSAttributeType
    ) {
        column = Column(computed: name, type)
        description = NSExpressionDescription()
        description.name = name
        description.expression = CoreData.NSExpression(forFunction: function.selector, arguments: [argument])
        description.expressionResultType = type
    }
}

extension NSAttributeType {
    /// Whether the order of the values has a meaning.
    fileprivate var isOrdered: Bool { isNumber || self == .stringAttributeType || self == .dateAttributeType }
}
