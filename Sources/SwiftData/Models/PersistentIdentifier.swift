import CoreData
import Foundation

/// The identity of a model: its store, its entity and its number.
///
/// Any thread may use it. An identifier that was decoded equals one that was fetched.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentidentifier)
public struct PersistentIdentifier: Hashable, Identifiable, Sendable {
    private enum Form {
        case managed(NSManagedObjectID)
        /// Boxed, so that an identifier is no larger than a reference.
        indirect case text(Text)
    }

    /// An identifier that belongs to no container.
    struct Text: Hashable {
        let storeIdentifier: String?
        let entityName: String
        let primaryKey: String
        let isTemporary: Bool
    }

    private let form: Form

    init(_ objectID: NSManagedObjectID) { form = .managed(objectID) }

    init(_ text: Text) { form = .text(text) }

    /// The identity.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentidentifier/id-swift.struct)
    public struct ID: Hashable, Sendable {
        let identifier: PersistentIdentifier
    }

    /// The identity.
    public var id: ID { ID(identifier: self) }

    /// The name of the entity.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentidentifier/entityname)
    public var entityName: String {
        switch form {
        case .managed(let id): id.entity.name ?? ""
        case .text(let text): text.entityName
        }
    }

    /// The identifier of the store; nil until the model is saved.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentidentifier/storeidentifier)
    public var storeIdentifier: String? { text.storeIdentifier }

    /// Whether the model has not been saved yet.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentidentifier/istemporary)
    public var isTemporary: Bool {
        switch form {
        case .managed(let id): GivenIdentifiers.present(id).isTemporaryID
        case .text(let text): text.isTemporary
        }
    }

    /// Returns the identifier of a model in a store.
    ///
    /// - Parameters:
    ///   - storeIdentifier: The identifier of the store.
    ///   - entityName: The name of the entity.
    ///   - primaryKey: The number of the model in the store, or what a program's store has in place of it.
    /// - Returns: The identifier.
    /// - Throws: Nothing here; Apple's declaration throws.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentidentifier/identifier(for:entityname:primarykey:))
    public static func identifier<T: Comparable & Hashable & Codable & Sendable>(
        for storeIdentifier: String, entityName: String, primaryKey: T
    ) throws -> PersistentIdentifier {
        PersistentIdentifier(
            Text(
                storeIdentifier: storeIdentifier, entityName: entityName, primaryKey: "p\(primaryKey)",
                isTemporary: false))
    }

    /// The managed object's id, if the identifier came from a context. After the save it is that of the row.
    var objectID: NSManagedObjectID? {
        switch form {
        case .managed(let id): GivenIdentifiers.row(of: id)
        case .text: nil
        }
    }

    var text: Text {
        switch form {
        case .managed(let id): Text(GivenIdentifiers.present(id))
        case .text(let text): text
        }
    }

    var uri: URL? {
        let text = text
        return URL(string: "x-coredata://\(text.storeIdentifier ?? "")/\(text.entityName)/\(text.primaryKey)")
    }

    /// Whether two identifiers are of the same model.
    ///
    /// The identifier that a model had before its first save equals the one that it has after.
    public static func == (lhs: PersistentIdentifier, rhs: PersistentIdentifier) -> Bool {
        guard case .managed(let left) = lhs.form, case .managed(let right) = rhs.form else {
            return lhs.text == rhs.text
        }
        if left.isEqual(right) { return true }
        if left.isTemporaryID == right.isTemporaryID { return isSameRow(left, right) }
        let (leftRow, rightRow) = (GivenIdentifiers.present(left), GivenIdentifiers.present(right))
        return leftRow.isEqual(rightRow) || isSameRow(leftRow, rightRow)
    }

    /// Whether two ids, which are not equal, name one row in containers of different schemas.
    static func isSameRow(_ left: NSManagedObjectID, _ right: NSManagedObjectID) -> Bool {
        if left.hash != right.hash || left.entity.managedObjectModel === right.entity.managedObjectModel {
            return false
        }
        return Text(left) == Text(right)
    }

    /// Hashes the number of the model. The hash stays when a save gives the model its permanent identifier.
    public func hash(into hasher: inout Hasher) {
        switch form {
        case .managed(let id): hasher.combine(GivenIdentifiers.number(of: id))
        case .text(let text): hasher.combine(GivenIdentifiers.number(of: text))
        }
    }
}

extension PersistentIdentifier.Text {
    init(_ id: NSManagedObjectID) {
        if let rows = CustomRows.of(id) {
            self = rows.text(of: id)
            return
        }
        let uri = id.uriRepresentation()
        self.init(
            storeIdentifier: id.isTemporaryID ? nil : uri.host.map { _ in Self.host(of: uri) },
            entityName: id.entity.name ?? "", primaryKey: uri.lastPathComponent, isTemporary: id.isTemporaryID)
    }

    /// The host as it is written: `URL.host` changes no case, but decodes.
    private static func host(of uri: URL) -> String {
        String(uri.absoluteString.dropFirst("x-coredata://".count).prefix { $0 != "/" })
    }

    /// The number of the model, if its key is a number. That of a new model is negative, and stands behind the
    /// identifier of its process.
    var number: Int? {
        if !isTemporary { return Int(primaryKey.dropFirst()) }
        return Int(primaryKey.dropFirst(1 + UUID().uuidString.count)).map { -$0 }
    }
}

extension PersistentIdentifier: Comparable {
    /// Whether an identifier stands before another one: by store, entity and number.
    public static func < (lhs: PersistentIdentifier, rhs: PersistentIdentifier) -> Bool {
        let (left, right) = (lhs.text, rhs.text)
        let (leftStore, rightStore) = (left.storeIdentifier ?? "", right.storeIdentifier ?? "")
        if leftStore != rightStore { return leftStore < rightStore }
        if left.entityName != right.entityName { return left.entityName < right.entityName }
        if let one = left.number, let other = right.number { return one < other }
        return left.primaryKey < right.primaryKey
    }
}

extension PersistentIdentifier: Codable {
    private enum Keys: String, CodingKey { case implementation }
    private enum ImplementationKeys: String, CodingKey {
        case primaryKey, uriRepresentation, isTemporary, storeIdentifier, entityName
    }

    /// Decodes an identifier, in the form that Apple's framework writes.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Keys.self)
            .nestedContainer(keyedBy: ImplementationKeys.self, forKey: .implementation)
        let text = Text(
            storeIdentifier: try values.decodeIfPresent(String.self, forKey: .storeIdentifier),
            entityName: try values.decode(String.self, forKey: .entityName),
            primaryKey: try values.decode(String.self, forKey: .primaryKey),
            isTemporary: try values.decodeIfPresent(Bool.self, forKey: .isTemporary) ?? false)
        // The identifier of a new model follows it into its store.
        form = GivenIdentifiers.id(of: text).map(Form.managed) ?? .text(text)
    }

    /// Encodes the identifier, in the form that Apple's framework reads.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var values = container.nestedContainer(keyedBy: ImplementationKeys.self, forKey: .implementation)
        let text = text
        try values.encode(text.primaryKey, forKey: .primaryKey)
        try values.encode(uri, forKey: .uriRepresentation)
        try values.encode(text.isTemporary, forKey: .isTemporary)
        try values.encodeIfPresent(text.storeIdentifier, forKey: .storeIdentifier)
        try values.encode(text.entityName, forKey: .entityName)
    }
}

extension PersistentIdentifier: CustomStringConvertible, CustomReflectable {
    /// The identifier with its URI.
    public var description: String { "PersistentIdentifier(\(uri?.absoluteString ?? text.primaryKey))" }

    /// The managed object's id, under the names by which published code finds it.
    public var customMirror: Mirror {
        let implementation = Implementation(managedObjectID: objectID, isTemporary: isTemporary)
        return Mirror(self, children: ["implementation": implementation], displayStyle: .struct)
    }

    private struct Implementation {
        let managedObjectID: NSManagedObjectID?
        let isTemporary: Bool
    }
}
