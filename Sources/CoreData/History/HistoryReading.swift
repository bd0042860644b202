import Foundation

/// Collects the results of a history request from one store after the other.
struct HistoryReading {
    private let context: any HistoryContext
    private let resultType: NSPersistentHistoryResultType
    /// The fetch request with the order, the offset and the limit. `isOfChanges` says to which entity they apply.
    private let request: FetchParameters?
    private var found: [Found] = []
    /// The number of changes, if the request is for the number alone.
    private var count = 0

    private struct Found {
        let storeID: String
        let transaction: HistoryTransactionRecord
        var changes: [NSPersistentHistoryChange] = []
    }

    /// A change with the place of its transaction.
    private struct Listed {
        let place: Int
        let change: NSPersistentHistoryChange
    }

    init(context: any HistoryContext, resultType: NSPersistentHistoryResultType, request: FetchParameters?) {
        self.context = context
        self.resultType = resultType
        self.request = request
    }

    private var isOfChanges: Bool { request?.entityName == HistoryEntities.change.name }

    /// Whether changes are counted as they are read. With an offset or a limit of transactions the page has to be
    /// chosen first.
    private var countsOnly: Bool {
        guard resultType == .count else { return false }
        return isOfChanges || request.map { $0.fetchLimit == 0 && $0.fetchOffset == 0 } ?? true
    }

    mutating func read(_ store: AttachedHistory, _ interval: HistoryInterval, _ filter: HistoryFilter) throws {
        if countsOnly, filter.isOpen {
            count += try store.history.changeCount(interval)
            return
        }
        var views: [Int64: [HistoryChangeView]] = [:]
        // The transactions whose changes were read; other transactions may be committed while the history is read.
        var seen: [HistoryTransactionRecord]?
        if filter.readsChanges {
            var all: [HistoryTransactionRecord] = []
            try store.history.transactions(interval) { all.append($0) }
            seen = all
            let transactions = Dictionary(all.map { ($0.number, HistoryTransactionView($0)) }) { first, _ in first }
            try store.history.changes(interval) { change in
                guard let transaction = transactions[change.transaction] else { return }
                let id = context.objectID(for: change.key)
                views[change.transaction, default: []].append(HistoryChangeView(change, id, transaction))
            }
        }
        var read: [Found] = []
        var places: [Int64: Int] = [:]
        func take(_ transaction: HistoryTransactionRecord) {
            guard filter.admits(transaction, views[transaction.number] ?? []) else { return }
            places[transaction.number] = read.count
            read.append(Found(storeID: store.identifier, transaction: transaction))
        }
        if let seen {
            seen.forEach(take)
        } else {
            try store.history.transactions(interval) { take($0) }
        }
        if filter.isOfChanges || resultType != .transactionsOnly && resultType != .statusOnly {
            // Mostly the changes of a transaction are consecutive.
            var last: (number: Int64, place: Int?)?
            // The common part of the ids of a store.
            var origin: NSManagedObjectID.Origin?
            var changes: [[NSPersistentHistoryChange]] = Array(repeating: [], count: read.count)
            let (countsOnly, isOpen) = (countsOnly, filter.isOpen)
            try store.history.changes(interval) { change in
                if last?.number != change.transaction { last = (change.transaction, places[change.transaction]) }
                guard let place = last?.place else { return }
                if !isOpen,
                    !filter.admits(change, of: read[place].transaction, context.objectID(for: change.key))
                {
                    return
                }
                if countsOnly {
                    count += 1
                    return
                }
                let id: NSManagedObjectID
                if let origin {
                    id = NSManagedObjectID(objectKey: change.key, origin: origin)
                } else {
                    id = context.objectID(for: change.key)
                    origin = id.origin
                }
                changes[place].append(NSPersistentHistoryChange(record: change, changedObjectID: id))
            }
            for place in read.indices { read[place].changes = changes[place] }
        }
        if countsOnly { return }
        found += filter.isOfChanges ? read.filter { !$0.changes.isEmpty } : read
    }

    /// The result of the request, in the request's order, or else oldest first.
    func result() -> Any {
        if countsOnly {
            guard let request else { return NSNumber(value: count) }
            let rest = max(0, count - request.fetchOffset)
            return NSNumber(value: request.fetchLimit > 0 ? min(rest, request.fetchLimit) : rest)
        }
        // Each store numbers its transactions on its own, so the numbers give an order only within one store.
        let isOfOneStore = Set(found.map(\.storeID)).count <= 1
        var all = isOfOneStore ? found : found.sorted { $0.transaction.timestamp < $1.transaction.timestamp }
        if let request, request.entityName == HistoryEntities.transaction.name {
            all = ordered(all, request) { HistoryTransactionView($0.transaction) }
        }
        var changes: [Listed] = []
        if isOfChanges || resultType != .transactionsAndChanges {
            changes = all.enumerated().flatMap { place, found in
                found.changes.map { Listed(place: place, change: $0) }
            }
        }
        if let request, isOfChanges {
            changes = ordered(changes, request) {
                HistoryChangeView(
                    $0.change.record, $0.change.changedObjectID, HistoryTransactionView(all[$0.place].transaction))
            }
            all = transactions(all, of: changes)
        }
        switch resultType {
        case .statusOnly: return NSNumber(value: true)
        case .transactionsOnly:
            return all.map {
                NSPersistentHistoryTransaction(record: $0.transaction, storeID: $0.storeID, changes: nil)
            }
        case .transactionsAndChanges:
            return all.map { found in
                NSPersistentHistoryTransaction(
                    record: found.transaction, storeID: found.storeID, changes: found.changes)
            }
        case .count: return NSNumber(value: changes.count)
        case .objectIDs:
            var seen: Set<NSManagedObjectID> = []
            return changes.map(\.change.changedObjectID).filter { seen.insert($0).inserted }
        case .changesOnly:
            return changes.map(\.change)
        }
    }

    /// The transactions of some changes, in the order of the first of each, with those changes only.
    private func transactions(_ all: [Found], of changes: [Listed]) -> [Found] {
        var kept: [Found] = []
        var places: [Int: Int] = [:]
        for change in changes {
            let place = places[change.place] ?? kept.count
            if place == kept.count {
                places[change.place] = place
                kept.append(Found(storeID: all[change.place].storeID, transaction: all[change.place].transaction))
            }
            kept[place].changes.append(change.change)
        }
        return kept
    }

    /// Elements in the order of a fetch request, restricted to its offset and limit.
    private func ordered<Element>(
        _ elements: [Element], _ request: FetchParameters, _ view: (Element) -> any KeyValueReadable
    ) -> [Element] {
        var result = elements
        if let descriptors = request.sortDescriptors, !descriptors.isEmpty {
            result = elements.map { SortedElement(element: $0, view: view($0)) }
                .sorted(byDescriptors: descriptors).map(\.element)
        }
        let rest = result.dropFirst(request.fetchOffset)
        return Array(request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest)
    }

    private final class SortedElement<Element>: KeyValueReadable {
        let element: Element
        private let view: any KeyValueReadable

        init(element: Element, view: any KeyValueReadable) {
            self.element = element
            self.view = view
        }

        func value(forKey key: String) -> Any? { view.value(forKey: key) }
    }
}

/// The context for which history is read, which returns the id of an object by its key.
protocol HistoryContext: AnyObject {
    func objectID(for key: ObjectKey) -> NSManagedObjectID
}
