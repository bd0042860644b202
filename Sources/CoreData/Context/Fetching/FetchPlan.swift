/// A fetch as a context and its parents understand it.
///
/// A class, because a copy of a fetch retains each of its parts, and closures and methods pass a fetch on many times.
final class FetchPlan {
    let parameters: FetchParameters
    let store: StoreFetch
    let affectedStores: [NSPersistentStore]?
    /// The state of the stores to read, where the context is pinned to one.
    let generation: QueryGeneration?
    /// Whether the stores have no SQL for the predicate or the order, and this context evaluates them object by object.
    let isEvaluatedOnClient: Bool
    /// The context that programs' stores get; nil for the context that reads, on whose queue the stores are called
    /// then.
    let shownContext: NSManagedObjectContext?
    /// Whether programs' stores get the request and a context. False in the background if there was no such store when
    /// the reading began. A store that a program adds during the reading must not get a context outside of its queue.
    let hasOrigin: Bool

    init(
        parameters: FetchParameters, store: StoreFetch, affectedStores: [NSPersistentStore]?,
        generation: QueryGeneration?, isEvaluatedOnClient: Bool, shownContext: NSManagedObjectContext? = nil,
        hasOrigin: Bool = true
    ) {
        self.parameters = parameters
        self.store = store
        self.affectedStores = affectedStores
        self.generation = generation
        self.isEvaluatedOnClient = isEvaluatedOnClient
        self.shownContext = shownContext
        self.hasOrigin = hasOrigin
    }

    /// The fetch with changed parameters, or another fetch of the stores.
    func with(
        isEvaluatedOnClient: Bool? = nil, _ change: (inout FetchParameters, inout StoreFetch) throws -> Void
    ) rethrows -> FetchPlan {
        var (parameters, store) = (parameters, store)
        try change(&parameters, &store)
        return FetchPlan(
            parameters: parameters, store: store, affectedStores: affectedStores, generation: generation,
            isEvaluatedOnClient: isEvaluatedOnClient ?? self.isEvaluatedOnClient, shownContext: shownContext,
            hasOrigin: hasOrigin)
    }

    /// The fetch for the background, where programs' stores get another context; without one they get none.
    func inBackground(showing context: NSManagedObjectContext?) -> FetchPlan {
        FetchPlan(
            parameters: parameters, store: store, affectedStores: affectedStores, generation: generation,
            isEvaluatedOnClient: isEvaluatedOnClient, shownContext: context, hasOrigin: context != nil)
    }
}
