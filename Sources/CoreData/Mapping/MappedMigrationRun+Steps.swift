// Finding entity mappings and the objects that they have mapped.
extension MappedMigrationRun {
    func step(of mapping: NSEntityMapping) -> EntityMappingStep? {
        if let currentStep, currentStep.mapping === mapping { return currentStep }
        return stepsByMapping[ObjectIdentifier(mapping)] ?? stepsByName[mapping.name ?? ""]
    }

    func step(named name: String) throws -> EntityMappingStep {
        guard let step = stepsByName[name] else { throw MappingFailure(error: MappingErrors.unknownMapping(name)) }
        return step
    }

    /// The source object of a destination object in the second pass.
    func source(of destination: NSManagedObject, _ step: EntityMappingStep) -> NSManagedObject? {
        if let source = sourcesOfBatch[ObjectIdentifier(destination)] { return source }
        return associations.sources(of: destination, mapping: step.number).first.map { sourceContext.object(for: $0) }
    }
}
