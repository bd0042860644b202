import Foundation

/// The values of one model.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/backingdata)
public protocol BackingData<Model> {
    /// The class of the model.
    associatedtype Model: PersistentModel

    /// Creates the values of a new model, with the defaults of the class's properties.
    init(for modelType: Model.Type)

    /// The identifier of the model that has the values.
    var persistentModelID: PersistentIdentifier? { get }

    /// What the implementation knows of the values; here the managed object's entity.
    var metadata: Any { get }
}

/// Values that a core has.
protocol CoreBacked {
    var core: _ModelCore { get }
}

/// The values of a model in its managed object.
struct ModelBackingData<Model: PersistentModel>: BackingData, CoreBacked {
    let core: _ModelCore

    init(core: _ModelCore) { self.core = core }

    init(for modelType: Model.Type) { core = ModelType.of(modelType).makeCore() }

    var persistentModelID: PersistentIdentifier? { PersistentIdentifier(core.objectID) }

    var metadata: Any { core.entity }
}

extension ModelBackingData: CustomReflectable {
    /// The managed object, under the name by which published code finds it.
    var customMirror: Mirror { Mirror(self, children: ["_managedObject": core], displayStyle: .struct) }
}
