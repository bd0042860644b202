import CoreData
import Foundation

/// The values that the rows of an older version get in new properties, where one constant for all rows is not right: a
/// fresh value for each row (`UUID()`, `Date()`), and the defaults of structures, lists and enumerations.
///
/// The migration leads to a relaxed copy of the model first, in which these properties are optional. There the rows get
/// their values, and the hop to the model itself checks them as any hop does.
struct DefaultFilling {
    private let places: [Place]
    let relaxed: ManagedSchema

    /// A property of an entity, or a field of a structure, that existing rows have no value for.
    private struct Place {
        let entity: String
        /// The name of the property, and the names of fields behind it.
        let path: [String]
        /// Whether only rows without a value get one.
        let fillsGapsOnly: Bool
        /// The default value of the property.
        let value: DefaultValue
    }

    /// - Parameters:
    ///   - source: The model of the rows.
    ///   - target: The schema whose defaults the rows get.
    /// - Returns: Nil if constants in SQL do all that is to do.
    init?(from source: NSManagedObjectModel, to target: ManagedSchema) throws {
        let old = source.entitiesByName
        var places: [Place] = []
        for entity in target.schema.entities {
            guard let type = entity.type, let before = old[entity.name],
                let description = target.model.entitiesByName[entity.name]
            else { continue }
            for case let attribute as Schema.Attribute in entity.storedProperties where !attribute.isTransient {
                guard let new = description.attributesByName[attribute.name],
                    let value = DefaultValue(attribute, of: type)
                else { continue }
                let names = [attribute.originalName, attribute.name]
                let origin = names.lazy.compactMap { before.attributesByName[$0] }.first
                if let origin {
                    guard !new.isOptional else { continue }
                    Self.addGaps(in: new, since: origin, at: [attribute.name], of: entity.name, value, to: &places)
                } else if value.isFresh || !Self.isConstant(attribute) {
                    places.append(
                        Place(entity: entity.name, path: [attribute.name], fillsGapsOnly: false, value: value))
                }
            }
        }
        guard !places.isEmpty, let model = target.model.copy() as? NSManagedObjectModel else { return nil }
        self.places = places
        for place in places {
            let entity = model.entitiesByName[place.entity]
            Self.relax(entity?.attributesByName[place.path[0]], place.path.dropFirst())
            // A constant in all rows would break the constraint, so the relaxed model has to be a version of its own.
            let constrained = entity?.uniquenessConstraints.joined().map { "\($0)" } ?? []
            if constrained.contains(place.path[0]) { entity?.versionHashModifier = "relaxed" }
        }
        relaxed = ManagedSchema(target.schema, model)
    }

    /// Whether a constant in SQL can be the default of an attribute.
    private static func isConstant(_ attribute: Schema.Attribute) -> Bool {
        if attribute.isTransformable { return false }
        if case .scalar = ValueKind.of(attribute.valueType) { return true }
        return false
    }

    /// Adds what an attribute that was there before asks for in addition: values in place of nil, and new fields.
    private static func addGaps(
        in new: NSAttributeDescription, since old: NSAttributeDescription, at path: [String], of entity: String,
        _ value: DefaultValue, to places: inout [Place]
    ) {
        guard let composite = new as? NSCompositeAttributeDescription,
            let before = old as? NSCompositeAttributeDescription
        else {
            let needsValue = old.isOptional && !new.isOptional && (new.defaultValue == nil || value.isFresh)
            if needsValue { places.append(Place(entity: entity, path: path, fillsGapsOnly: true, value: value)) }
            return
        }
        for element in composite.elements where !element.isOptional || element is NSCompositeAttributeDescription {
            let path = path + [element.name]
            if let origin = before.elements.first(where: { $0.name == element.name }) {
                addGaps(in: element, since: origin, at: path, of: entity, value, to: &places)
            } else if value.has(path.dropFirst()) {
                places.append(Place(entity: entity, path: path, fillsGapsOnly: false, value: value))
            }
        }
    }

    private static func relax(_ attribute: NSAttributeDescription?, _ path: ArraySlice<String>) {
        guard let attribute else { return }
        if let name = path.first, let composite = attribute as? NSCompositeAttributeDescription {
            return relax(composite.elements.first { $0.name == name }, path.dropFirst())
        }
        attribute.isOptional = true
        attribute.defaultValue = nil
        for element in (attribute as? NSCompositeAttributeDescription)?.elements ?? [] { relax(element, []) }
    }

    /// Whether the relaxed model is a version of its own.
    func isVersion(beside target: ManagedSchema) -> Bool {
        relaxed.model.versionChecksum != target.model.versionChecksum
    }

    // MARK: Rows

    private static let batch = 1_000

    /// Gives the rows of a store of the relaxed model their values.
    func fill(_ context: ManagedContext) throws {
        let byEntity = Dictionary(grouping: places) { $0.entity }
        for (entity, places) in byEntity.sorted(by: { $0.key < $1.key }) {
            let request = NSFetchRequest<NSManagedObjectID>(entityName: entity)
            request.resultType = .managedObjectIDResultType
            let ids = try context.fetch(request)
            for start in stride(from: 0, to: ids.count, by: Self.batch) {
                let rows = NSFetchRequest<NSManagedObject>(entityName: entity)
                let part = Array(ids[start..<min(start + Self.batch, ids.count)])
                rows.predicate = NSPredicate(format: "self IN %@", part as NSArray)
                for case let core as _ModelCore in try context.fetch(rows) {
                    for place in places { Self.fill(core, place) }
                }
                try context.save()
                context.reset()
            }
        }
    }

    private static func fill(_ core: _ModelCore, _ place: Place) {
        var attribute: NSAttributeDescription? = core.entity.attributesByName[place.path[0]]
        for name in place.path.dropFirst() {
            attribute = (attribute as? NSCompositeAttributeDescription)?.elements.first { $0.name == name }
        }
        guard let attribute, let value = place.value.value(at: place.path.dropFirst()) else { return }
        func write<Value>(_ value: Value) {
            let plan = ValuePlans.plan(of: Value.self, at: place.path.joined(separator: "."), attribute)
            if place.fillsGapsOnly, plan.isPresent(core) { return }
            plan.write(value, core)
        }
        _openExistential(value, do: write)
    }
}

/// The default value of a property, as the program has written it.
private struct DefaultValue {
    private let name: String
    private let type: any PersistentModel.Type
    private let constant: Any
    /// Whether each evaluation gives another value.
    let isFresh: Bool

    /// Nil if the property has no default value.
    init?(_ attribute: Schema.Attribute, of type: any PersistentModel.Type) {
        name = attribute.name
        self.type = type
        guard let value = attribute.defaultValue.flatMap(Self.unwrapped) else {
            // A structure without a default may be decoded of nothing.
            guard !attribute.isOptional, let decodable = attribute.valueType as? any Decodable.Type,
                case .structure = ValueKind.of(attribute.valueType),
                let empty = try? JSONDecoder().decode(decodable, from: Data("{}".utf8))
            else { return nil }
            (constant, isFresh) = (empty, false)
            return
        }
        constant = value
        guard let first = value as? AnyHashable else {
            isFresh = false
            return
        }
        // Two dates of one nanosecond are equal by chance.
        isFresh = (0..<3).contains { _ in Self.evaluate(attribute.name, type) as? AnyHashable != first }
    }

    private static func unwrapped(_ value: Any) -> Any? { (value as? any OptionalType).map(\.anyWrapped) ?? value }

    private static func evaluate(_ name: String, _ type: any PersistentModel.Type) -> Any? {
        type.schemaMetadata.first { $0.name == name }?.defaultValue.flatMap(unwrapped)
    }

    /// Whether the value has a field.
    func has(_ path: ArraySlice<String>) -> Bool { value(at: path) != nil }

    /// The value, or the field of it to which a path leads.
    func value(at path: ArraySlice<String>) -> Any? {
        var value: Any? = isFresh ? Self.evaluate(name, type) : constant
        for name in path {
            value = value.flatMap { Mirror(reflecting: $0).children.first { $0.label == name }?.value }
        }
        return value
    }
}
