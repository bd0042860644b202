import CoreData
import Foundation
@_spi(Reflection) import Swift

// The model of a core that is being initialised. A relationship that an initialiser sets leads back at once, and the
// inverse has to give this model and no second one. An initialiser's accessor does not know the model, but it knows
// where in the memory of the model the core of its class is.

extension _Slot {
    /// Does nothing: values of this type lead to no model.
    @_disfavoredOverload @inlinable
    public func place<Value, Source: _CoreSource>(_ value: Value, at place: UnsafeMutablePointer<Source>) {}

    /// Notes the model before a relationship is set.
    public func place<Model: PersistentModel, Source: _CoreSource>(
        _ value: Model, at place: UnsafeMutablePointer<Source>
    ) {
        place.pointee.initialCore?.bind(modelWith: UnsafeRawPointer(place))
    }

    /// Notes the model before an optional relationship is set.
    public func place<Model: PersistentModel, Source: _CoreSource>(
        _ value: Model?, at place: UnsafeMutablePointer<Source>
    ) {
        if value != nil { place.pointee.initialCore?.bind(modelWith: UnsafeRawPointer(place)) }
    }

    /// Notes the model before a relationship gets its models.
    public func place<Model: PersistentModel, Source: _CoreSource>(
        _ value: [Model], at place: UnsafeMutablePointer<Source>
    ) {
        if !value.isEmpty { place.pointee.initialCore?.bind(modelWith: UnsafeRawPointer(place)) }
    }

    /// Notes the model before an optional relationship gets its models.
    public func place<Model: PersistentModel, Source: _CoreSource>(
        _ value: [Model]?, at place: UnsafeMutablePointer<Source>
    ) {
        if value?.isEmpty == false { place.pointee.initialCore?.bind(modelWith: UnsafeRawPointer(place)) }
    }
}

extension _ModelCore {
    /// Notes the model that has the core of its class at a place in its memory.
    fileprivate func bind(modelWith place: UnsafeRawPointer) {
        guard livingModel == nil, let offset = modelType.placeOffset else { return }
        bind(Unmanaged<AnyObject>.fromOpaque(place - offset).takeUnretainedValue())
    }
}

extension ModelType {
    /// Where the objects of a class have the core of this class, which comes behind those of its superclasses.
    static func placeOffset(in type: any PersistentModel.Type) -> Int? {
        var found: Int?
        // `.classType`, which is a variable, so that Swift 6 refuses its name.
        _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) { name, offset, _, _ in
            if String(cString: name) == "_$core" { found = offset }
            return true
        }
        return found
    }
}
