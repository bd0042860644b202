import CoreData

extension StoreFinding {
    /// Makes the finding of an irregularity in the tables, which no save can write.
    init(_ irregularity: StoreIrregularity, _ model: NSManagedObjectModel) {
        let (row, found) = (irregularity.row, irregularity.found)
        let attribute = Self.attribute(irregularity.propertyName ?? "", of: row.entityName, model)
        object = irregularity.kind == .counter ? nil : ObjectName.of(row)
        property = irregularity.propertyName
        repair = .irregular(irregularity)
        switch irregularity.kind {
        case .counter:
            kind = .counter
            text = "\(row.entityName): the counter is \(found), and there is \(ObjectName.of(row))"
        case .entity:
            kind = .unknownEntity
            text = found == "none" ? "the row has no entity" : "the row's entity is \(found), which has no rows here"
            repair = nil
        case .link:
            kind = .dangling
            text = "leads to \(irregularity.target.map(ObjectName.of) ?? found), which is not there"
        case .encoding:
            kind = .encoding
            text = "these bytes are not UTF-8: \(found)"
        case .value:
            kind = .range
            let type = attribute.map { "no value of the type \($0.attributeType.readableName)" }
            text = "'\(found)' is \(type ?? "no reference to an object")"
            if attribute?.isOptional == false { repair = nil }
        }
    }

    /// The attribute of a key path, which may be an element of a composite one.
    private static func attribute(
        _ keyPath: String, of entity: String, _ model: NSManagedObjectModel
    ) -> NSAttributeDescription? {
        let keys = keyPath.split(separator: ".").map(String.init)
        var attribute = model.entitiesByName[entity]?.attributesByName[keys.first ?? ""]
        for key in keys.dropFirst() {
            attribute = (attribute as? NSCompositeAttributeDescription)?.elements.first { $0.name == key }
        }
        return attribute
    }
}
