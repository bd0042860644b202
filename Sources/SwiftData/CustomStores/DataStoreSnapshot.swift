import CoreData
import Foundation

/// The values of one model at a moment.
///
/// A type of a program has to encode the values under ``DataStoreSnapshotCodingKey``, relationships as identifiers.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/datastoresnapshot)
public protocol DataStoreSnapshot: Decodable, Encodable, Sendable {
    /// The identifier of the model.
    var persistentIdentifier: PersistentIdentifier { get }

    /// Takes the values of a model.
    ///
    /// - Parameters:
    ///   - backingData: The values.
    ///   - relatedBackingDatas: The values of models to which these lead, which the type may add to.
    init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

    /// Returns the values under another identifier.
    ///
    /// - Parameters:
    ///   - persistentIdentifier: The identifier.
    ///   - remappedIdentifiers: The permanent identifiers of models to which the values lead, by the temporary ones.
    /// - Returns: The values.
    func copy(
        persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> Self
}

/// A value in a snapshot.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/datastoresnapshotvalue)
public typealias DataStoreSnapshotValue = Decodable & Encodable & Sendable

/// A key under which a snapshot is encoded.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/datastoresnapshotcodingkey)
public enum DataStoreSnapshotCodingKey: CodingKey, Hashable, Sendable {
    /// The identifier of the model.
    case persistentIdentifier
    /// A property, by its name.
    case modeledProperty(String)

    private static let identifier = "persistentIdentifier"

    /// Creates the key of a text.
    public init?(stringValue: String) {
        if stringValue == Self.identifier {
            self = .persistentIdentifier
        } else {
            // A property may have the identifier's name.
            self = .modeledProperty(String(stringValue.hasPrefix("$") ? stringValue.dropFirst() : stringValue[...]))
        }
    }

    /// Creates nothing: the keys are no numbers.
    public init?(intValue: Int) { nil }

    /// The name.
    public var stringValue: String {
        switch self {
        case .persistentIdentifier: Self.identifier
        case .modeledProperty(Self.identifier): "$" + Self.identifier
        case .modeledProperty(let name): name
        }
    }

    /// Nil: the keys are no numbers.
    public var intValue: Int? { nil }
}

/// The values of one model by the names of its properties, and the identifiers to which its relationships lead.
///
/// A snapshot can be decoded while its store carries out a call of a container, which knows the types of the values.
/// A value that is nil is left out.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/defaultsnapshot)
public struct DefaultSnapshot: DataStoreSnapshot, @unchecked Sendable {  // the values are those of a store
    /// The identifier of the model.
    public let persistentIdentifier: PersistentIdentifier
    /// The values that are not nil. A relationship has a `PersistentIdentifier` or an array of them.
    private(set) var values: [String: any Codable] = [:]

    /// Takes the values of a model.
    ///
    /// - Parameters:
    ///   - backingData: The values.
    ///   - relatedBackingDatas: Stays as it is.
    public init(
        from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
    ) {
        guard let core = (backingData as? any CoreBacked)?.core else {
            // Apple's initialiser cannot throw. A program's own backing data has no values that a store could get.
            fatalError("\(type(of: backingData)) are no values of a context's model")
        }
        self.init(of: core)
    }

    init(of core: _ModelCore) {
        persistentIdentifier = PersistentIdentifier(inSnapshot: core.objectID)
        for property in SnapshotPlan.of(core.modelType).properties { values[property.name] = property.read(core) }
    }

    /// Returns the values under another identifier.
    ///
    /// - Parameters:
    ///   - persistentIdentifier: The identifier.
    ///   - remappedIdentifiers: The permanent identifiers of models to which the values lead, by the temporary ones.
    /// - Returns: The values.
    public func copy(
        persistentIdentifier: PersistentIdentifier,
        remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = nil
    ) -> DefaultSnapshot {
        let permanent = remappedIdentifiers ?? [:]
        let copied = values.mapValues { value -> any Codable in
            switch value {
            case let one as PersistentIdentifier: permanent[one] ?? one
            case let many as [PersistentIdentifier]: many.map { permanent[$0] ?? $0 }
            default: value
            }
        }
        return DefaultSnapshot(persistentIdentifier, copied)
    }

    private init(_ identifier: PersistentIdentifier, _ values: [String: any Codable]) {
        persistentIdentifier = identifier
        self.values = values
    }

    /// Decodes the values of a model.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
        let identifier = try container.decode(PersistentIdentifier.self, forKey: .persistentIdentifier)
        persistentIdentifier = identifier
        guard let types = SnapshotPlan.present else {
            throw DecodingError.dataCorruptedError(
                forKey: .persistentIdentifier, in: container,
                debugDescription: "The types of a snapshot are known while a store carries out a container's call only")
        }
        guard let plan = types[identifier.entityName] else {
            throw DecodingError.dataCorruptedError(
                forKey: .persistentIdentifier, in: container,
                debugDescription: "The container has no class '\(identifier.entityName)'")
        }
        for property in plan.properties {
            let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
            guard container.contains(key), try !container.decodeNil(forKey: key) else { continue }
            values[property.name] = try container.decode(property.codedType, forKey: key)
        }
    }

    /// Encodes the values of a model.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
        try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            try container.encode(value, forKey: .modeledProperty(name))
        }
    }
}

extension PersistentIdentifier {
    /// The identifier in a snapshot. That of a new model stays what it is after the save.
    init(inSnapshot id: NSManagedObjectID) {
        if let text = CustomRows.of(id)?.text(of: id), text.isTemporary { self.init(text) } else { self.init(id) }
    }
}
