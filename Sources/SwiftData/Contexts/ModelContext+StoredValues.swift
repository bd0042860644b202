import CoreData

// A fetch that leaves unsaved changes out asks the stores. Where the program evaluates a part of it, the models of the
// context have other values than the stores, so the part is evaluated on models of a context of its own.

extension ModelContext {
    /// Whether models of a fetch have other values than those that it is about.
    func hasOtherValues<T: PersistentModel>(for descriptor: FetchDescriptor<T>) -> Bool {
        !descriptor.includePendingChanges && managed.hasChanges
    }

    /// Runs a body with a context whose models have the values of the stores.
    func withStoredValues<Result>(_ body: (ManagedContext) throws -> Result) throws -> Result {
        let stored = ManagedContext(concurrencyType: .confinementConcurrencyType)
        stored.persistentStoreCoordinator = container.coordinator
        if let generation = managed.queryGenerationToken { try stored.setQueryGenerationFrom(generation) }
        // Stores of programs are asked for this context.
        stored.modelContext = self
        defer { stored.modelContext = nil }
        return try body(stored)
    }

    /// The objects of a fetch of which the program evaluates a part on the values of the stores. Nil where the models
    /// of the context have no other values.
    func objectsByStoredValues<T: PersistentModel>(_ fetch: ModelFetch<T>) throws -> [NSManagedObject]? {
        guard hasOtherValues(for: fetch.descriptor) else { return nil }
        let request = try request(fetch)
        let ids = try withStoredValues { stored in
            let objects = try ModelFetch<T>.objects(request, in: stored)
            return try fetch.places(in: objects).map { objects[$0].objectID }
        }
        return ids.map { managed.object(with: $0) }
    }
}
