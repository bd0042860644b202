import Foundation

/// Makes models of cores that exist already: hands a core to the model's initialiser in a record of the thread.
enum ModelMaking {
    /// The core of which a model is being made, and the class of its model. Both are held by the maker.
    private struct Record {
        var core: Unmanaged<_ModelCore>?
        /// Whether the core waits for the initialiser.
        var isWaiting = false
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
    ///
    /// - Parameter values: The values of a row.
    static func make<Model: PersistentModel>(
        _ type: Model.Type, _ core: _ModelCore, of values: any BackingData<Model>
    ) -> Model {
        let record = record
        let outer = record.pointee
        record.pointee = Record(core: Unmanaged.passUnretained(core), isWaiting: true, type: type)
        let model = type.init(backingData: values)
        record.pointee = outer
        core.endMaking()
        guard model._$settle() === core else {
            fatalError("\(type).init(backingData:) has made a model of other values than those that it was given")
        }
        return model
    }

    /// The core of which this thread is making a model.
    static var core: _ModelCore {
        guard let core = known?.pointee.core else { fatalError("A model's values of a row are used after its making") }
        return core.takeUnretainedValue()
    }

    /// The core that waits for an initialiser of a class; nil if a program makes a new model.
    static func take<Model: PersistentModel>(_ type: Model.Type) -> _ModelCore? {
        guard let known, known.pointee.isWaiting, let core = known.pointee.core, isFor(type, known.pointee.type)
        else { return nil }
        known.pointee.isWaiting = false
        let waiting = core.takeUnretainedValue()
        waiting.beginMaking()
        return waiting
    }

    /// Whether a model of this class, or of a subclass, is being made of a core.
    static func isMaking<Model: PersistentModel>(_ type: Model.Type) -> Bool {
        guard let known, known.pointee.isWaiting else { return false }
        return isFor(type, known.pointee.type)
    }

    private static func isFor<Model: PersistentModel>(
        _ type: Model.Type, _ waiting: (any PersistentModel.Type)?
    ) -> Bool {
        waiting == type || waiting is Model.Type
    }
}
