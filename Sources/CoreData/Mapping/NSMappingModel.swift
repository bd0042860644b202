import Foundation

/// How a store of one model becomes a store of another: a mapping for each entity.
///
/// Made in code, inferred from two models, or read from a `.cdm` or `.xcmappingmodel`. A mapping model belongs to one
/// thread; a migration reads it on the thread that it runs on.
open class NSMappingModel: NSObject {
    /// The entities' mappings, in the order in which they are carried out.
    open var entityMappings: [NSEntityMapping]! = []

    /// The entities' mappings by their names; the first of those that share one.
    open var entityMappingsByName: [String: NSEntityMapping] {
        Dictionary((entityMappings ?? []).map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether it was inferred; nobody may have changed it since for that to mean anything.
    final var isInferred = false

    /// The file it was read from, for people; nil when it was made otherwise.
    final var fileName: String?

    /// Creates a mapping model without mappings.
    public override init() { super.init() }

    /// Reads a compiled mapping model (`.cdm`), or one as Xcode keeps it (`.xcmappingmodel`).
    ///
    /// The latter is completed from the two models it names, which are looked for near it: what it leaves out, Xcode
    /// makes from them. `nil` when the file is missing or no mapping model; the reason is then written to the standard
    /// error.
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

    /// The mapping model among the resources of the bundles (`nil`: the main bundle and, beside it, those of the
    /// package's targets) that leads from one model to another; `nil` when there is none.
    ///
    /// It fits when the version hashes in it are those of the two models and it says something about every entity.
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

    /// The mapping model that a lightweight migration follows.
    ///
    /// Throws 134190 when there is none: the error names every entity and property that stands in the way.
    open class func inferredMappingModel(
        forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
    ) throws -> NSMappingModel {
        try MappingInference(from: sourceModel, to: destinationModel).mappingModel()
    }

    /// Whether both have equal entity mappings in the same order, wherever they come from.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSMappingModel else { return false }
        return self === other || entityMappings ?? [] == other.entityMappings ?? []
    }

    open override var hash: Int { entityMappings?.count ?? 0 }

    open override var description: String {
        "(<NSMappingModel: \(address(of: self))>) isInferred \(isInferred ? "YES" : "NO"), entityMappings "
            + "\(entityMappings ?? [])"
    }

    /// Whether it was inferred and is still what would be inferred between two models.
    final func isInferred(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) -> Bool {
        guard isInferred, let mappings = entityMappings,
            let fresh = try? MappingInference(from: source, to: destination).mappingModel().entityMappings
        else { return false }
        return mappings.count == fresh.count && zip(mappings, fresh).allSatisfy { $0.isSame(as: $1) }
    }

    /// Whether it was made for these two models: hashes agree, and no entity that both have is forgotten. One that is
    /// new or gone need not be mentioned.
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
