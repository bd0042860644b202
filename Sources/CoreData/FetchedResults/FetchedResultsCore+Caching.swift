import Foundation

// The sections of a controller with a cache name, kept in a file.
extension FetchedResultsCore {
    /// The basis that a cache of the sections would need; nil if a cache is of no use. That is so without a name or
    /// sections, with unsaved changes, and if the results come from a parent context or a store without a file.
    func cacheBasis(of fetched: Fetched) -> SectionCache.Basis? {
        guard cacheName != nil, let sectionNameKeyPath, fetched.isTracked,
            let coordinator = context.ownCoordinator, !context.hasChanges
        else { return nil }
        let stores = fetched.affectedStores ?? coordinator.persistentStores
        let states = stores.filter(\.isDurable).compactMap(SectionCache.state)
        guard !states.isEmpty, states.count == stores.count else { return nil }
        let parameters = fetched.parameters
        return SectionCache.Basis(
            entityName: fetched.layout.name, entityVersionHash: fetched.layout.entity.versionHash,
            predicate: parameters.predicate?.printed ?? "",
            sortDescriptors: (parameters.sortDescriptors ?? []).map(\.description), sectionKeyPath: sectionNameKeyPath,
            includesSubentities: parameters.includesSubentities, limit: parameters.fetchLimit,
            offset: parameters.fetchOffset, stores: states)
    }

    /// The cached sections if they fit the results: the same number of objects, and the right ones at their borders.
    func cachedSections(
        of items: [NSObject], _ order: FetchedOrder, _ basis: SectionCache.Basis
    ) -> [FetchedArrangement.Section]? {
        guard let cacheName, let cache = SectionCache.read(named: cacheName), cache.basis == basis,
            cache.names.count == cache.counts.count, Set(cache.names).count == cache.names.count,
            cache.counts.allSatisfy({ $0 > 0 && $0 <= items.count }), cache.counts.reduce(0, +) == items.count
        else { return nil }
        var sections: [FetchedArrangement.Section] = []
        var start = 0
        for (name, count) in zip(cache.names, cache.counts) {
            guard order.sectionName(of: items[start]) == name, order.sectionName(of: items[start + count - 1]) == name
            else { return nil }
            sections.append(FetchedArrangement.Section(name: name, start: start))
            start += count
        }
        return sections
    }

    func write(_ sections: [FetchedArrangement.Section], itemCount: Int, _ basis: SectionCache.Basis) {
        guard let cacheName else { return }
        let arrangement = sections.indices.map { index in
            (index + 1 < sections.count ? sections[index + 1].start : itemCount) - sections[index].start
        }
        SectionCache(basis: basis, names: sections.map(\.name), counts: arrangement).write(named: cacheName)
    }

    /// Replaces the cached sections by those after a save.
    func writeCacheAfterSave() {
        guard let fetched, let arrangement, let basis = cacheBasis(of: fetched) else { return }
        write(arrangement.sections, itemCount: arrangement.count, basis)
    }
}
