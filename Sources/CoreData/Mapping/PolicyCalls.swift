import Foundation

// Every call of an entity migration policy's hooks, in the order in which a migration makes them.
extension MappedMigrationRun {
    func callBegin(_ step: EntityMappingStep) throws {
        try call(step) { try step.policy.begin(step.mapping, with: manager) }
    }

    /// Calls the hook that creates instances of one source object.
    func callCreateInstances(from object: NSManagedObject, _ step: EntityMappingStep) throws {
        currentSource = object
        try attempt(step) {
            try step.policy.createDestinationInstances(forSource: object, in: step.mapping, manager: manager)
        }
    }

    func callEndInstanceCreation(_ step: EntityMappingStep) throws {
        try call(step) { try step.policy.endInstanceCreation(forMapping: step.mapping, manager: manager) }
    }

    /// Calls the hook that creates the relationships of one destination object, with its source object.
    func callCreateRelationships(
        of destination: NSManagedObject, from source: NSManagedObject, _ step: EntityMappingStep
    ) throws {
        currentSource = source
        try attempt(step) {
            try step.policy.createRelationships(forDestination: destination, in: step.mapping, manager: manager)
        }
    }

    func callEndRelationshipCreation(_ step: EntityMappingStep) throws {
        try call(step) { try step.policy.endRelationshipCreation(forMapping: step.mapping, manager: manager) }
    }

    func callValidationAndEnd(_ step: EntityMappingStep) throws {
        try call(step) { try step.policy.performCustomValidation(forMapping: step.mapping, manager: manager) }
        try call(step) { try step.policy.end(step.mapping, manager: manager) }
    }

    // MARK: Around a call

    /// Calls a hook that does not concern one object, and saves its changes.
    private func call(_ step: EntityMappingStep, _ body: () throws -> Void) throws {
        try holding {
            try attempt(step, body)
            try flush(step)
        }
    }

    private func attempt(_ step: EntityMappingStep, _ body: () throws -> Void) throws {
        do {
            try body()
            try rethrow()
        } catch {
            if let cancellation = manager.cancellationError { throw cancellation }
            if let failure = error as? MappingFailure { throw failure.error }
            throw MappingErrors.policyFailed(error, place(step))
        }
        // A policy may cancel and continue.
        if manager.isCancelled { try manager.checkCancellation() }
    }

    func place(_ step: EntityMappingStep) -> MappingErrors.Place {
        MappingErrors.Place(mapping: step.mapping, source: currentSource?.objectID)
    }
}
