import Foundation
import Synchronization

/// The identity of a managed object: a row of a store, or a new object.
///
/// Ids compare by value. Any thread may use them. The URI of a saved object is `x-coredata://<store
/// UUID>/<entity>/p<primary key>`. That of a new object is `x-coredata:///<entity>/t<number>`.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectid)
open class NSManagedObjectID: NSObject, NSCopying, NSFetchRequestResult, ObjectKeyConvertible, @unchecked Sendable {
    // Immutable: every stored property is a `let`.
    let objectKey: ObjectKey
    let origin: Origin
    var layout: EntityLayout { origin.modelLayout.entities[objectKey.layoutIndex] }
    var storeIdentifier: String? { origin.storeIdentifier }
    /// The table that gives the reference object of the key, in a custom store; otherwise nil.
    var references: ReferenceTable? { origin.references }

    /// The common part of all ids of one store, or of all ids of new objects.
    final class Origin: Sendable {
        private let model: NSManagedObjectModel
        let modelLayout: ModelLayout
        private let storeReference: ZeroingReference<NSPersistentStore>?
        fileprivate var store: NSPersistentStore? {
            switch storeReference {
            case .some(let reference): reference.object
            case nil: nil
            }
        }
        let storeIdentifier: String?
        fileprivate let references: ReferenceTable?

        init(modelLayout: ModelLayout, store: NSPersistentStore?) {
            self.modelLayout = modelLayout
            model = modelLayout.model
            storeReference = store.map { ZeroingReference($0) }
            storeIdentifier = store?.identifier
            references = store?.references
        }
    }

    init(objectKey: ObjectKey, origin: Origin) {
        self.objectKey = objectKey
        self.origin = origin
        super.init()
    }

    convenience init(objectKey: ObjectKey, modelLayout: ModelLayout, store: NSPersistentStore?) {
        self.init(objectKey: objectKey, origin: Origin(modelLayout: modelLayout, store: store))
    }

    /// Creates an id of no object: a temporary one that equals no other. It is for tests that need any id.
    public override init() {
        let modelLayout = NoEntity.model.layout
        objectKey = ObjectKey(layoutIndex: 0, key: Self.nextTemporaryKey())
        origin = Origin(modelLayout: modelLayout, store: nil)
        super.init()
    }

    /// The entity of the object.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectid/entity)
    open var entity: NSEntityDescription { layout.entity }

    /// The store of the object; nil for a new object, and if the store was removed.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectid/persistentstore)
    open var persistentStore: NSPersistentStore? { origin.store }

    /// Whether the object has not been saved yet.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectid/istemporaryid)
    open var isTemporaryID: Bool { objectKey.isTemporary }

    /// The id as a URI. The URI of a saved object stays valid between runs of a program.
    ///
    /// A URI of a new object is valid as long as its process runs.
    /// ``NSPersistentStoreCoordinator/managedObjectID(forURIRepresentation:)`` gives the id for the URI of a saved
    /// object.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectid/urirepresentation())
    open func uriRepresentation() -> URL {
        if isTemporaryID {
            return Self.url("x-coredata:///\(entityText)/t\(Self.processIdentifier)\(-objectKey.key)", layout)
        }
        let (store, place) = (storeIdentifier ?? "", "/\(entityText)/p\(primaryKeyText)")
        if let url = URL(string: "x-coredata://\(store)\(place)") { return url }
        // The identifier is one that a program has chosen, or it is damaged.
        let escaped = store.addingPercentEncoding(withAllowedCharacters: Self.referenceCharacters) ?? ""
        return Self.url("x-coredata://\(escaped)\(place)", layout)
    }

    private static func url(_ text: String, _ layout: EntityLayout) -> URL {
        guard let url = URL(string: text) else {
            fatalError("The entity name '\(layout.name)' cannot stand in a URI")
        }
        return url
    }

    /// The entity's name with all characters escaped that have a meaning in a URI.
    private var entityText: String {
        layout.name.addingPercentEncoding(withAllowedCharacters: Self.allowedInNames) ?? layout.name
    }

    private static let allowedInNames = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "/;"))

    /// The number of the row, or the text of its reference object.
    private var primaryKeyText: String {
        guard let references else { return "\(objectKey.primaryKey)" }
        let text = references.entry(for: objectKey.primaryKey)?.text ?? ""
        return text.addingPercentEncoding(withAllowedCharacters: Self.referenceCharacters) ?? ""
    }

    private static let referenceCharacters = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))

    /// Whether another id is the id of the same object.
    open override func isEqual(_ object: Any?) -> Bool {
        if let other = objectWithin(object) {
            return other._withUnsafeGuaranteedRef { other in
                if type(of: other) == NSManagedObjectID.self {
                    return isSame(unsafeDowncast(other, to: NSManagedObjectID.self))
                }
                return (other as? NSManagedObjectID).map(isSame) ?? false
            }
        }
        return (object as? NSManagedObjectID).map(isSame) ?? false
    }

    private func isSame(_ other: NSManagedObjectID) -> Bool {
        if self === other { return true }
        if let references, !isTemporaryID, !other.isTemporaryID {
            return references === other.references && objectKey.primaryKey == other.objectKey.primaryKey
        }
        guard objectKey.key == other.objectKey.key,
            origin === other.origin
                || (origin.modelLayout === other.origin.modelLayout && storeIdentifier == other.storeIdentifier)
        else { return false }
        return objectKey.layoutIndex == other.objectKey.layoutIndex || layout.rootIndex == other.layout.rootIndex
    }

    /// A hash of the key.
    // Hash tables mix the value once more.
    open override var hash: Int { Int(isTemporaryID ? objectKey.key : objectKey.primaryKey) }

    /// The URI of the id.
    open override var description: String {
        "0x\(String(UInt(bitPattern: objectKey.key.hashValue), radix: 16)) <\(uriRepresentation().absoluteString)>"
    }

    /// The id itself, as it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    private static let temporaryCounter = Atomic<Int64>(-1)

    /// A key for a new object, unique in the process.
    static func nextTemporaryKey() -> Int64 {
        temporaryCounter.wrappingSubtract(1, ordering: .relaxed).oldValue
    }

    /// The identifier that distinguishes the temporary URIs of this process from those of other processes.
    static let processIdentifier = UUID().uuidString
}

extension NSManagedObjectID: ObjectIdentityComparable {
    package var identityForComparison: AnyObject { self }
}
