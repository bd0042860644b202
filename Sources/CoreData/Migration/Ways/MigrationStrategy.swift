/// Chooses the hops of a migration, for stores of every kind and for forecasts: those of the stages that the options
/// give, that of the mapping model that they name, or those that a search finds.
struct MigrationStrategy {
    private enum Choice {
        case stages(NSStagedMigrationManager)
        case mapping(MigrationHop)
        case search(MigrationWay)
    }

    private let request: MigrationRequest
    private let store: SourceModel
    private let choice: Choice

    /// - Parameter infers: whether a mapping may be inferred if the options do not say.
    /// - Throws: `NSMigrationMissingMappingModelError` if none may be inferred and no mapping model is at hand.
    init(for request: MigrationRequest, of store: SourceModel, infers: Bool = false) throws {
        self.request = request
        self.store = store
        if let manager = request.stagedManager {
            choice = .stages(manager)
        } else if let hop = try GivenMapping(request.options)?.hop(from: store, to: request.model) {
            choice = .mapping(hop)
        } else {
            let way = MigrationWay(
                bundles: request.bundles, infers: request.infers ?? infers, versions: request.versions)
            guard way.infers || !ModelResources.mappingModels(in: request.bundles).isEmpty else {
                throw MigrationErrors.missingMappingModel(metadata: store.metadata, url: request.url)
            }
            choice = .search(way.of(store.metadata, request.configuration))
        }
    }

    /// Passes the best hops to a body that carries them out, with the guard against losses. If rows forbid a change
    /// that the models allow, the body gets other hops that keep as much.
    ///
    /// - Parameter body: the guard is nil if the program itself decides which content the hops lose.
    func withHops(_ body: ([MigrationHop], LossGuard?) throws -> Void) throws {
        switch choice {
        case .stages(let manager):
            let hops = try StagedHops(request: request, manager: manager).find(from: store)
            // Back to a version that the store was of before, the losses have to be named all the same.
            let isBack = VersionRecord(store.metadata).holds(
                request.model.versionHashes(ofConfiguration: request.configuration))
            try body(hops, isBack ? LossGuard(request, hops: hops) : nil)
        case .mapping(let hop):
            try body([hop], nil)
        case .search(let way):
            let source = try store.find()
            try way.tryHops(from: source, to: request.model) { hops in
                let hops = try hops ?? [direct(from: source, way)]
                try body(hops, LossGuard(request, hops: hops, modelCatalog: way.modelCatalog))
            }
        }
    }

    /// The best hops, whether rows forbid them or not.
    func bestHops() throws -> [MigrationHop] {
        switch choice {
        case .stages(let manager): return try StagedHops(request: request, manager: manager).find(from: store)
        case .mapping(let hop): return [hop]
        case .search(let way):
            let source = try store.find()
            return try way.find(from: source, to: request.model) ?? [direct(from: source, way)]
        }
    }

    /// The direct hop if there is no other one: its error names the obstacle.
    private func direct(from source: NSManagedObjectModel, _ way: MigrationWay) throws -> MigrationHop {
        guard way.infers else {
            throw MigrationErrors.missingMappingModel(metadata: store.metadata, url: request.url)
        }
        return MigrationHop(source: source, target: request.model, means: .inferred)
    }
}
