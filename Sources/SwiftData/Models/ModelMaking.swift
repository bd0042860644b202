import Foundation

/// Makes models of cores that exist already: hands a core to the model's initialiser in a record of the thread.
enum ModelMaking {
    private final class Record {
        var core: _ModelCore?
        var type: (any PersistentModel.Type)?
    }

    private static let key: pthread_key_t = {
        var key: pthread_key_t = 0
        pthread_key_create(&key) { if let record = $0 { Unmanaged<Record>.fromOpaque(record).release() } }
        return key
    }()

    private static var record: Record {
        if let known = pthread_getspecific(key) { return Unmanaged<Record>.fromOpaque(known).takeUnretainedValue() }
        let new = Record()
        pthread_setspecific(key, Unmanaged.passRetained(new).toOpaque())
        return new
    }

    /// Makes the model of a core.
    static func make<Model: PersistentModel>(_ type: Model.Type, _ core: _ModelCore) -> Model {
        let record = record
        let outer = (record.core, record.type)
        (record.core, record.type) = (core, type)
        let model = type.init(backingData: ModelBackingData<Model>(core: core))
        (record.core, record.type) = outer
        guard model._$settle() === core else {
            fatalError("\(type).init(backingData:) has made a model of other values than those that it was given")
        }
        return model
    }

    /// The core that waits for an initialiser of a class; nil if a program makes a new model.
    static func take<Model: PersistentModel>(_ type: Model.Type) -> _ModelCore? {
        guard let known = pthread_getspecific(key) else { return nil }
        let record = Unmanaged<Record>.fromOpaque(known).takeUnretainedValue()
        guard let core = record.core, let waiting = record.type else { return nil }
        guard waiting == type || waiting is Model.Type else { return nil }
        record.core = nil
        core.endInitialisation()
        return core
    }

    /// Whether a model of this class, or of a subclass, is being made of a core.
    static func isMaking<Model: PersistentModel>(_ type: Model.Type) -> Bool {
        guard let known = pthread_getspecific(key) else { return false }
        let record = Unmanaged<Record>.fromOpaque(known).takeUnretainedValue()
        guard record.core != nil, let waiting = record.type else { return false }
        return waiting == type || waiting is Model.Type
    }
}
