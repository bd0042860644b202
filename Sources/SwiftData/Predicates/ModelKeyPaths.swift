import CoreData
import Foundation

/// Finds the names of properties to which key paths lead.
enum ModelKeyPaths {
    /// The name of the property of a class to which a key path of one component leads.
    static func name(of keyPath: AnyKeyPath, from type: any PersistentModel.Type) -> String? {
        KeyPathComponents.identity(keyPath).flatMap { table(of: type)[$0]?.name }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The keys to which a key path leads, joined by dots: properties of models, and fields of their structures. An
    /// enumeration's element is added. "self" for the identifier of the model, and for an enumeration's raw value.
    ///
    /// Nil if the path leads to anything else, or to a value of which a store has only bytes.
    static func keys(of keyPath: AnyKeyPath) -> String? { found(keyPath)?.keys }

    /// The expression for a property of the model itself; nil for key paths that lead to anything else.
    static func ownProperty(_ keyPath: AnyKeyPath) -> CoreData.NSExpression? { found(keyPath)?.ownProperty }

    private struct Found {
        let keys: String
        let ownProperty: CoreData.NSExpression?
    }

    /// What the key paths that were asked for lead to.
    private static let known = Locked<[AnyKeyPath: Found]>([:])
    /// The results by the objects of key paths. A literal in a program makes one object, and the hash of its address
    /// takes less time than the hash of a key path, which visits all components.
    private static let knownObjects = Locked<[ObjectIdentifier: (keyPath: AnyKeyPath, found: Found)]>([:])
    /// Key paths that a program makes anew each time must not occupy memory without end.
    private static let mostObjects = 1_024

    private static func found(_ keyPath: AnyKeyPath) -> Found? {
        let identifier = ObjectIdentifier(keyPath)
        if let known = knownObjects.withLock({ $0[identifier]?.found }) { return known }
        guard let found = known.withLock({ $0[keyPath] }) ?? make(keyPath) else { return nil }
        knownObjects.withLock {
            if $0.count == mostObjects { $0.removeAll() }
            $0[identifier] = (keyPath, found)
        }
        return found
    }

    private static func make(_ keyPath: AnyKeyPath) -> Found? {
        guard let keys = find(keyPath) else { return nil }
        let isOwn = keys != "self" && !keys.contains(".")
        let new = Found(keys: keys, ownProperty: isOwn ? CoreData.NSExpression(forKeyPath: keys) : nil)
        known.withLock { $0[keyPath] = new }
        return new
    }

    private static func find(_ keyPath: AnyKeyPath) -> String? {
        let (root, value) = (type(of: keyPath).rootType, type(of: keyPath).valueType)
        if let raw = root as? any RawRepresentable.Type, ValueKind.of(root).isRawEnumeration {
            return RawValues.isRawValue(keyPath, of: raw) ? "self" : nil
        }
        guard var way = Way(from: root) else { return nil }
        var components = KeyPathComponents.of(keyPath)
        if SortKeys.isKey(value) { components.removeLast() }
        for component in components {
            guard way.follow(component) else { return nil }
        }
        return way.keys
    }

    // MARK: Tables

    fileprivate struct Property {
        let name: String
        let place: Place
    }

    /// What lies at the end of a path.
    fileprivate enum Place {
        case model(any PersistentModel.Type)
        case value(any Any.Type)
        /// The raw value of an enumeration.
        case rawValue
        /// The identifier of a model.
        case identifier
        case models
        /// A value of which a store has only bytes.
        case bytes

        init(of type: any Any.Type) {
            switch ValueKind.of(type) {
            case .scalar, .rawEnumeration, .enumeration, .structure:
                self = .value((type as? any OptionalType.Type)?.wrappedType ?? type)
            case .archive, .json, .none: self = .bytes
            }
        }
    }

    private static let tables = Locked<[ObjectIdentifier: [UInt: Property]]>([:])

    /// The properties of a class by the identities of their key paths.
    fileprivate static func table(of type: any PersistentModel.Type) -> [UInt: Property] {
        if let known = tables.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        var table: [UInt: Property] = [:]
        if let above = _getSuperclass(type) as? any PersistentModel.Type { table = self.table(of: above) }
        for property in type.schemaMetadata {
            guard let keyPath = property.keypath, let identity = KeyPathComponents.identity(keyPath) else { continue }
            table[identity] = Property(
                name: property.name, place: place(of: property, Swift.type(of: keyPath).valueType))
        }
        for keyPath in identifiers(of: type) {
            guard let identity = KeyPathComponents.identity(keyPath), table[identity] == nil else { continue }
            table[identity] = Property(name: "", place: .identifier)
        }
        tables.withLock { $0[ObjectIdentifier(type)] = table }
        return table
    }

    private static func place(of property: Schema.PropertyMetadata, _ type: any Any.Type) -> Place {
        if let shape = RelationshipShape(type) { return shape.isToMany ? .models : .model(shape.destination) }
        let options = (property.metadata as? Schema.Attribute)?.options ?? []
        return options.contains { $0 == .ephemeral || $0.transformerName != nil } ? .bytes : Place(of: type)
    }

    private static func identifiers<Model: PersistentModel>(of type: Model.Type) -> [AnyKeyPath] {
        // In generic code `id` is the requirement of the protocol, and elsewhere the property of each model.
        [\Model.persistentModelID, \Model.id, \AnyModel.id]
    }

    /// The path from a root to a value.
    private struct Way {
        private var names: [String] = []
        private var place: Place

        init?(from root: any Any.Type) {
            if let model = root as? any PersistentModel.Type {
                place = .model(model)
                return
            }
            place = Place(of: root)
            guard case .structure = ValueKind.of(root) else { return nil }
        }

        /// Follows one component; false if it leads to nothing that a store has.
        mutating func follow(_ component: KeyPathComponent) -> Bool {
            switch place {
            case .model(let type):
                guard let property = ModelKeyPaths.table(of: type)[component.identity] else { return false }
                place = property.place
                if case .identifier = place { return true }
                names.append(property.name)
                return true
            case .value(let type): return follow(component, from: type)
            case .rawValue, .identifier, .models, .bytes: return false
            }
        }

        private mutating func follow(_ component: KeyPathComponent, from type: any Any.Type) -> Bool {
            switch ValueKind.of(type) {
            case .structure(let fields):
                guard let field = fields.first(where: { $0.name == component.name }) else { return false }
                names.append(field.name)
                place = Place(of: field.type)
                if case .json = field.kind { place = .bytes }
                return true
            case .rawEnumeration:
                guard let raw = type as? any RawRepresentable.Type, RawValues.identity(of: raw) == component.identity
                else { return false }
                addElement()
                place = .rawValue
                return true
            default: return false
            }
        }

        /// The one element of an enumeration has the name of the property, or of the field.
        private mutating func addElement() {
            if let name = names.last { names.append(name) }
        }

        /// The keys, joined by dots.
        var keys: String? {
            var way = self
            if case .value(let type) = place, ValueKind.of(type).isRawEnumeration { way.addElement() }
            if case .bytes = place { return nil }
            return way.names.isEmpty ? "self" : way.names.joined(separator: ".")
        }
    }
}

/// Recognises key paths to the raw values of enumerations.
private enum RawValues {
    /// Whether a key path from an enumeration has the raw value of each case. A program's own property may, too.
    static func isRawValue<Raw: RawRepresentable>(_ keyPath: AnyKeyPath, of type: Raw.Type) -> Bool {
        guard let keyPath = keyPath as? KeyPath<Raw, Raw.RawValue> else { return false }
        if identity(of: type) == KeyPathComponents.identity(keyPath) { return true }
        let all = EnumerationCase.values(of: type)
        return !all.isEmpty && all.allSatisfy { areEqual($0[keyPath: keyPath], $0.rawValue) }
    }

    /// The identity of the key path in generic code.
    static func identity<Raw: RawRepresentable>(of type: Raw.Type) -> UInt? {
        KeyPathComponents.identity(\Raw.rawValue)
    }

    private static func areEqual<Value>(_ one: Value, _ other: Value) -> Bool {
        guard let one = one as? AnyHashable, let other = other as? AnyHashable else { return false }
        return one == other
    }
}

/// A class without properties, whose key path to `id` is that of each model without an `id` of its own.
private final class AnyModel: PersistentModel {
    private let core: _ModelCore

    init(backingData: any BackingData<AnyModel>) { core = _ModelCore.next(AnyModel.self) }

    var persistentBackingData: any BackingData<AnyModel> {
        get { core.backingData(of: AnyModel.self, self) }
        set { core.take(newValue) }
    }

    static var schemaMetadata: [Schema.PropertyMetadata] { [] }

    func _$settle() -> _ModelCore { core }
}
