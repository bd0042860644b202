import Foundation

/// A column of dictionaries that are made in memory: its expression and the kind of its values.
struct MemoryColumn {
    let name: String
    let expression: NSExpression
    /// Whether rows are grouped by it.
    let groups: Bool
    /// The kind of the values; nil if it is only known from the values themselves.
    private let kind: SlotKind?

    /// Throws 134060 for a column without an expression, and for one that has several values.
    init(_ column: StoreFetch.Column, in layout: EntityLayout, groups: Bool) throws {
        guard let expression = column.expression else {
            throw NSError.coreData(
                NSCoreDataError, reason: "The property “\(column.name)” to fetch has no expression.")
        }
        for path in expression.keyPaths.sorted() { try layout.requireProperty(path) }
        if case .keyPath(let path, nil) = expression.payload { try Self.requireValue(path, in: layout) }
        name = column.name
        self.expression = expression
        self.groups = groups
        var declared: SlotKind?
        if case .expression(let description) = column,
            let type = (description as? NSExpressionDescription)?.expressionResultType,
            type != .undefinedAttributeType, type != .objectIDAttributeType
        {
            declared = SlotKind(type)
        }
        let found = layout.kind(of: expression)
        kind = found == .transformable ? found : declared ?? found
    }

    private static func requireValue(_ path: KeyValuePath, in layout: EntityLayout) throws {
        for (place, (access, entity)) in layout.way(along: path.keys).enumerated() {
            switch access {
            case .toMany?:
                // A collection operator makes one value of many.
                if path.keys[place...].contains(where: { $0.hasPrefix("@") }) { return }
                throw NSError.coreData(
                    NSCoreDataError,
                    reason: "Invalid to-many relationship (\(path.text)) passed to propertiesToFetch of \(layout.name)")
            case .fetched(let property)?:
                throw SQLFetchTranslator.failure(
                    "the fetched property \(entity.name).\(property.name) in “\(path.text)”")
            case .toOne?, .attribute?, .composite?, nil: break
            }
        }
    }

    /// A value in the form that a dictionary holds, or the key of an object. Nil for no value; NaN is no value in a
    /// database.
    func value(_ raw: Any?) throws -> Any? {
        guard let raw else { return nil }
        if let key = ObjectKey(ofObject: raw) { return key }
        guard kind != .transformable, let value = SlotValue(ExpressionValue(raw)) else { return raw }
        switch value {
        case .null: return nil
        case .double(let number) where number.isNaN: return nil
        case .decimal(let number) where number.isNaN: throw notRepresentable(value, "is larger than any decimal number")
        default: break
        }
        guard let kind else { return raw }
        let row = SQLComputedRow()
        row.values = [value]
        switch kind {
        case .integer, .boolean, .order, .entityNumber, .reference:
            if case .double(let number) = value, Int64(exactly: number.rounded(.towardZero)) == nil {
                throw notRepresentable(value, "is larger than any integer")
            }
            return SlotValue.int(row.int64(0)).boxed(as: kind)
        case .double, .float, .date: return SlotValue.double(row.double(0)).boxed(as: kind)
        case .decimal: return try decimal(value).map { NSDecimalNumber(decimal: $0) }
        case .string, .uri: return SlotValue.string(row.string(0)).boxed(as: kind)
        case .uuid:
            let data = row.data(0)
            guard data.count == 16 else { return nil }
            return data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        case .data, .transformable: return row.data(0)
        }
    }

    private func decimal(_ value: SlotValue) throws -> Decimal? {
        let found: Decimal?
        switch value {
        case .int(let number): return Decimal(number)
        case .decimal(let number): return number
        case .double(let number): found = DecimalStorage.decimal(number)
        case .string(let text): found = DecimalStorage.decimal(text)
        case .null: return nil
        case .data, .uuid: found = nil
        }
        if let found { return found }
        throw notRepresentable(value, "is no decimal number, or is larger than any")
    }

    private func notRepresentable(_ value: SlotValue, _ reason: String) -> NSError {
        NSError.coreData(
            CocoaError.Code.fileReadCorruptFile.rawValue, reason: "The value \(value.asText) of “\(name)” \(reason).",
            userInfo: [NSValidationKeyErrorKey: name])
    }
}

extension EntityLayout {
    /// Throws 134060 for a sum or an average of objects.
    func requireValues(of aggregate: AggregateExpression) throws {
        guard aggregate.function == .sum || aggregate.function == .average else { return }
        let isOfObjects =
            switch aggregate.argument.payload {
            case .evaluatedObject: true
            case .keyPath(let path, nil): leadsToObjects(path)
            default: false
            }
        if isOfObjects { throw SQLFetchTranslator.failure("\(aggregate.function.rawValue) of objects") }
    }

    /// Throws 134060 for a function of several rows in a place where only functions of the members of one row are
    /// allowed.
    func requireMembers(ofFunctionsIn expression: NSExpression) throws {
        for aggregate in expression.aggregates {
            if case .keyPath(let path, nil) = aggregate.argument.payload, leadsToMany(path) { continue }
            throw SQLFetchTranslator.failure("\(expression)")
        }
    }

    private func leadsToMany(_ path: KeyValuePath) -> Bool { way(along: path.keys).contains { $0.access.isToMany } }

    private func leadsToObjects(_ path: KeyValuePath) -> Bool {
        let way = way(along: path.keys)
        guard let (access, _) = way.last else { return false }
        switch access {
        case .toOne?, .toMany?: return way.count == path.keys.count
        case nil: return ["self", "SELF", "objectID"].contains(path.keys[way.count - 1])
        case .attribute?, .composite?, .fetched?: return false
        }
    }

    /// The kind of an expression's values, as a store with tables determines it; nil for objects, and if only the
    /// values show it.
    fileprivate func kind(of expression: NSExpression) -> SlotKind? {
        if let aggregate = AggregateExpression(expression) {
            return aggregate.function.kind(of: kind(of: aggregate.argument))
        }
        switch expression.payload {
        case .keyPath(let path, nil): return kind(at: path)
        case .function(let name, nil, let arguments):
            return SQLFetchTranslator.kind(of: name, arguments.map(kind))
        case .conditional(_, let whenTrue, _): return kind(of: whenTrue)
        default: return nil
        }
    }

    private func kind(at path: KeyValuePath) -> SlotKind? {
        let way = way(along: path.keys)
        guard let (access, layout) = way.last else { return nil }
        switch access {
        case .attribute(let slot)?: return way.count == path.keys.count ? layout.slots[slot].kind : nil
        case .composite(let composite)?:
            return composite.slot(at: path.keys[way.count...]).map { layout.slots[$0].kind }
        case nil: return layout.slotOfSubentity(path.keys[way.count - 1])?.kind
        case .toOne?, .toMany?, .fetched?: return nil
        }
    }
}
