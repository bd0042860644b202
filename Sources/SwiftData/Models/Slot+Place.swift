import CoreData
import Foundation
@_spi(Reflection) import Swift

// The model of a core that is being initialised. A relationship that an initialiser sets leads back at once, and the
// inverse has to give this model and no second one. An initialiser's accessor does not know the model, but it knows
// where in the memory of the model a byte of its class is (`CLASS_$place`).

extension _Slot {
    /// Does nothing: values of this type lead to no model.
    @_disfavoredOverload @inlinable
    public func place<Value, Source: _CoreSource>(
        _ value: Value, at place: UnsafeMutablePointer<UInt8>, in source: Source
    ) {}

    /// Notes the model before a relationship is set.
    public func place<Model: PersistentModel, Source: _CoreSource>(
        _ value: Model, at place: UnsafeMutablePointer<UInt8>, in source: Source
    ) {
        source.initialCore?.bind(modelWith: place)
    }

    /// Notes the model before an optional relationship is set.
    public func place<Model: PersistentModel, Source: _CoreSource>(
        _ value: Model?, at place: UnsafeMutablePointer<UInt8>, in source: Source
    ) {
        if value != nil { source.initialCore?.bind(modelWith: place) }
    }

    /// Notes the model before a relationship gets its models.
    public func place<Model: PersistentModel, Source: _CoreSource>(
        _ value: [Model], at place: UnsafeMutablePointer<UInt8>, in source: Source
    ) {
        if !value.isEmpty { source.initialCore?.bind(modelWith: place) }
    }

    /// Notes the model before an optional relationship gets its models.
    public func place<Model: PersistentModel, Source: _CoreSource>(
        _ value: [Model]?, at place: UnsafeMutablePointer<UInt8>, in source: Source
    ) {
        if value?.isEmpty == false { source.initialCore?.bind(modelWith: place) }
    }
}

extension _ModelCore {
    /// Notes the model that has a place of its class in its memory.
    fileprivate func bind(modelWith place: UnsafeMutablePointer<UInt8>) {
        guard livingModel == nil, let offset = modelType.placeOffset else { return }
        let model = UnsafeRawPointer(place) - offset
        bind(Unmanaged<AnyObject>.fromOpaque(model).takeUnretainedValue())
    }
}

extension ModelType {
    /// Where the objects of a class have that byte; nil if they have none.
    static func placeOffset(in type: any PersistentModel.Type) -> Int? {
        var found: Int?
        // `.classType`, which is a variable, so that Swift 6 refuses its name.
        _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) { name, offset, _, _ in
            if String(cString: name).hasSuffix("_$place") { found = offset }
            return found == nil
        }
        return found
    }
}
