import Foundation

extension ModelSourceReader {
    func addIndexes(of source: XMLTreeElement, to entity: NSEntityDescription) throws {
        entity.indexes = try source.children(named: "fetchIndex").compactMap { child in
            guard let elements = try indexElements(of: child, in: entity) else { return nil }
            let index = NSFetchIndexDescription(name: try requiredName(of: child), elements: elements)
            if let format = child.text("partialIndexPredicate") {
                do {
                    index.partialIndexPredicate = try predicate(format, at: child)
                } catch {
                    warn("the condition of the index cannot be read, so the index covers all objects.", at: child)
                }
            }
            return index
        }
        entity.addImpliedIndexes()
    }

    /// The elements of a fetch index. Indexes are optional, so an index over a removed property is left out.
    private func indexElements(
        of source: XMLTreeElement, in entity: NSEntityDescription
    ) throws -> [NSFetchIndexElementDescription]? {
        let properties = entity.propertiesByName
        var elements: [NSFetchIndexElementDescription] = []
        for item in source.children(named: "fetchIndexElement") {
            let name = item.text("property") ?? item.text("name") ?? ""
            let computed = try indexExpression(of: item, number: elements.count + 1, properties)
            guard let property = computed ?? properties[name] else {
                if name.isEmpty {
                    warn("the element names no property, so there is no index; write property=\"NAME\".", at: item)
                    return nil
                }
                warn(
                    "entity '\(entity.name ?? "")' has no property '\(name)', so it has no index "
                        + "'\(source.text("name") ?? "")'\(Self.hint(name, among: properties))", at: item)
                return nil
            }
            let isSpatial = item.attributes["type"]?.lowercased() == "rtree"
            let element = NSFetchIndexElementDescription(
                property: property, collationType: isSpatial ? .rTree : .binary)
            element.isAscending = item.attributes["order"]?.lowercased() != "descending"
            elements.append(element)
        }
        return elements
    }

    /// The expression of an element that names none of the properties; nil for an element with a property.
    private func indexExpression(
        of source: XMLTreeElement, number: Int, _ properties: [String: NSPropertyDescription]
    ) throws -> NSExpressionDescription? {
        guard let format = source.text("expression") else { return nil }
        let description = NSExpressionDescription()
        description.name = "expression\(number)"
        do {
            description.expression = try NSExpression.parse(format: format)
        } catch {
            throw self.error(error.description, at: source)
        }
        var path = "self"
        switch description.expression?.payload {
        case .evaluatedObject: break
        case .keyPath(let keys, operand: nil): path = keys.text
        default: path = ""
        }
        let columns = ["self", "SELF", "objectID", "entity"]
        if !columns.contains(path), properties[String(path.prefix { $0 != "." })] == nil {
            warn(ModelWarning.missingColumn(of: format), at: source)
        }
        description.expressionResultType = try attributeType(named: source.text("expressionType"), at: source)
        return description
    }
}
