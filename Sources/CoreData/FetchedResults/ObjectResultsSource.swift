import Foundation

/// Follows objects by a `FetchedResultsCore`, and makes values of them.
// @unchecked Sendable: everything but the constants is used on the context's queue.
final class ObjectResultsSource<Value>: FetchedResultsSource, FetchedResultsListener, @unchecked Sendable {
    /// What has changed since the last value.
    struct Step {
        let arrangement: FetchedArrangement
        /// Nil for the first value.
        let difference: CollectionDifference<NSManagedObjectID>?
        let updated: [NSManagedObjectID]
    }

    let wake = FetchedResultsWake()
    let context: NSManagedObjectContext
    private let core: FetchedResultsCore
    /// The request to begin with; nil if the core is that of a controller, which fetches when the program says so.
    private let request: (() -> NSPersistentStoreRequest)?
    private let make: (Step) -> Value
    private var remoteChanges: RemoteChangeMerging?
    private var storeWatch: FollowedStores?
    private var observer: (any NSObjectProtocol)?

    private var hasBegun = false
    private var hasDelivered = false
    private var isOutdated = false
    private var failure: (any Error)?
    /// The results of the last value, with the ids that new objects had in it.
    private var delivered = FetchedArrangement(items: [], sections: [])
    private var temporaryIDs: [ObjectIdentifier: NSManagedObjectID] = [:]
    /// The change since the last value, if it is a single one.
    private var latest: FetchedChanges?
    private var changeCount = 0
    /// The objects that were reported as changed since the last value.
    private var changed: Set<ObjectIdentifier> = []

    init(
        core: FetchedResultsCore, request: (() -> NSPersistentStoreRequest)?, make: @escaping (Step) -> Value
    ) {
        context = core.context
        self.core = core
        self.request = request
        self.make = make
        wake.onEnd { [weak self] in
            self?.context.enqueue { [weak self] _ in self?.stop() }
        }
    }

    deinit { stopObserving() }

    private func stopObserving() {
        if let observer { NotificationCenter.default.removeObserver(observer) }
        observer = nil
    }

    func stop() {
        core.remove(self)
        stopObserving()
        remoteChanges = nil
        storeWatch = nil
        delivered = FetchedArrangement(items: [], sections: [])
        temporaryIDs = [:]
        latest = nil
    }

    // MARK: Events

    func resultsWereFetched() {
        changeCount += 2
        wake.wakeReader()
    }

    func resultsDidChange(_ changes: FetchedChanges) {
        latest = changes
        changeCount += 1
        for change in changes.objects where change.type == .update || change.type == .move {
            changed.insert(ObjectIdentifier(change.object))
        }
        wake.wakeReader()
    }

    func resultsDidSave() {
        if !temporaryIDs.isEmpty { wake.wakeReader() }
    }

    func resultsAreOutdated() {
        isOutdated = true
        wake.wakeReader()
    }

    func resultsDidFail(_ error: any Error) {
        failure = failure ?? error
        wake.wakeReader()
    }

    // MARK: Values

    func value() throws -> Value? {
        if !hasBegun { return try firstValue() }
        context.processPendingChanges()
        if let failure { throw failure }
        if try storeWatch?.hasMore() == true { isOutdated = true }
        if isOutdated || core.isOutdated {
            isOutdated = false
            // A reset makes new objects.
            changeCount += 2
            if request != nil { try core.refetch() }
        }
        guard let now = core.settledArrangement else { return nil }
        let step = step(to: now)
        latest = nil
        changeCount = 0
        changed = []
        guard let step else { return nil }
        return make(deliver(step))
    }

    private func firstValue() throws -> Value? {
        hasBegun = true
        core.add(self)
        if let request = request?() {
            // These begin before the fetch, so that nothing is missed between the two.
            remoteChanges = context.followingRemoteChanges()
            storeWatch = FollowedStores(of: request, in: context) { [weak self] in self?.wake.wakeReader() }
            observer = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidMergeChangesObjectIDs, object: context, queue: nil
            ) { [weak self] notification in
                // The merge of a store without history names no new rows, and none names derived values.
                if notification.userInfo?[NSInvalidatedAllObjectsKey] != nil
                    || notification.hasID({ self?.core.fetched?.dependencies.derive(from: $0) == true })
                {
                    self?.resultsAreOutdated()
                }
            }
            try core.performFetch(request)
            (latest, changeCount, changed) = (nil, 0, [])
        }
        guard let now = core.settledArrangement else { return nil }
        return make(deliver(Step(arrangement: now, difference: nil, updated: [])))
    }

    private func deliver(_ step: Step) -> Step {
        delivered = step.arrangement
        temporaryIDs = core.temporaryIDs.compactMapValues { $0.object.key < 0 ? $0.id : nil }
        defer { hasDelivered = true }
        return hasDelivered ? step : Step(arrangement: step.arrangement, difference: nil, updated: [])
    }

    /// Nil if nothing has changed.
    private func step(to now: FetchedArrangement) -> Step? {
        if changeCount == 0, temporaryIDs.isEmpty { return nil }
        let changes: FetchedChanges
        if changeCount == 1, let latest {
            changes = latest
        } else if changeCount == 0 {
            changes = FetchedChanges()
        } else {
            changes = FetchedChanges(from: renewed(delivered, for: now), to: now) {
                changed.contains(ObjectIdentifier($0))
            }
        }
        let difference = difference(changes, to: now)
        if changes.isEmpty, difference.isEmpty, Self.isSame(delivered.sections, now.sections) { return nil }
        // Of two objects that have changed places, the difference may move the one without changes.
        let updated = changes.objects.filter {
            ($0.type == .move || $0.type == .update) && changed.contains(ObjectIdentifier($0.object))
        }.map { FetchedChanges.id(of: $0.object) }
        return Step(arrangement: now, difference: difference, updated: updated)
    }

    private static func isSame(_ a: [FetchedArrangement.Section], _ b: [FetchedArrangement.Section]) -> Bool {
        a.count == b.count && zip(a, b).allSatisfy { $0.name == $1.name && $0.start == $1.start }
    }

    /// The results of the last value, with the present objects of the same ids: a reset has made other objects.
    private func renewed(_ old: FetchedArrangement, for now: FetchedArrangement) -> FetchedArrangement {
        guard old.items.contains(where: { Self.object($0).binding.context == nil }) else { return old }
        var present: [NSManagedObjectID: NSObject] = [:]
        for item in now.items { present[FetchedChanges.id(of: item)] = item }
        return FetchedArrangement(
            items: old.items.map { present[FetchedChanges.id(of: $0)] ?? $0 }, sections: old.sections)
    }

    private func difference(
        _ changes: FetchedChanges, to now: FetchedArrangement
    ) -> CollectionDifference<NSManagedObjectID> {
        var steps = changes.steps { temporaryIDs[ObjectIdentifier($0)] }
        var renamed = temporaryIDs
        for change in changes.objects where change.type != .update {
            renamed[ObjectIdentifier(change.object)] = nil
        }
        if !renamed.isEmpty {
            var now = now
            for (old, item) in delivered.items.enumerated() {
                guard let former = renamed[ObjectIdentifier(item)], former != FetchedChanges.id(of: item) else {
                    continue
                }
                guard let new = now.index(of: item) else { continue }
                steps.append(.remove(offset: old, element: former, associatedWith: new))
                steps.append(.insert(offset: new, element: FetchedChanges.id(of: item), associatedWith: old))
            }
        }
        if let difference = CollectionDifference(steps) { return difference }
        return now.items.map(FetchedChanges.id).difference(
            from: delivered.items.map { temporaryIDs[ObjectIdentifier($0)] ?? FetchedChanges.id(of: $0) })
    }

    private static func object(_ item: NSObject) -> NSManagedObject { unsafeDowncast(item, to: NSManagedObject.self) }
}
