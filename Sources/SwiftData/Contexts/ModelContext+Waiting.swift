import CoreData

// An initialiser of a subclass sets its own properties before it calls that of the superclass. Until then their values
// are in a core of their own (`_EarlyCore`). A relationship may bring this core into a context, where it waits for the
// core of the model.

extension ModelContext {
    /// Brings the values that wait for models to these, before a fetch or a save needs the whole models.
    func joinWaiting() {
        for core in waiting where core.waitsForModel {
            if let model = core.livingModel as? any PersistentModel { _ = model._$settle() }
        }
        waiting.removeAll { !$0.waitsForModel || $0.managedObjectContext !== managed }
    }

    /// Removes the new objects whose models are gone and have never had values for all properties, because their
    /// initialisers have thrown.
    func removeUnfinished() {
        let cores = unfinished
        unfinished = []
        for (place, core) in cores.enumerated() where core.managedObjectContext === managed {
            if core.livingModel == nil {
                if core.lacksValue { managed.delete(core) }
            } else if place == cores.count - 1 {
                // Its initialiser may be running.
                unfinished = [core]
            }
        }
    }

    /// Checks that no values wait for a model that is gone, and removes such values.
    ///
    /// - Throws: `SwiftDataError.modelValidationFailure` with the class.
    func requireModelsOfWaiting() throws {
        guard let lost = waiting.first else { return }
        let count = waiting.count
        waiting.forEach(managed.delete)
        waiting = []
        throw SwiftDataError.modelValidationFailure.because(
            "\(count) new model(s), the first of the class \(lost.entity.name ?? ""), ended before the save: an "
                + "initialiser of a subclass has set a relationship and has thrown, or the program has not kept the "
                + "model. Keep it, or insert it into the context. The next save goes on without it.")
    }
}
