import Foundation

/// Models as keyed archives: the content of a `.mom` file and, compressed, of the model cache of a store.
package enum ModelArchive {
    /// The model in an archive, not frozen. Throws an error that describes the problem. The bytes may come from any
    /// source.
    ///
    /// A model that contradicts itself throws here, because a coordinator could only stop the process.
    package static func decode(_ data: Data) throws -> NSManagedObjectModel {
        var decoder = ModelDecoder(archive: try KeyedArchive(data))
        let model = try decoder.decode()
        try model.validate()
        return model
    }

    /// The model in a compressed archive, the form of `Z_MODELCACHE`.
    package static func decode(deflated data: Data) throws -> NSManagedObjectModel {
        try decode(RawDeflate.decompress(data))
    }

    /// The archive of a model, in the form of a `.mom` file: each entity with its own properties only.
    ///
    /// Throws if the model has parts that no archive can hold: block predicates, sort descriptors without a key,
    /// default values or user info of the application's own types.
    package static func encode(_ model: NSManagedObjectModel) throws -> Data {
        var encoder = ModelEncoder(model: model, form: .file)
        return try encoder.encode()
    }

    /// The archive of a model in the form that stores keep: its indexes are those of the model.
    ///
    /// Throws as ``encode(_:)`` does.
    package static func encodeInUse(_ model: NSManagedObjectModel) throws -> Data {
        var encoder = ModelEncoder(model: model, form: .inUse)
        return try encoder.encode()
    }

    /// The compressed archive of a model, to be kept in a store.
    ///
    /// Parts that no archive can hold are left out, because a store needs only the layout of its model, and must open
    /// with any model.
    package static func encodeDeflated(_ model: NSManagedObjectModel) throws -> Data {
        var encoder = ModelEncoder(model: model, form: .inUse, isStrict: false)
        return try RawDeflate.compress(encoder.encode())
    }
}
