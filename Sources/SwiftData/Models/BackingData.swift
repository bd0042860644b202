import CoreData
import Foundation

/// The values of one model, which are read and set by the key paths of its properties.
///
/// The declared type of a property chooses the form of `getValue(forKey:)`. A key path that leads to no stored property
/// stops the process.
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

    /// Returns the value of an attribute.
    ///
    /// - Parameter forKey: The attribute.
    /// - Returns: The value.
    func getValue<Value: Decodable>(forKey: KeyPath<Model, Value>) -> Value

    /// Returns the model to which a relationship leads.
    ///
    /// - Parameter forKey: The relationship.
    /// - Returns: The model.
    func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>) -> Value

    /// Returns the model to which an optional relationship leads.
    ///
    /// - Parameter forKey: The relationship.
    /// - Returns: The model, or nil.
    func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>) -> Value?

    /// Returns the models to which a relationship leads.
    ///
    /// - Parameter forKey: The relationship.
    /// - Returns: The models.
    func getValue<Value: RelationshipCollection, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
    where OtherModel == Value.PersistentElement

    /// Returns the models to which a relationship leads, whose class is decodable as well.
    ///
    /// - Parameter forKey: The relationship.
    /// - Returns: The models.
    func getValue<Value: RelationshipCollection & Decodable, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
    where OtherModel == Value.PersistentElement

    /// Returns the value of an attribute that a value transformer makes into bytes.
    ///
    /// - Parameter forKey: The attribute.
    /// - Returns: The value.
    func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value

    /// Sets an attribute.
    ///
    /// - Parameters:
    ///   - forKey: The attribute.
    ///   - newValue: The value.
    func setValue<Value: Encodable>(forKey: KeyPath<Model, Value>, to newValue: Value)

    /// Sets a relationship; the inverse follows.
    ///
    /// - Parameters:
    ///   - forKey: The relationship.
    ///   - newValue: The model.
    func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>, to newValue: Value)

    /// Sets an optional relationship; the inverse follows.
    ///
    /// - Parameters:
    ///   - forKey: The relationship.
    ///   - newValue: The model, or nil.
    func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>, to newValue: Value?)

    /// Replaces the models of a relationship; the inverses follow.
    ///
    /// - Parameters:
    ///   - forKey: The relationship.
    ///   - newValue: The models.
    func setValue<Value: RelationshipCollection, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
    where OtherModel == Value.PersistentElement

    /// Replaces the models of a relationship, whose class is encodable as well; the inverses follow.
    ///
    /// - Parameters:
    ///   - forKey: The relationship.
    ///   - newValue: The models.
    func setValue<Value: RelationshipCollection & Encodable, OtherModel>(
        forKey: KeyPath<Model, Value>, to newValue: Value
    ) where OtherModel == Value.PersistentElement

    /// Sets an attribute that a value transformer makes into bytes.
    ///
    /// - Parameters:
    ///   - forKey: The attribute.
    ///   - newValue: The value.
    func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value)
}

/// Values that a core has.
protocol CoreBacked {
    var core: _ModelCore { get }
}

/// The values of a model in its managed object.
struct ModelBackingData<Model: PersistentModel>: BackingData, CoreBacked {
    private let given: _ModelCore?

    init(core: _ModelCore) { given = core }

    init(for modelType: Model.Type) {
        let core = ModelType.of(modelType).makeCore()
        core.setInitialValues(of: modelType)
        given = core
    }

    private init() { given = nil }

    /// The values of whatever row a model is being made of. One constant serves all models of a class: a value of this
    /// type in a box costs as much as the rest of a model.
    static var ofRow: any BackingData<Model> { ModelBackingData() }

    var core: _ModelCore { given ?? ModelMaking.core }

    var persistentModelID: PersistentIdentifier? { PersistentIdentifier(inSnapshot: core.objectID) }

    var metadata: Any { core.entity }

    private func slot(_ keyPath: AnyKeyPath) -> _Slot { KeyedSlots.slot(keyPath, of: Model.self) }

    func getValue<Value: Decodable>(forKey keyPath: KeyPath<Model, Value>) -> Value {
        getTransformableValue(forKey: keyPath)
    }

    func getValue<Value: PersistentModel>(forKey keyPath: KeyPath<Model, Value>) -> Value {
        slot(keyPath).one(in: core)
    }

    func getValue<Value: PersistentModel>(forKey keyPath: KeyPath<Model, Value?>) -> Value? {
        slot(keyPath).optionalOne(in: core)
    }

    func getValue<Value: RelationshipCollection, OtherModel>(forKey keyPath: KeyPath<Model, Value>) -> Value
    where OtherModel == Value.PersistentElement { slot(keyPath).many(in: core) }

    func getValue<Value: RelationshipCollection & Decodable, OtherModel>(forKey keyPath: KeyPath<Model, Value>) -> Value
    where OtherModel == Value.PersistentElement { slot(keyPath).many(in: core) }

    func getTransformableValue<Value>(forKey keyPath: KeyPath<Model, Value>) -> Value {
        slot(keyPath).value(of: core, core)
    }

    func setValue<Value: Encodable>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
        setTransformableValue(forKey: keyPath, to: newValue)
    }

    func setValue<Value: PersistentModel>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
        slot(keyPath).setOne(newValue, in: core)
    }

    func setValue<Value: PersistentModel>(forKey keyPath: KeyPath<Model, Value?>, to newValue: Value?) {
        slot(keyPath).setOne(newValue, in: core)
    }

    func setValue<Value: RelationshipCollection, OtherModel>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value)
    where OtherModel == Value.PersistentElement { slot(keyPath).setMany(newValue, in: core) }

    func setValue<Value: RelationshipCollection & Encodable, OtherModel>(
        forKey keyPath: KeyPath<Model, Value>, to newValue: Value
    ) where OtherModel == Value.PersistentElement { slot(keyPath).setMany(newValue, in: core) }

    func setTransformableValue<Value>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
        // Without a context the model need not stay, so the core stands in its place.
        slot(keyPath).set(newValue, of: core, core.madeModel ?? core)
    }
}

extension ModelBackingData: CustomReflectable {
    /// The managed object, under the name by which published code finds it.
    var customMirror: Mirror { Mirror(self, children: ["_managedObject": core], displayStyle: .struct) }
}

extension _ModelCore {
    /// Gives the attributes of a class and of its superclasses their initial values, as the class's initialiser does.
    fileprivate func setInitialValues(of type: any PersistentModel.Type) {
        if let above = _getSuperclass(type) as? any PersistentModel.Type { setInitialValues(of: above) }
        for property in type.schemaMetadata {
            guard let value = property.defaultValue, let keyPath = property.keypath else { continue }
            let valueType = Swift.type(of: keyPath).valueType
            if RelationshipShape(valueType) != nil { continue }
            func set<Value>(_ type: Value.Type) {
                if let value = value as? Value { _Slot(property.name).set(value, of: self, self) }
            }
            _openExistential(valueType, do: set)
        }
    }
}
