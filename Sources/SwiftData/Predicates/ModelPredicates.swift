import CoreData
import Foundation

/// What models add to `#Predicate`.
struct ModelPredicates: PredicateExtending {
    /// Installs the extension before the first schema is used.
    static let installation: Void = PredicateExtension.install(ModelPredicates())

    /// The container of the context for which a predicate is being translated.
    @TaskLocal static var container: ModelContainer?

    func keys(of keyPath: AnyKeyPath) -> String? { ModelKeyPaths.keys(of: keyPath) }

    func constant(of value: Any) -> Any? {
        if PredicateConstant.isPlain(Swift.type(of: value)) { return nil }
        return switch value {
        case let identifier as PersistentIdentifier: id(of: identifier)
        case let model as any PersistentModel: id(of: model.persistentModelID)
        case let list as any ListOfConstants: list.constants { self.constant(of: $0) }
        default: nil
        }
    }

    /// The id in the container's stores; nil for an identifier of any other store, which no condition may take for nil.
    private func id(of identifier: PersistentIdentifier) -> Any? {
        guard let container = Self.container else { return identifier.objectID }
        return container.objectID(of: identifier)
    }

    func parts(of type: any Any.Type) -> [String]? {
        switch ValueKind.of(type) {
        case .structure(let fields):
            fields.flatMap { field in
                (leaves(of: field) ?? [""]).map { $0.isEmpty ? field.name : "\(field.name).\($0)" }
            }
        case .enumeration(let cases): cases.map(\.name)
        default: nil
        }
    }

    /// The keys of the parts of a field; nil for a field of one part.
    private func leaves(of field: StructureField) -> [String]? {
        field.kind.isRawEnumeration ? [field.name] : parts(of: field.type)
    }

    func conditions(on value: Any) -> [PartCondition]? {
        let type = Swift.type(of: value)
        switch ValueKind.of(type) {
        case .structure(let fields):
            let conditions = StructureFields(value).conditions(fields) { field, value in
                self.conditions(on: value, of: field)
            }
            // A structure without any value is nil for the store.
            guard let conditions, conditions.contains(where: \.isOnValue) else { return nil }
            return conditions
        case .enumeration(let cases):
            func open<Value>(_ value: Value) -> String? { ValuePlans.name(of: value)?.name }
            guard let name = _openExistential(value, do: open), let one = cases.first(where: { $0.name == name }),
                !one.hasPayload
            else { return nil }
            return [PartCondition(name, .isThere)]
        default: return nil
        }
    }

    private func conditions(on value: Any, of field: StructureField) -> [PartCondition]? {
        let wrapped = (value as? any OptionalType).map(\.anyWrapped) ?? value
        let parts = leaves(of: field)
        guard let wrapped else { return (parts ?? [""]).map { PartCondition($0, .equals(nil)) } }
        switch field.kind {
        case .scalar: return [PartCondition("", .equals(wrapped))]
        case .rawEnumeration:
            guard let raw = wrapped as? any RawRepresentable else { return nil }
            return [PartCondition(field.name, .equals(raw.rawValue))]
        case .structure, .enumeration: return conditions(on: wrapped)
        case .archive, .json, .none: return nil
        }
    }

    func entities(of type: any Any.Type) -> [NSEntityDescription]? {
        guard let container = Self.container, let model = type as? any PersistentModel.Type,
            let entity = container.managed.types[ObjectIdentifier(model)]?.entity
        else { return nil }
        return container.managed.model.entities.filter { $0.isKindOf(entity: entity) }
    }

    func hasOrderOfStore(_ declared: any Any.Type) -> Bool {
        let type = (declared as? any OptionalType.Type)?.wrappedType ?? declared
        // An order that the program has written for an enumeration need not be that of the raw values.
        if type == PersistentIdentifier.self || ValueKind.of(type).isRawEnumeration { return false }
        return RelationshipShape(type)?.isToMany != true
    }

    func hasArithmeticOfStore(_ type: any Any.Type) -> Bool {
        // SQL calculates with floating-point numbers of 64 bits in place of these.
        Self.container == nil || !(type == Float.self || type == Decimal.self)
    }

    var hasDivisionByZero: Bool { Self.container != nil }
}

extension ModelContainer {
    /// The managed object's id of an identifier; nil if none of the container's stores has it.
    func objectID(of identifier: PersistentIdentifier) -> NSManagedObjectID? {
        if let id = identifier.objectID {
            // A new model has its id from before it came into a context, whose model may be another one.
            if id.isTemporaryID { return id }
            if id.entity.managedObjectModel === managed.model,
                id.persistentStore?.persistentStoreCoordinator === coordinator
            {
                return id
            }
        }
        if identifier.isTemporary { return nil }
        if let rows = customRows.values.first(where: { $0.adapter.identifier == identifier.storeIdentifier }) {
            return rows.objectID(of: identifier.text)
        }
        return identifier.uri.flatMap { coordinator.managedObjectID(forURIRepresentation: $0) }
    }
}

extension PartCondition {
    /// Whether the part has to have a value.
    fileprivate var isOnValue: Bool {
        if case .equals(nil) = test { false } else { true }
    }
}

/// The fields of a structure in memory.
private struct StructureFields {
    private let value: Any

    init(_ value: Any) { self.value = value }

    /// The conditions on all fields; nil if there is none for one of them.
    func conditions(
        _ fields: [StructureField], _ make: (StructureField, Any) -> [PartCondition]?
    ) -> [PartCondition]? {
        func open<Value>(_ value: Value) -> [PartCondition]? {
            withUnsafeBytes(of: value) { bytes in
                var all: [PartCondition] = []
                for field in fields {
                    guard let base = bytes.baseAddress, let some = make(field, Self.load(field, base)) else {
                        return nil
                    }
                    all += some.map {
                        PartCondition($0.key.isEmpty ? field.name : "\(field.name).\($0.key)", $0.test)
                    }
                }
                return all
            }
        }
        return _openExistential(value, do: open)
    }

    private static func load(_ field: StructureField, _ base: UnsafeRawPointer) -> Any {
        func open<Field>(_ type: Field.Type) -> Any {
            (base + field.offset).assumingMemoryBound(to: type).pointee
        }
        return _openExistential(field.type, do: open)
    }
}

/// A collection of identifiers, models or enumerations, which the framework takes for objects of their own.
private protocol ListOfConstants {
    func constants(_ constant: (Any) -> Any?) -> [Any]?
}

extension ListOfConstants where Self: Collection {
    func constants(_ constant: (Any) -> Any?) -> [Any]? {
        if Element.self == PersistentIdentifier.self || Element.self is any PersistentModel.Type {
            // No row has the identifier of another store.
            return compactMap { constant($0) }
        }
        guard Element.self is any RawRepresentable.Type, ValueKind.of(Element.self).isRawEnumeration else { return nil }
        return compactMap { ($0 as? any RawRepresentable)?.rawValue }
    }
}

extension Array: ListOfConstants {}
extension Set: ListOfConstants {}
