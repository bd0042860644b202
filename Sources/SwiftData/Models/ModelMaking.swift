import Foundation

/// Makes models of cores that exist already: hands a core to the model's initialiser in a record of the thread.
enum ModelMaking {
    /// The core that waits for an initialiser, and the class of its model. Both are held by the maker.
    private struct Record {
        var core: Unmanaged<_ModelCore>?
        var type: (any PersistentModel.Type)?
    }

    private static let key: pthread_key_t = {
        var key: pthread_key_t = 0
        // A record retains nothing, so freeing its memory is enough.
        pthread_key_create(&key) { $0?.deallocate() }
        return key
    }()

    private static var known: UnsafeMutablePointer<Record>? {
        pthread_getspecific(key)?.assumingMemoryBound(to: Record.self)
    }

    private static var record: UnsafeMutablePointer<Record> {
        if let known { return known }
        let new = UnsafeMutablePointer<Record>.allocate(capacity: 1)
        new.initialize(to: Record())
        pthread_setspecific(key, new)
        return new
    }

    /// Makes the model of a core.
    static func make<Model: PersistentModel>(_ type: Model.Type, _ core: _ModelCore) -> Model {
        let record = record
        let outer = record.pointee
        record.pointee = Record(core: Unmanaged.passUnretained(core), type: type)
        let model = type.init(backingData: ModelBackingData<Model>(core: core))
        record.pointee = outer
        guard model._$settle() === core else {
            fatalError("\(type).init(backingData:) has made a model of other values than those that it was given")
        }
        return model
    }

    /// The core that waits for an initialiser of a class; nil if a program makes a new model.
    static func take<Model: PersistentModel>(_ type: Model.Type) -> _ModelCore? {
        guard let known, let core = known.pointee.core, isFor(type, known.pointee.type) else { return nil }
        known.pointee.core = nil
        let waiting = core.takeUnretainedValue()
        waiting.endInitialisation()
        return waiting
    }

    /// Whether a model of this class, or of a subclass, is being made of a core.
    static func isMaking<Model: PersistentModel>(_ type: Model.Type) -> Bool {
        guard let known, known.pointee.core != nil else { return false }
        return isFor(type, known.pointee.type)
    }

    private static func isFor<Model: PersistentModel>(
        _ type: Model.Type, _ waiting: (any PersistentModel.Type)?
    ) -> Bool {
        waiting == type || waiting is Model.Type
    }
}
