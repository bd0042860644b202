import Foundation

/// The columns that a fetch of dictionaries selects, and the way in which they are read.
package final class DictionaryPlan {
    /// The content of a column.
    package enum Content {
        /// A value, with its kind, if that is known, and whether it may be in an external file.
        case value(SlotKind?, isExternal: Bool)
        /// A key of a row: of an entity, or of the entity whose number is in another column.
        case object(layout: Int, entityPlace: Int?)
    }

    package struct Column {
        package let name: String
        package let place: Int
        package let content: Content

        /// The entity of the objects or a superentity, if the row has no column for the concrete ones; otherwise nil.
        package var layoutWithoutEntity: Int? {
            if case .object(let layout, entityPlace: nil) = content { layout } else { nil }
        }

        /// Whether the values are keys of rows.
        package var isObject: Bool { if case .object = content { true } else { false } }
    }

    private let translator: SQLFetchTranslator
    private let frame: SQLFrame
    private let groupBy: [StoreFetch.Column]
    package private(set) var columns: [Column] = []

    /// Adds the columns, the grouping, and the condition on groups. The condition may name computed columns.
    package init(
        _ properties: [StoreFetch.Column], groupBy: [StoreFetch.Column], having: NSPredicate?,
        translator: SQLFetchTranslator, frame: SQLFrame
    ) throws {
        self.translator = translator
        self.frame = frame
        self.groupBy = groupBy
        // Without a list every attribute and to-one relationship is fetched.
        let wanted = properties.isEmpty ? frame.layout.fetchedColumns : properties
        let rule = GroupingRule(groupBy, in: frame.layout)
        // A grouping column is a value of a row, whatever its expression is.
        for property in wanted { try add(property, translator.within(rule.groups(property) ? .row : .group)) }
        try group()
        if let having { frame.select.having = try translator.within(.group).condition(having, in: frame) }
        // The check comes last, so that unknown names give their own error first.
        try rule.check(wanted, having: having)
        // A statement needs a column, even if the entity has nothing to fetch.
        if frame.select.results.isEmpty { frame.select.results.append(SQLSelect.Result(expression: .number(1))) }
    }

    private func add(_ property: StoreFetch.Column, _ translator: SQLFetchTranslator) throws {
        let operand: SQLOperand
        var declared: SlotKind?
        switch property {
        case .keyPath(let path):
            operand = try translator.follow(KeyValuePath(path).keys, in: frame)
        case .expression(let description):
            guard let description = description as? NSExpressionDescription, let expression = description.expression
            else {
                throw NSError.coreData(
                    NSCoreDataError, reason: "The property “\(property.name)” to fetch has no expression.")
            }
            operand = try translator.operand(expression, in: frame)
            switch description.expressionResultType {
            case .undefinedAttributeType, .objectIDAttributeType: declared = nil
            case let type: declared = SlotKind(type)
            }
        }
        let place = frame.select.results.count
        switch operand {
        case .value(let expression, let kind):
            frame.select.results.append(SQLSelect.Result(expression: expression))
            frame.named[property.name] = expression
            columns.append(
                Column(
                    name: property.name, place: place,
                    content: .value(declared ?? kind, isExternal: isExternal(property))))
        case .object(let key, let layout, let entity):
            frame.select.results.append(SQLSelect.Result(expression: key))
            if case .expression = property { frame.named[property.name] = key }
            if let entity { frame.select.results.append(SQLSelect.Result(expression: entity)) }
            columns.append(
                Column(
                    name: property.name, place: place,
                    content: .object(layout: layout.index, entityPlace: entity == nil ? nil : place + 1)))
        case .entity(let number):
            frame.select.results.append(SQLSelect.Result(expression: number))
            columns.append(Column(name: property.name, place: place, content: .value(.integer, isExternal: false)))
        case .constant(let value):
            let expression = try translator.bound(value, as: declared).withItsType
            frame.select.results.append(SQLSelect.Result(expression: expression))
            columns.append(Column(name: property.name, place: place, content: .value(declared, isExternal: false)))
        case .members:
            throw NSError.coreData(
                NSCoreDataError,
                reason:
                    "Invalid to-many relationship (\(property.name)) passed to propertiesToFetch of \(frame.layout.name)"
            )
        }
    }

    private func isExternal(_ property: StoreFetch.Column) -> Bool {
        guard case .keyPath(let path) = property, case .attribute(let slot)? = frame.layout.access[path],
            case .attribute(let attribute) = frame.layout.slots[slot].role
        else { return false }
        return attribute.allowsExternalBinaryDataStorage
    }

    private func group() throws {
        for column in groupBy {
            let operand: SQLOperand
            switch column {
            case .keyPath(let path): operand = try translator.follow(KeyValuePath(path).keys, in: frame)
            case .expression(let description):
                guard let expression = (description as? NSExpressionDescription)?.expression else { continue }
                operand = try translator.operand(expression, in: frame)
            }
            switch operand {
            case .value(let expression, _), .entity(let expression): frame.select.groupBy.append(expression)
            // A database with types requires each selected column in GROUP BY.
            case .object(let key, _, let entity): frame.select.groupBy += [key, entity].compactMap(\.self)
            case .members, .constant:
                throw NSError.coreData(
                    NSCoreDataError, reason: "The property “\(column.name)” cannot be used in propertiesToGroupBy.")
            }
        }
    }
}

extension SQLExpression {
    /// A number with its type. A database with types would take a number that stands alone for a text.
    fileprivate var withItsType: SQLExpression {
        switch self {
        case .value(.int): .cast(self, .integer)
        case .value(.double): .cast(self, .float)
        default: self
        }
    }
}
