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
                + "initialiser of a subclass has set a relationship, and the program has not kept the model. Keep it, "
                + "or insert it into the context. The next save goes on without it.")
    }
}
