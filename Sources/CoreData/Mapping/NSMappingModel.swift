import Foundation

/// A description of how a store of one model becomes a store of another: a mapping for each entity.
///
/// Create it in code, infer it from two models, or read it from a `.cdm` or `.xcmappingmodel` file. A mapping model
/// belongs to one thread. A migration reads it on the thread that it runs on.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmappingmodel)
open class NSMappingModel: NSObject {
    /// The mappings of entities, in the order in which a migration carries them out.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmappingmodel/entitymappings)
    open var entityMappings: [NSEntityMapping]! = []

    /// The mappings of entities by their names. Of several mappings with one name the result has the first.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmappingmodel/entitymappingsbyname)
    open var entityMappingsByName: [String: NSEntityMapping] {
        Dictionary((entityMappings ?? []).map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether the mapping model was inferred. Code may have changed the model since.
    final var isInferred = false

    /// The file from which the model was read, for messages; nil if it was made otherwise.
    package final var fileName: String?

    /// Creates a mapping model without mappings.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmappingmodel)
    public override init() { super.init() }

    /// Reads a compiled mapping model (`.cdm`), or one as Xcode keeps it (`.xcmappingmodel`).
    ///
    /// The file of Xcode leaves out parts that follow from the two models. They are completed from the two models that
    /// the file names, if these are near it, and otherwise from their copies in the file. The result is nil if the file
    /// is missing, or is no mapping model. A line on standard error then gives the reason.
    ///
    /// - Parameter url: The file; nil gives nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmappingmodel/init(contentsof:))
    public init?(contentsOf url: URL?) {
        super.init()
        guard let url else { return nil }
        do {
            take(try MappingModelFile.load(at: url))
        } catch {
            MappingModelFile.reportFailure(error, at: url)
            return nil
        }
    }

    /// Finds the mapping model that leads from one model to another, among the resources of bundles.
    ///
    /// A mapping model fits if its version hashes are those of the two models, and it mentions every entity that both
    /// models have. The result is nil if none fits.
    ///
    /// - Parameters:
    ///   - bundles: The bundles; nil stands for the main bundle and the bundles of a package's targets beside the
    ///     program.
    ///   - sourceModel: The model of the store; nil gives nil.
    ///   - destinationModel: The model to migrate to; nil gives nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmappingmodel/init(from:forsourcemodel:destinationmodel:))
    public convenience init?(
        from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
        destinationModel: NSManagedObjectModel?
    ) {
        guard let sourceModel, let destinationModel,
            let found = MappingModelCandidates(in: bundles).mapping(from: sourceModel, to: destinationModel)
        else { return nil }
        self.init()
        take(found)
    }

    private func take(_ other: NSMappingModel) {
        entityMappings = other.entityMappings
        isInferred = other.isInferred
        fileName = other.fileName
    }

    /// Infers the mapping model that a lightweight migration follows.
    ///
    /// - Parameters:
    ///   - sourceModel: The model of the store.
    ///   - destinationModel: The model to migrate to.
    /// - Returns: A new mapping model.
    /// - Throws: `NSInferredMappingModelError` (134190) if there is none. The error names every entity and property
    ///   that prevents one.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmappingmodel/inferredmappingmodel(forsourcemodel:destinationmodel:))
    open class func inferredMappingModel(
        forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
    ) throws -> NSMappingModel {
        try MappingInference(from: sourceModel, to: destinationModel).mappingModel()
    }

    /// Whether another mapping model has equal entity mappings in the same order.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSMappingModel else { return false }
        return self === other || entityMappings ?? [] == other.entityMappings ?? []
    }

    /// The number of entity mappings.
    open override var hash: Int { entityMappings?.count ?? 0 }

    /// The entity mappings, and whether they were inferred.
    open override var description: String {
        "(<NSMappingModel: \(address(of: self))>) isInferred \(isInferred ? "YES" : "NO"), entityMappings "
            + "\(entityMappings ?? [])"
    }

    /// Whether the mapping model was inferred, and equals the one that two models give now.
    final func isInferred(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) -> Bool {
        guard isInferred, let mappings = entityMappings,
            let fresh = try? MappingInference(from: source, to: destination).mappingModel().entityMappings
        else { return false }
        return mappings.count == fresh.count && zip(mappings, fresh).allSatisfy { $0.isSame(as: $1) }
    }

    /// Whether the mapping model was made for these two models.
    ///
    /// Their hashes are equal, and every entity that both have is mentioned. New and removed entities need not be
    /// mentioned.
    final func fits(_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) -> Bool {
        let mappings = entityMappings ?? []
        let kept = MappingModelFile.entitiesInBoth(source, destination)
        func agrees(_ model: NSManagedObjectModel, _ names: [(name: String?, hash: Data?)]) -> Bool {
            let entities = model.entitiesByName
            let hashes = model.entityVersionHashesByName
            for case (let name?, let hash) in names {
                guard let entity = entities[name] else { return false }
                if let hash, hashes[name] != hash, entity.formerVersionHash != hash, entity.isVersionHashExact {
                    return false
                }
            }
            return kept.isSubset(of: names.compactMap(\.name))
        }
        return !mappings.isEmpty
            && agrees(source, mappings.map { ($0.sourceEntityName, $0.sourceEntityVersionHash) })
            && agrees(destination, mappings.map { ($0.destinationEntityName, $0.destinationEntityVersionHash) })
    }
}
