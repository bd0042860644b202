import CoreData
import Foundation

/// The slots of properties by key path.
enum KeyedSlots {
    private struct Key: Hashable {
        let type: ObjectIdentifier
        let keyPath: AnyKeyPath
    }

    private static let known = Locked<[Key: _Slot]>([:])

    /// The slot of a stored property of a class or of its superclasses. The process stops for any other key path.
    static func slot<Model: PersistentModel>(_ keyPath: AnyKeyPath, of type: Model.Type) -> _Slot {
        let key = Key(type: ObjectIdentifier(type), keyPath: keyPath)
        if let slot = known.withLock({ $0[key] }) { return slot }
        guard let name = ModelKeyPaths.name(of: keyPath, from: type) else {
            fatalError("\(keyPath) leads to no stored property of \(type)")
        }
        let slot = _Slot(name)
        known.withLock { $0[key] = slot }
        return slot
    }
}

extension _ModelCore {
    /// The model of this core; nil for the values of a model that is not made yet.
    var madeModel: AnyObject? { livingModel ?? (managedObjectContext == nil ? nil : model) }
}

/// Relationships of a core that may not have a model yet.
extension _Slot {
    func one<Model: PersistentModel>(in core: _ModelCore) -> Model {
        guard let model: Model = optionalOne(in: core) else { leadsNowhere(in: core) }
        return model
    }

    func optionalOne<Model: PersistentModel>(in core: _ModelCore) -> Model? {
        if let model = core.madeModel { return value(of: core, model) }
        return core.toOne(managed).map { unsafeDowncast($0, to: _ModelCore.self).model(as: Model.self) }
    }

    func many<Models: RelationshipCollection>(in core: _ModelCore) -> Models {
        func models<Model: PersistentModel>(_ type: Model.Type) -> [Model] {
            if let model = core.madeModel { return value(of: core, model) }
            return core.toMany(managed).map { unsafeDowncast($0, to: _ModelCore.self).model(as: type) }
        }
        guard let models = models(Models.PersistentElement.self) as? Models else {
            fatalError("Relationship '\(name)' of entity '\(core.entity.name ?? "")' cannot be a \(Models.self)")
        }
        return models
    }

    func setOne<Model: PersistentModel>(_ value: Model?, in core: _ModelCore) {
        if let model = core.madeModel { return set(value, of: core, model) }
        willChange(core, core)
        core.set(managed, toOne: value.map { core.joined($0) })
    }

    func setMany<Models: RelationshipCollection>(_ value: Models, in core: _ModelCore) {
        let models = (value as Any) as? [Models.PersistentElement] ?? []
        if let model = core.madeModel { return set(models, of: core, model) }
        willChange(core, core)
        core.set(managed, toMany: core.joined(models))
    }
}

// MARK: - Values of models

extension PersistentModel {
    private func slot(_ keyPath: AnyKeyPath) -> _Slot { KeyedSlots.slot(keyPath, of: Self.self) }

    /// The core, which knows this model from now on: an inverse may lead back to it.
    private var boundCore: _ModelCore {
        let core = presentCore
        core.bind(self)
        return core
    }

    /// Returns the value of an attribute.
    ///
    /// - Parameter keyPath: The attribute. A key path that leads to no stored property stops the process.
    /// - Returns: The value.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentmodel/getvalue(forkey:)-3o59k)
    public func getValue<Value: Decodable>(forKey keyPath: KeyPath<Self, Value>) -> Value {
        getTransformableValue(forKey: keyPath)
    }

    /// Returns the model to which a relationship leads.
    ///
    /// - Parameter keyPath: The relationship.
    /// - Returns: The model.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentmodel/getvalue(forkey:)-4cs0c)
    public func getValue<Value: PersistentModel>(forKey keyPath: KeyPath<Self, Value>) -> Value {
        slot(keyPath).one(in: boundCore)
    }

    /// Returns the model to which an optional relationship leads.
    ///
    /// - Parameter keyPath: The relationship.
    /// - Returns: The model, or nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentmodel/getvalue(forkey:)-998oq)
    public func getValue<Value: PersistentModel>(forKey keyPath: KeyPath<Self, Value?>) -> Value? {
        slot(keyPath).optionalOne(in: boundCore)
    }

    /// Returns the models to which a relationship leads.
    ///
    /// - Parameter keyPath: The relationship.
    /// - Returns: The models.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentmodel/getvalue(forkey:)-299oe)
    public func getValue<Value: RelationshipCollection, OtherModel>(forKey keyPath: KeyPath<Self, Value>) -> Value
    where OtherModel == Value.PersistentElement {
        slot(keyPath).many(in: boundCore)
    }

    /// Returns the models to which a relationship leads, whose class is decodable as well.
    ///
    /// - Parameter keyPath: The relationship.
    /// - Returns: The models.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentmodel/getvalue(forkey:)-5m792)
    public func getValue<Value: RelationshipCollection & Decodable, OtherModel>(
        forKey keyPath: KeyPath<Self, Value>
    ) -> Value
    where OtherModel == Value.PersistentElement {
        slot(keyPath).many(in: boundCore)
    }

    /// Returns the value of an attribute that a value transformer makes into bytes.
    ///
    /// - Parameter keyPath: The attribute.
    /// - Returns: The value.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentmodel/gettransformablevalue(forkey:))
    public func getTransformableValue<Value>(forKey keyPath: KeyPath<Self, Value>) -> Value {
        slot(keyPath).value(of: _$settle(), self)
    }

    /// Sets an attribute.
    ///
    /// - Parameters:
    ///   - keyPath: The attribute. A key path that leads to no stored property stops the process.
    ///   - newValue: The value.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentmodel/setvalue(forkey:to:)-8wepb)
    public func setValue<Value: Encodable>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
        setTransformableValue(forKey: keyPath, to: newValue)
    }

    /// Sets a relationship; the inverse follows.
    ///
    /// - Parameters:
    ///   - keyPath: The relationship.
    ///   - newValue: The model.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentmodel/setvalue(forkey:to:)-xt24)
    public func setValue<Value: PersistentModel>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
        slot(keyPath).set(newValue, of: _$settle(), self)
    }

    /// Sets an optional relationship; the inverse follows.
    ///
    /// - Parameters:
    ///   - keyPath: The relationship.
    ///   - newValue: The model, or nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentmodel/setvalue(forkey:to:)-3uqwc)
    public func setValue<Value: PersistentModel>(forKey keyPath: KeyPath<Self, Value?>, to newValue: Value?) {
        slot(keyPath).set(newValue, of: _$settle(), self)
    }

    /// Replaces the models of a relationship; the inverses follow.
    ///
    /// - Parameters:
    ///   - keyPath: The relationship.
    ///   - newValue: The models.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentmodel/setvalue(forkey:to:)-18176)
    public func setValue<Value: RelationshipCollection, OtherModel>(
        forKey keyPath: KeyPath<Self, Value>, to newValue: Value
    ) where OtherModel == Value.PersistentElement {
        slot(keyPath).setMany(newValue, in: boundCore)
    }

    /// Replaces the models of a relationship, whose class is encodable as well; the inverses follow.
    ///
    /// - Parameters:
    ///   - keyPath: The relationship.
    ///   - newValue: The models.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentmodel/setvalue(forkey:to:)-3mmp2)
    public func setValue<Value: RelationshipCollection & Encodable, OtherModel>(
        forKey keyPath: KeyPath<Self, Value>, to newValue: Value
    ) where OtherModel == Value.PersistentElement {
        slot(keyPath).setMany(newValue, in: boundCore)
    }

    /// Sets an attribute that a value transformer makes into bytes.
    ///
    /// - Parameters:
    ///   - keyPath: The attribute.
    ///   - newValue: The value.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/persistentmodel/settransformablevalue(forkey:to:))
    public func setTransformableValue<Value>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
        slot(keyPath).set(newValue, of: _$settle(), self)
    }
}
