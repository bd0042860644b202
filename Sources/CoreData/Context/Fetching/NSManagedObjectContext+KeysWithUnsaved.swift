import Foundation

// The results of a fetch with unsaved changes, as keys. Only the touched objects are made, and those among which they
// have to find their places.
extension NSManagedObjectContext {
    /// The keys of a fetch's results, with unsaved changes if the fetch includes them.
    final func keysWithUnsaved(_ plan: FetchPlan) throws -> FetchedKeys {
        guard let rowSource else { return FetchedKeys() }
        guard plan.parameters.includesPendingChanges else { return try rowSource.keys(plan, in: self) }
        propagatePendingDeletes()
        let candidates = unsavedCandidates(for: plan.store)
        let touched = candidates == nil ? touchedObjects(plan.store) : []
        if candidates == nil, touched.isEmpty { return try rowSource.keys(plan, in: self) }
        let unsavedCount = tracked.inserted.count + tracked.updated.count + tracked.deleted.count
        let found = try rowSource.keys(widened(plan, by: unsavedCount), in: self)
        let isTouched = touchedKeys(plan, atMost: found.count)
        let matching = matching(candidates ?? touched, plan)
        let all =
            plan.store.sortDescriptors.isEmpty
            ? inPlace(found, matching, isTouched)
            : sorted(found, with: matching, isTouched: isTouched, by: plan.store.sortDescriptors)
        return all.page(plan.store.offset, plan.store.limit)
    }

    /// Returns a test for the keys of touched objects. The test uses a set of the keys, or for fewer keys the objects
    /// themselves.
    private func touchedKeys(_ plan: FetchPlan, atMost count: Int) -> (ObjectKey) -> Bool {
        if count < tracked.inserted.count + tracked.updated.count + tracked.deleted.count {
            return { [unowned self] in registeredObject(for: $0).map(isTouched) ?? false }
        }
        let keys = Set(touchedObjects(plan.store).map(\.key))
        return { keys.contains($0.key) }
    }

    /// Without a sort order the source's order stays: changed objects keep their places, and new objects follow.
    private func inPlace(
        _ found: FetchedKeys, _ matching: [NSManagedObject], _ isTouched: (ObjectKey) -> Bool
    ) -> FetchedKeys {
        var left = Set(matching.map(\.key))
        var all = FetchedKeys()
        for key in found where !isTouched(key) || left.remove(key.key) != nil { all.append(key) }
        for object in matching where left.contains(object.key) { all.append(object.objectKey) }
        return all
    }

    /// Touched objects come after equal ones.
    private func sorted(
        _ found: FetchedKeys, with matching: [NSManagedObject], isTouched: (ObjectKey) -> Bool,
        by descriptors: [NSSortDescriptor]
    ) -> FetchedKeys {
        var others = FetchedKeys()
        for key in found where !isTouched(key) { others.append(key) }
        var all = FetchedKeys()
        var next = 0
        for object in matching.sorted(byDescriptors: descriptors) {
            let place = descriptors.place(of: object, in: next..<others.count) { self.object(found: others[$0]) }
            while next < place {
                all.append(others[next])
                next += 1
            }
            all.append(object.objectKey)
        }
        while next < others.count {
            all.append(others[next])
            next += 1
        }
        return all
    }
}
