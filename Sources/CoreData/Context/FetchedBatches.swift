import Foundation

/// What a fetch with a batch size found: keys alone. The first object of a batch that is looked at brings the rows of
/// all.
///
/// For the context's queue only.
final class FetchedBatches {
    private let keys: [ObjectKey]
    private let size: Int
    /// How many keys at the beginning have no object that waits for its row.
    private var finishedCount = 0
    let prefetching: [String]
    /// Places in `keys`, in the order of the keys.
    private let places: [Int32]

    init(_ keys: [ObjectKey], size: Int, prefetching: [String]) {
        self.keys = keys
        self.size = size
        self.prefetching = prefetching
        places = keys.indices.map { Int32($0) }.sorted { keys[Int($0)].key < keys[Int($1)].key }
    }

    /// Whether no object waits for its row any more.
    func isFinished(_ waits: (ObjectKey) -> Bool) -> Bool {
        // One that has its row, or is gone, waits again only for a newer fetch.
        while finishedCount < keys.count, !waits(keys[finishedCount]) { finishedCount += 1 }
        return finishedCount == keys.count
    }

    /// The keys that are read together with a key; nil when the fetch did not find it.
    func batch(of key: ObjectKey, rootIndex: (ObjectKey) -> Int) -> ArraySlice<ObjectKey>? {
        var low = 0
        var high = places.count
        while low < high {
            let middle = (low + high) / 2
            if keys[Int(places[middle])].key < key.key { low = middle + 1 } else { high = middle }
        }
        guard low < places.count, keys[Int(places[low])].key == key.key,
            rootIndex(keys[Int(places[low])]) == rootIndex(key)
        else { return nil }
        let start = Int(places[low]) / size * size
        return keys[start..<min(start + size, keys.count)]
    }
}

extension NSManagedObjectContext {
    /// Fetches with a batch size that are remembered; an object of an older one is read alone.
    private static var rememberedFetches: Int { 16 }

    /// The objects of a fetch as faults, in batches.
    final func batchedObjects(_ keys: [ObjectKey], _ plan: FetchPlan) -> [NSManagedObject] {
        // A fetch of whose objects nobody holds one without its row needs no keys.
        fetchedBatches.removeAll { fetch in
            fetch.isFinished { registeredObject(for: $0)?.flags.contains(.batched) == true }
        }
        fetchedBatches.append(
            FetchedBatches(
                keys, size: plan.parameters.fetchBatchSize,
                prefetching: plan.parameters.relationshipKeyPathsForPrefetching ?? []))
        if fetchedBatches.count > Self.rememberedFetches { fetchedBatches.removeFirst() }
        return keys.map { key in
            let object = object(found: key)
            if object.row == nil { object.flags.insert(.batched) }
            return object
        }
    }

    /// Reads the rows of an object's batch, into every fault of it that is alive. The object's own is the result; nil
    /// when it is in no batch any more, or has no row.
    final func loadBatch(of object: NSManagedObject) throws -> Snapshot? {
        object.flags.remove(.batched)
        let key = object.objectKey
        for fetch in fetchedBatches.reversed() {
            guard let batch = fetch.batch(of: key, rootIndex: { home(at: $0.layoutIndex).layout.rootIndex }) else {
                continue
            }
            let faults = batch.compactMap { registeredObject(for: $0) }
                .filter { $0.row == nil && !$0.flags.contains(.deleted) }
            let rows = try readRows(for: faults.map(\.objectKey))
            for fault in faults {
                fault.flags.remove(.batched)
                guard let row = rows[fault.rootKey] else { continue }
                fault.row = row
                fault.flags.insert(.unfired)
            }
            try prefetch(fetch.prefetching, of: faults.filter { $0.row != nil })
            return object.row
        }
        return nil
    }
}
