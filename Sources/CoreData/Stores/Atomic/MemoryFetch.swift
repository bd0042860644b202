import Foundation

/// Answers a fetch from nodes in memory, as SQL does for a database.
struct MemoryFetch {
    let request: StoreFetch

    /// The nodes that match, sorted, without regard to limit and offset.
    func matching(_ nodes: [NSAtomicStoreCacheNode]) throws -> [NSAtomicStoreCacheNode] {
        try requireDecidable()
        var found = nodes
        if let predicate = request.predicate {
            found = try UndecidedPredicate.throwing { found.filter { predicate.evaluate(with: $0) } }
        }
        if !request.sortDescriptors.isEmpty, !isGrouping {
            found = found.sorted(byDescriptors: request.sortDescriptors)
        }
        return found
    }

    /// The elements that the fetch's offset and limit leave.
    func page<Element>(_ elements: [Element]) -> [Element] {
        let rest = elements.dropFirst(request.offset)
        return Array(request.limit > 0 ? rest.prefix(request.limit) : rest)
    }

    /// Throws 134060 when a key path of the predicate or the order leads to no property, and when a pattern is no
    /// regular expression: asking an object for it would stop the process.
    func requireDecidable() throws {
        try request.predicate?.requirePatterns()
        var paths = request.predicate?.keyPaths ?? []
        if !isGrouping { paths.formUnion(request.sortDescriptors.compactMap(\.sortKey)) }
        for path in paths { try requireProperty(path) }
    }

    private func requireProperty(_ path: String) throws {
        var layout = request.layout
        for key in KeyValuePath(path).keys {
            if ["self", "SELF", "objectID", "entity"].contains(key) || key.first == "@" { return }
            switch layout.access[key] {
            case .toOne(let slot)?: layout = layout.model.entities[layout.destinations[slot].layoutIndex]
            case .toMany(let index)?: layout = layout.model.entities[layout.toManys[index].destinationIndex]
            case .attribute?, .composite?, .fetched?: return
            case nil:
                throw NSError.coreData(
                    NSCoreDataError, reason: "keypath \(path) not found in entity \(request.layout.name)")
            }
        }
    }

    // MARK: Dictionaries

    private var isGrouping: Bool {
        guard case .dictionaries(let properties, let groupBy, _, _) = request.result else { return false }
        return !groupBy.isEmpty || properties.contains { Self.aggregate($0, in: request.layout) != nil }
    }

    /// The dictionaries of the fetch out of the nodes that match.
    func dictionaries(_ nodes: [NSAtomicStoreCacheNode]) throws -> [[String: Any]] {
        try UndecidedPredicate.throwing { try computed(nodes) }
    }

    private func computed(_ nodes: [NSAtomicStoreCacheNode]) throws -> [[String: Any]] {
        guard case .dictionaries(let listed, let groupBy, let having, let isDistinct) = request.result else {
            return []
        }
        try having?.requirePatterns()
        let properties = listed.isEmpty ? request.layout.fetchedColumns : listed
        for case .keyPath(let path) in properties + groupBy { try requireProperty(path) }
        var result: [[String: Any]]
        if isGrouping {
            result = try groups(nodes, groupBy).map { group in
                var dictionary: [String: Any] = [:]
                for column in properties { dictionary[column.name] = try value(of: column, in: group) }
                return dictionary
            }
            if let having { result = result.filter { having.evaluate(with: $0) } }
            if !request.sortDescriptors.isEmpty { result = result.sorted(byDescriptors: request.sortDescriptors) }
        } else {
            result = try nodes.map { node in
                var dictionary: [String: Any] = [:]
                for column in properties { dictionary[column.name] = try value(of: column, in: node) }
                return dictionary
            }
        }
        if isDistinct {
            var seen: Set<NSDictionary> = []
            result = result.filter {
                seen.insert($0.mapValues { ($0 as? ObjectKey)?.key ?? $0 } as NSDictionary).inserted
            }
        }
        return page(result)
    }

    /// The nodes that agree in the values they are grouped by; one group of all where there are none.
    private func groups(
        _ nodes: [NSAtomicStoreCacheNode], _ groupBy: [StoreFetch.Column]
    ) throws -> [[NSAtomicStoreCacheNode]] {
        if groupBy.isEmpty { return [nodes] }
        var order: [NSArray] = []
        var members: [NSArray: [NSAtomicStoreCacheNode]] = [:]
        for node in nodes {
            let values = try groupBy.map { column -> Any in
                let value = try value(of: column, in: node)
                return (value as? ObjectKey)?.key ?? value ?? NSNull()
            }
            let key = values as NSArray
            if members[key] == nil { order.append(key) }
            members[key, default: []].append(node)
        }
        return order.compactMap { members[$0] }
    }

    private func value(of column: StoreFetch.Column, in node: NSAtomicStoreCacheNode) throws -> Any? {
        switch column {
        case .keyPath(let path):
            let value = KeyValuePath(path).value(in: node)
            if let other = value as? NSAtomicStoreCacheNode { return other.objectKey }
            guard case .attribute(let slot)? = request.layout.access[path],
                request.layout.slots[slot].kind != .transformable
            else { return value }
            let kind = request.layout.slots[slot].kind
            return SlotValue(value, as: kind)?.boxed(as: kind)
        case .expression:
            let value = try Self.expression(column).expressionValue(with: node, context: nil)
            if let other = value as? NSAtomicStoreCacheNode { return other.objectKey }
            if let id = value as? NSManagedObjectID { return id.objectKey }
            return value
        }
    }

    /// The value for a group: a function of all its members, or the value of its first member.
    private func value(of column: StoreFetch.Column, in group: [NSAtomicStoreCacheNode]) throws -> Any? {
        guard let (function, argument) = Self.aggregate(column, in: request.layout) else {
            return try group.first.flatMap { try value(of: column, in: $0) }
        }
        let values = group.compactMap { node -> Any? in
            let value = argument.expressionValue(with: node, context: nil)
            return value is NSNull ? nil : value
        }
        return function.body([values])
    }

    private static func expression(_ column: StoreFetch.Column) throws -> NSExpression {
        guard case .expression(let description) = column,
            let expression = (description as? NSExpressionDescription)?.expression
        else {
            throw NSError.coreData(
                NSCoreDataError, reason: "The property “\(column.name)” to fetch has no expression.")
        }
        return expression
    }

    /// The function that a column computes over all rows, and its operand. A function of a path to many objects is a
    /// value of each row.
    static func aggregate(
        _ column: StoreFetch.Column, in layout: EntityLayout
    ) -> (ExpressionFunction, NSExpression)? {
        guard let expression = try? expression(column),
            case .function(let name, nil, let arguments) = expression.payload, arguments.count == 1,
            ["sum:", "count:", "min:", "max:", "average:"].contains(name),
            let function = ExpressionFunction.named(name)
        else { return nil }
        if case .keyPath(let path, _) = arguments[0].payload, leadsToMany(path, layout) { return nil }
        return (function, arguments[0])
    }

    private static func leadsToMany(_ path: KeyValuePath, _ layout: EntityLayout) -> Bool {
        var layout = layout
        for key in path.keys {
            switch layout.access[key] {
            case .toMany?: return true
            case .toOne(let slot)?: layout = layout.model.entities[layout.destinations[slot].layoutIndex]
            case .attribute?, .composite?, .fetched?, nil: return false
            }
        }
        return false
    }
}
