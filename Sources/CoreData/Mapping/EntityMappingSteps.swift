/// The steps of all entity mappings of a migration, by their numbers, mappings, names and source entities.
struct EntityMappingSteps {
    private(set) var all: [EntityMappingStep] = []
    private var byMapping: [ObjectIdentifier: EntityMappingStep] = [:]
    private var byName: [String: EntityMappingStep] = [:]
    /// The steps that have objects of an entity of the source.
    private var bySource: [Int: [EntityMappingStep]] = [:]
    /// Whether code of the program's own runs.
    private(set) var hasPolicies = false

    init() {}

    /// - Parameter linksEarly: whether a relationship may be set when its object is made.
    init(_ mappings: NSMappingModel, _ manager: NSMigrationManager, linksEarly: Bool) throws {
        for mapping in mappings.entityMappings ?? [] {
            let step = try EntityMappingStep(
                mapping, number: all.count, manager: manager, isInferred: mappings.isInferred)
            all.append(step)
            byMapping[ObjectIdentifier(mapping)] = step
            if byName[step.name] == nil { byName[step.name] = step }
        }
        if linksEarly { for step in all { step.findLinks(among: all) } }
        hasPolicies = all.contains { !$0.isPlain }
    }

    /// The steps whose objects the mappings do not explain, by their numbers.
    var irregular: Set<Int> { Set(all.lazy.filter { !$0.isRegular }.map(\.number)) }

    func step(of mapping: NSEntityMapping) -> EntityMappingStep? {
        byMapping[ObjectIdentifier(mapping)] ?? byName[mapping.name ?? ""]
    }

    func step(named name: String) throws -> EntityMappingStep {
        guard let step = byName[name] else {
            throw MappedMigrationRun.MappingFailure(error: MappingErrors.unknownMapping(name))
        }
        return step
    }

    mutating func steps(from sourceIndex: Int) -> [EntityMappingStep] {
        if let known = bySource[sourceIndex] { return known }
        // A mapping whose fetch includes subentities has objects of these, too.
        let found = all.filter { $0.source?.subtree.contains(sourceIndex) ?? false }
        bySource[sourceIndex] = found
        return found
    }
}

// Finding entity mappings and the objects that they have mapped.
extension MappedMigrationRun {
    func step(of mapping: NSEntityMapping) -> EntityMappingStep? {
        if let currentStep, currentStep.mapping === mapping { return currentStep }
        return mappingSteps.step(of: mapping)
    }

    func step(named name: String) throws -> EntityMappingStep { try mappingSteps.step(named: name) }

    func steps(from sourceIndex: Int) -> [EntityMappingStep] { mappingSteps.steps(from: sourceIndex) }

    /// The source object of a destination object in the second pass.
    func source(of destination: NSManagedObject, _ step: EntityMappingStep) -> NSManagedObject? {
        if let source = relationships.sourcesOfBatch[ObjectIdentifier(destination)] { return source }
        return associations.sources(of: destination, mapping: step.number).first.map { sourceContext.object(for: $0) }
    }
}
