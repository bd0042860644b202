import Foundation

/// The columns that a fetch of dictionaries selects, and the way to read them back.
package final class DictionaryPlan {
    /// The content of a column.
    package enum Content {
        /// A value; its kind, if that is known, and whether it may lie in a file of its own.
        case value(SlotKind?, isExternal: Bool)
        /// A key of a row: of an entity, or of the one whose number stands in another column.
        case object(layout: Int, entityPlace: Int?)
    }

    package struct Column {
        package let name: String
        package let place: Int
        package let content: Content

        /// Whether the values are keys of rows.
        package var isObject: Bool { if case .object = content { true } else { false } }
    }

    private let translator: SQLFetchTranslator
    private let frame: SQLFrame
    package private(set) var columns: [Column] = []

    package init(_ properties: [StoreFetch.Column], translator: SQLFetchTranslator, frame: SQLFrame) throws {
        self.translator = translator
        self.frame = frame
        // Without a list every attribute and to-one relationship is fetched.
        let wanted = properties.isEmpty ? frame.layout.fetchedColumns : properties
        for property in wanted { try add(property) }
        // A statement has a column; an entity may have nothing that is fetched.
        if frame.select.results.isEmpty { frame.select.results.append(SQLSelect.Result(expression: .number(1))) }
    }

    private func add(_ property: StoreFetch.Column) throws {
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
            if let entity { frame.select.results.append(SQLSelect.Result(expression: entity)) }
            columns.append(
                Column(
                    name: property.name, place: place,
                    content: .object(layout: layout.index, entityPlace: entity == nil ? nil : place + 1)))
        case .entity(let number):
            frame.select.results.append(SQLSelect.Result(expression: number))
            columns.append(Column(name: property.name, place: place, content: .value(.integer, isExternal: false)))
        case .constant(let value):
            let expression = try translator.bound(value, as: declared)
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

    /// Adds grouping, the condition on groups, and DISTINCT. The condition may name computed columns of the fetch.
    package func finish(groupBy: [StoreFetch.Column], having: NSPredicate?, distinct: Bool) throws {
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
            case .object(let key, _, _): frame.select.groupBy.append(key)
            case .members, .constant:
                throw NSError.coreData(
                    NSCoreDataError, reason: "The property “\(column.name)” cannot be used in propertiesToGroupBy.")
            }
        }
        if let having { frame.select.having = try translator.condition(having, in: frame) }
        frame.select.isDistinct = distinct
    }
}
