import CoreData
import Foundation
import Observation

/// A class whose objects a container stores. The macro ``Model()`` adds the conformance.
///
/// A model belongs to its context, and one thread at a time may use it. Two models are equal if they have the same
/// ``persistentModelID``.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentmodel)
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
    /// The topmost model among the superclasses.
    associatedtype Root = Self

    /// Creates a model over values that exist already.
    ///
    /// - Parameter backingData: The values.
    init(backingData: any BackingData<Self>)

    /// The values of the model.
    var persistentBackingData: any BackingData<Self> { get set }

    /// The properties of the class, without those of its superclass.
    static var schemaMetadata: [Schema.PropertyMetadata] { get }

    /// Returns the managed object that the model wraps, after the values of all classes of the model have come to it.
    /// The macro writes it.
    func _$settle() -> _ModelCore
}

extension PersistentModel {
    /// The identifier of the model: temporary until it is saved for the first time.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentmodel/persistentmodelid)
    public var persistentModelID: PersistentIdentifier { PersistentIdentifier(presentCore.givenID) }

    /// The identifier of the model, unless the class has an `id` of its own.
    public var id: PersistentIdentifier { persistentModelID }

    /// The context of the model; nil before the insertion and after a saved deletion.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentmodel/modelcontext)
    public var modelContext: ModelContext? { presentCore.modelContext }

    /// Whether the model has changes that are not saved.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentmodel/haschanges)
    public var hasChanges: Bool { presentCore.hasChanges }

    /// Whether the next save removes the model.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentmodel/isdeleted)
    public var isDeleted: Bool { presentCore.isDeleted }

    /// The core that has the model's values: its own, or that of the row that it has become.
    nonisolated var presentCore: _ModelCore { _$settle().present }

    /// The managed object that the model wraps, of the module `CoreData`.
    ///
    /// OpenCoreData only.
    @_disfavoredOverload public var managedObject: NSManagedObject { presentCore }

    /// Creates the values of a new model.
    ///
    /// - Returns: The values, with the defaults of the class's properties.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentmodel/createbackingdata())
    public static func createBackingData<Model: PersistentModel>() -> some BackingData<Model> {
        ModelBackingData<Model>(for: Model.self)
    }

    /// Whether two models have the same identifier.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        if lhs === rhs { return true }
        let (left, right) = (lhs.presentCore, rhs.presentCore)
        return left === right || PersistentIdentifier(left.objectID) == PersistentIdentifier(right.objectID)
    }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(persistentModelID) }

    /// Registers the read of a property whose accessor the program has written.
    ///
    /// - Parameter keyPath: The property.
    public nonisolated func access<Member>(keyPath: KeyPath<Self, Member>) { presentCore.access(self, keyPath) }

    /// Runs a change of a property whose accessor the program has written.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - mutation: The change.
    /// - Returns: The result of the change.
    /// - Throws: The error of the change.
    public nonisolated func withMutation<Member, MutationResult>(
        keyPath: KeyPath<Self, Member>, _ mutation: () throws -> MutationResult
    ) rethrows -> MutationResult {
        try presentCore.withMutation(self, keyPath, mutation)
    }
}
