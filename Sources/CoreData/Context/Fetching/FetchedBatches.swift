import Foundation

/// The keys that a fetch with a batch size found, in batches. The first object of a batch that fires reads the rows of
/// the whole batch.
///
/// For the context's queue only.
final class FetchedBatches {
    private(set) var keys: FetchedKeys
    /// The number of objects that a batch has.
    let size: Int
    let rootIndex: Int
    /// The request, with the settings for reading a batch.
    let parameters: FetchParameters
    /// The number of keys at the beginning that have no object that waits for its row.
    private var finishedCount = 0
    /// Places in `keys`, in the order of the keys. Made by the first search for a place, and empty where `keys` has
    /// that order already.
    private var places: [Int32]?
    /// Whether new objects are among the results.
    private(set) var hasNew: Bool

    init(_ keys: FetchedKeys, _ plan: FetchPlan) {
        self.keys = keys
        size = plan.parameters.fetchBatchSize
        rootIndex = plan.store.layout.rootIndex
        parameters = plan.parameters
        hasNew = keys.hasTemporary
    }

    /// Whether no object waits for its row any more.
    func isFinished(_ waits: (ObjectKey) -> Bool) -> Bool {
        // An object that has its row, or is gone, waits again only for a newer fetch.
        while finishedCount < keys.count, !waits(keys[finishedCount]) { finishedCount += 1 }
        return finishedCount == keys.count
    }

    /// The places of the keys that are read in one batch with the key at a place.
    func batch(at place: Int) -> Range<Int> {
        let start = place / size * size
        return start..<start + min(size, keys.count - start)
    }

    /// The places of the keys that are read in one batch with a key; nil when the fetch did not find the key.
    func batch(of key: Int64) -> Range<Int>? {
        let places = places ?? sortedPlaces()
        self.places = places
        func place(_ number: Int) -> Int { places.isEmpty ? number : Int(places[number]) }
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[place(middle)].key < key { low = middle + 1 } else { high = middle }
        }
        guard low < keys.count, keys[place(low)].key == key else { return nil }
        return batch(at: place(low))
    }

    /// Stops the process when the keys and the counters contradict each other; called by tests.
    func checkInvariants() {
        require(hasNew == keys.hasTemporary, "A fetch does not know whether it found new objects")
        require(finishedCount <= keys.count, "A fetch has more finished keys than keys")
        guard let places else { return }
        require(places == sortedPlaces(), "The keys of a fetch are in another order than it remembers")
    }

    private func sortedPlaces() -> [Int32] {
        let plain = keys.map(\.key)
        if zip(plain, plain.dropFirst()).allSatisfy({ $0 < $1 }) { return [] }
        var places = plain.indices.map { Int32($0) }
        places.sort { plain[Int($0)] < plain[Int($1)] }
        return places
    }

    /// Puts the keys under which new objects were saved in the place of those that they had before.
    func renameNew(_ permanent: PermanentKeys) {
        if !hasNew { return }
        keys.replaceTemporary { $0.renamed(permanent) }
        hasNew = keys.hasTemporary
        places = nil
    }
}

extension NSManagedObjectContext {
    /// Fetches with a batch size that are remembered; an object of an older one is read alone.
    private static var rememberedFetches: Int { 16 }

    /// The objects of a fetch as faults, in batches.
    final func batchedObjects(_ keys: FetchedKeys, _ plan: FetchPlan) -> [NSManagedObject] {
        forgetFinishedFetches()
        fetchState.batches.append(FetchedBatches(keys, plan))
        if fetchState.batches.count > Self.rememberedFetches { fetchState.batches.removeFirst() }
        let objects = faults(for: keys, plan)
        for object in objects where object.heldRow == nil { object.flags.insert(.batched) }
        return objects
    }

    /// Forgets the fetches that need no keys, because every live object of theirs has its row.
    final func forgetFinishedFetches() {
        if fetchState.batches.isEmpty { return }
        fetchState.batches.removeAll { fetch in
            identityMaps[fetch.rootIndex].map { $0.count == 0 } ?? true
                || fetch.isFinished { registeredObject(for: $0)?.flags.contains(.batched) == true }
        }
    }

    /// Reads the rows of an object's batch into every live fault of the batch, and returns the object's row. Nil when
    /// the object is in no remembered batch, or has no row.
    final func loadBatch(of object: NSManagedObject) throws -> Snapshot? {
        object.flags.remove(.batched)
        for fetch in fetchState.batches.reversed() where fetch.rootIndex == object.binding.layout.rootIndex {
            guard let batch = fetch.batch(of: object.key) else { continue }
            let read = try readRows(of: fetch.keys[batch].compactMap { registeredObject(for: $0) })
            try prefetch(fetch.parameters.relationshipKeyPathsForPrefetching ?? [], of: read)
            return object.row
        }
        return nil
    }

    /// The objects of a batch, made when there are none. An object that cannot be read stays a fault, and
    /// reading it reports the error.
    final func objects(at places: Range<Int>, of fetch: FetchedBatches) -> [NSManagedObject] {
        applyPendingUpdates()
        let objects = fetch.keys[places].map { object(for: $0) }
        if fetch.parameters.shouldRefreshRefetchedObjects {
            for object in objects where object.row != nil && !object.hasChanges { refresh(object, mergeChanges: true) }
        }
        if fetch.parameters.includesPropertyValues { _ = try? readRows(of: objects) }
        try? prefetch(
            fetch.parameters.relationshipKeyPathsForPrefetching ?? [], of: objects.filter { $0.row != nil })
        if !fetch.parameters.returnsObjectsAsFaults {
            for object in objects where object.heldRow != nil && object.isFaultUnchecked { object.fireWithRow() }
        }
        return objects
    }

    /// Reads the rows of the given objects that have none, and returns the objects that have got a row.
    private func readRows(of objects: [NSManagedObject]) throws -> [NSManagedObject] {
        let faults = objects.filter { $0.row == nil && !$0.flags.contains(.deleted) }
        let rows = try readRows(for: faults.map(\.objectKey))
        for fault in faults {
            fault.flags.remove(.batched)
            guard let row = rows[fault.rootKey] else { continue }
            fault.row = row
            fault.flags.insert(.unfired)
        }
        return faults.filter { $0.row != nil }
    }

    // MARK: New objects

    /// Gives new objects among the results the keys under which they are saved.
    final func renameFetched(_ permanent: PermanentKeys) {
        for fetch in fetchState.batches { fetch.renameNew(permanent) }
        if fetchState.fetchesOfNew.isEmpty { return }
        for fetch in fetchState.fetchesOfNew { fetch.batches?.renameNew(permanent) }
        fetchState.fetchesOfNew.removeAll { $0.batches?.hasNew != true }
    }

    /// Holds the keys of a fetch as long as a result may need objects.
    final func keep(_ keys: FetchedKeys, _ plan: FetchPlan) -> FetchedBatches {
        let batches = FetchedBatches(keys, plan)
        if batches.hasNew { fetchState.fetchesOfNew.append(WeakBatches(batches: batches)) }
        return batches
    }

    /// A context's weak reference to a fetch that found new objects.
    struct WeakBatches {
        weak var batches: FetchedBatches?
    }
}
