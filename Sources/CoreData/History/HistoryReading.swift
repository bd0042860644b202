import Foundation

/// Gathers what a history request reads from one store after the other.
struct HistoryReading {
    private let context: NSManagedObjectContext
    private let resultType: NSPersistentHistoryResultType
    private var found: [Found] = []

    private struct Found {
        let storeID: String
        let transaction: HistoryTransactionRecord
        var changes: [(record: HistoryChangeRecord, id: NSManagedObjectID)] = []
    }

    init(context: NSManagedObjectContext, resultType: NSPersistentHistoryResultType) {
        self.context = context
        self.resultType = resultType
    }

    mutating func read(_ store: AttachedHistory, _ interval: HistoryInterval, _ filter: HistoryFilter) throws {
        var read: [Found] = []
        var places: [Int64: Int] = [:]
        try store.history.transactions(interval) { transaction in
            guard filter.admits(transaction) else { return }
            places[transaction.number] = read.count
            read.append(Found(storeID: store.identifier, transaction: transaction))
        }
        if filter.isOfChanges || resultType != .transactionsOnly && resultType != .statusOnly {
            try store.history.changes(interval) { change in
                guard let place = places[change.transaction] else { return }
                let id = context.objectID(for: change.key)
                guard filter.admits(change, of: read[place].transaction, id) else { return }
                read[place].changes.append((change, id))
            }
        }
        found += filter.isOfChanges ? read.filter { !$0.changes.isEmpty } : read
    }

    /// What the request returns: in the order of the request, or else oldest first.
    func result(cutTo request: FetchParameters?) -> Any {
        // Stores number their transactions on their own; within one the order is known.
        let isOfOneStore = Set(found.map(\.storeID)).count <= 1
        var all = isOfOneStore ? found : found.sorted { $0.transaction.timestamp < $1.transaction.timestamp }
        if let request, request.entityName == HistoryEntities.transaction.name {
            all = ordered(all, request) { HistoryTransactionView($0.transaction) }
        }
        switch resultType {
        case .statusOnly: return NSNumber(value: true)
        case .transactionsOnly:
            return all.map {
                NSPersistentHistoryTransaction(record: $0.transaction, storeID: $0.storeID, changes: nil)
            }
        case .transactionsAndChanges:
            return all.map { found in
                let changes = found.changes.map {
                    NSPersistentHistoryChange(record: $0.record, changedObjectID: $0.id)
                }
                return NSPersistentHistoryTransaction(
                    record: found.transaction, storeID: found.storeID, changes: changes)
            }
        case .objectIDs, .count, .changesOnly:
            return changes(all, request)
        }
    }

    private func changes(_ all: [Found], _ request: FetchParameters?) -> Any {
        var changes = all.flatMap { found in
            found.changes.map { (record: $0.record, id: $0.id, transaction: found.transaction) }
        }
        if let request, request.entityName == HistoryEntities.change.name {
            changes = ordered(changes, request) {
                HistoryChangeView($0.record, $0.id, HistoryTransactionView($0.transaction))
            }
        }
        switch resultType {
        case .count: return NSNumber(value: changes.count)
        case .objectIDs:
            var seen: Set<NSManagedObjectID> = []
            return changes.map(\.id).filter { seen.insert($0).inserted }
        default:
            return changes.map { NSPersistentHistoryChange(record: $0.record, changedObjectID: $0.id) }
        }
    }

    /// Elements in the order of a fetch request, cut to its offset and limit.
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
