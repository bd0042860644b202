import Foundation

// Follows the context: finds the changes that affect the results, and their effects.
extension FetchedResultsCore {
    func contextDidChange(_ notification: Notification) {
        do {
            try context.throwingReadErrors {
                do {
                    try follow(notification)
                } catch {
                    // The results stay as they were. The next change finds the effects of this one, too.
                    isOutdated = true
                    throw error
                }
            }
        } catch {
            fail(error)
            if delegate == nil { return }
            let text = "What changed cannot be read: \(error.localizedDescription)"
            FileHandle.standardError.write(Data("CoreData: error: (NSFetchedResultsController) \(text)\n".utf8))
        }
    }

    private func follow(_ notification: Notification) throws {
        guard isFollowing, let fetched, fetched.isTracked, arrangement != nil else { return }
        let info = notification.userInfo ?? [:]
        if info[NSInvalidatedAllObjectsKey] != nil {
            isOutdated = true
            for listener in livingListeners { listener.resultsAreOutdated() }
            return
        }
        if isOutdated, !isExact { return try refetch(fetched, changed: []) }
        func objects(_ key: String) -> Set<NSManagedObject> { info[key] as? Set<NSManagedObject> ?? [] }
        let deleted = objects(NSDeletedObjectsKey)
        let changed = Self.union(of: [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSRefreshedObjectsKey].map(objects))
            .subtracting(deleted)

        var candidates = changed.filter { fetched.entities.contains($0.binding.layout.index) }
        let direct = candidates
        if isExact, isOutdated || fetched.dependencies.areUnknown { return outdate(changed: direct) }
        if !fetched.dependencies.isEmpty {
            guard let origins = fetched.dependencies.origins(of: Array(changed)) else {
                return try isExact ? outdate(changed: direct) : refetch(fetched, changed: direct)
            }
            candidates.formUnion(origins.lazy.filter { fetched.entities.contains($0.binding.layout.index) })
            candidates.subtract(deleted)
        }
        if isExact, fetched.isPage {
            if try isPageAffected(fetched, deleted: deleted, candidates: candidates) { outdate(changed: direct) }
            return
        }
        guard let plan = try plan(fetched, deleted: deleted, candidates: candidates, direct: direct) else {
            return try regroup(fetched, deleted: deleted, candidates: candidates, direct: direct)
        }
        if plan.changes.isEmpty { return }
        tell(plan.changes) {
            $0.replace(
                removed: plan.removed, added: plan.added, sections: plan.sections, areMoves: plan.areMoves)
        }
    }

    /// The union of sets. If only one has objects, this takes no time for each of them.
    private static func union(of sets: [Set<NSManagedObject>]) -> Set<NSManagedObject> {
        let largest = sets.indices.max { sets[$0].count < sets[$1].count } ?? 0
        return sets.indices.reduce(into: sets[largest]) { all, index in
            if index != largest, !sets[index].isEmpty { all.formUnion(sets[index]) }
        }
    }

    /// Whether a change of objects may change a page of results, which an offset or a limit cuts.
    private func isPageAffected(
        _ fetched: Fetched, deleted: Set<NSManagedObject>, candidates: Set<NSManagedObject>
    ) throws -> Bool {
        if fetched.parameters.fetchOffset > 0 {
            // An object before the page moves the page, and which objects are before it is not known.
            return !candidates.isEmpty || deleted.contains { fetched.entities.contains($0.binding.layout.index) }
        }
        func isListed(_ object: NSManagedObject) -> Bool { arrangement?.index(of: object) != nil }
        if deleted.contains(where: isListed) || candidates.contains(where: isListed) { return true }
        let count = arrangement?.count ?? 0
        let last = count == 0 || count < fetched.parameters.fetchLimit ? nil : arrangement?.objects[count - 1]
        try? context.loadRows(of: Array(candidates))
        return try UndecidedPredicate.throwing {
            candidates.contains { object in
                isMatch(object, fetched) && last.map { fetched.order.compare(object, $0) != .orderedDescending } ?? true
            }
        }
    }

    /// Leaves the next fetch to the reader of exact results.
    private func outdate(changed: Set<NSManagedObject>) {
        isOutdated = true
        for object in changed where arrangement?.index(of: object) != nil {
            changedSinceOutdated.insert(ObjectIdentifier(object))
        }
        for listener in livingListeners { listener.resultsAreOutdated() }
    }

    /// Fetches the results of the last request again.
    func refetch() throws {
        guard let fetched, arrangement != nil else { return }
        let changed = changedSinceOutdated
        try context.throwingReadErrors {
            replace(by: try items(of: fetched), fetched.order) { changed.contains(ObjectIdentifier($0)) }
        }
    }

    /// The changes to make to the arrangement. The plan holds no copy of the arrangement, which can so be changed in
    /// place.
    private struct Plan {
        var removed: [Int]
        var added: [(index: Int, object: NSObject)]
        var sections: [FetchedArrangement.Section]
        var areMoves: Bool
        var changes: FetchedChanges
    }

    /// Nil where sections and order contradict each other.
    private func plan(
        _ fetched: Fetched, deleted: Set<NSManagedObject>, candidates: Set<NSManagedObject>,
        direct: Set<NSManagedObject>
    ) throws -> Plan? {
        guard let update = try update(fetched, deleted: deleted, candidates: candidates, direct: direct) else {
            return Plan(removed: [], added: [], sections: [], areMoves: true, changes: FetchedChanges())
        }
        if update.isOutOfOrder { return nil }
        return Plan(
            removed: update.removed, added: update.added, sections: update.sections, areMoves: update.areMoves,
            changes: update.changes)
    }

    private func update(
        _ fetched: Fetched, deleted: Set<NSManagedObject>, candidates: Set<NSManagedObject>,
        direct: Set<NSManagedObject>
    ) throws -> FetchedUpdate? {
        try UndecidedPredicate.throwing {
            decidedUpdate(fetched, deleted: deleted, candidates: candidates, direct: direct)
        }
    }

    private func decidedUpdate(
        _ fetched: Fetched, deleted: Set<NSManagedObject>, candidates: Set<NSManagedObject>,
        direct: Set<NSManagedObject>
    ) -> FetchedUpdate? {
        var gone = (arrangement?.indexes(of: Array(deleted)) ?? []).compactMap { $0 }
        var placements: [FetchedUpdate.Placement] = []
        let candidates = candidates.sorted(by: Self.isEarlier)
        try? context.loadRows(of: candidates)
        // Objects that changed themselves are candidates, unless they were deleted.
        let areDirect = candidates.count == direct.count
        let places = arrangement?.indexes(of: candidates) ?? []
        for (object, place) in zip(candidates, places) {
            if isMatch(object, fetched) {
                placements.append(
                    FetchedUpdate.Placement(
                        object: object, oldIndex: place, isDirect: areDirect || direct.contains(object)))
            } else if let place {
                gone.append(place)
            }
        }
        guard let arrangement, !(gone.isEmpty && placements.isEmpty) else { return nil }
        return FetchedUpdate(arrangement, order: fetched.order, deleted: gone, placements: placements)
    }

    /// Orders objects as they were made; saved ones come first.
    private static func isEarlier(_ a: NSManagedObject, _ b: NSManagedObject) -> Bool {
        a.key < 0 && b.key < 0 ? a.key > b.key : a.key >= 0 && (b.key < 0 || a.key < b.key)
    }

    private func isMatch(_ object: NSManagedObject, _ fetched: Fetched) -> Bool {
        guard object.binding.context === context else { return false }
        if !object.flags.contains(.deleted) { _ = object.firedRow() }
        guard object.flags.isDisjoint(with: [.deleted, .inaccessible]) else { return false }
        if let stores = fetched.affectedStores, let store = object.objectID.persistentStore,
            !stores.contains(where: { $0 === store })
        {
            return false
        }
        return fetched.parameters.predicate?.evaluate(with: object) ?? true
    }

    // MARK: The long way

    /// Fetches again and finds the differences.
    private func refetch(_ fetched: Fetched, changed: Set<NSManagedObject>) throws {
        let items = try items(of: fetched)
        replace(by: items, fetched.order) { changed.contains(unsafeDowncast($0, to: NSManagedObject.self)) }
    }

    /// Groups objects that are not sorted by section.
    private func regroup(
        _ fetched: Fetched, deleted: Set<NSManagedObject>, candidates: Set<NSManagedObject>,
        direct: Set<NSManagedObject>
    ) throws {
        guard let update = try update(fetched, deleted: deleted, candidates: candidates, direct: direct),
            var new = arrangement
        else { return }
        new.replace(removed: update.removed, added: update.added, sections: [], areMoves: update.areMoves)
        replace(by: new.items, fetched.order) { direct.contains(unsafeDowncast($0, to: NSManagedObject.self)) }
    }

    private func replace(by items: [NSObject], _ order: FetchedOrder, isChanged: (NSObject) -> Bool) {
        guard let old = arrangement else { return }
        var items = items
        var (sections, outOfOrder) = order.sections(of: items)
        if let outOfOrder {
            let text = Self.outOfOrderText(outOfOrder, order.sectionName(of: items[outOfOrder]))
            FileHandle.standardError.write(Data("CoreData: error: (NSFetchedResultsController) \(text)\n".utf8))
            items = order.grouped(items)
            sections = order.sections(of: items).sections
        }
        let new = FetchedArrangement(items: items, sections: sections)
        let changes = FetchedChanges(from: old, to: new, isChanged: isChanged)
        isOutdated = false
        changedSinceOutdated = []
        if !changes.isEmpty { tell(changes) { $0 = new } }
    }

    // MARK: Saving

    func contextDidSave(_ notification: Notification) {
        guard isFollowing, arrangement != nil, !isOutdated else { return }
        if cacheName != nil { writeCacheAfterSave() }
        tellPermanentIDs()
        // A fetch of a page reads related objects as the store has them, and every fetch derived values.
        let isOther =
            isExact
            && fetched.map { fetched in
                fetched.isPage && !fetched.dependencies.isEmpty
                    || notification.hasObject(fetched.dependencies.derive)
            } == true
        for listener in livingListeners {
            if isOther { listener.resultsAreOutdated() } else { listener.resultsDidSave() }
        }
    }
}
