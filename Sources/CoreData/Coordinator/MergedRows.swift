import Foundation

/// Merges the answers of several stores to a sorted fetch. Each store has sorted its own rows.
///
/// The values that decide the order are read from the rows, and from the rows that key paths lead to, without making
/// objects.
struct MergedRows {
    let coordinator: NSPersistentStoreCoordinator
    /// The state of the stores that rows behind key paths are read from; nil for the present one.
    var generation: QueryGeneration?

    /// Merges the rows of several stores, each list in the order of `descriptors`, into one list of that order. Rows
    /// that are equal keep the order of the stores.
    func merged(_ lists: [[Snapshot]], by descriptors: [NSSortDescriptor]) -> [Snapshot] {
        let lists = lists.filter { !$0.isEmpty }
        if lists.count < 2 { return lists.first ?? [] }
        return lists.joined().map { RowValues($0, coordinator, generation) }.sorted(byDescriptors: descriptors).map(
            \.row)
    }

    /// The part of a list that the fetch's offset and limit leave, if the list begins with the first row.
    static func page<Element>(_ elements: [Element], _ offset: Int, _ limit: Int) -> [Element] {
        let rest = elements.dropFirst(offset)
        return Array(limit > 0 ? rest.prefix(limit) : rest)
    }
}

extension NSPersistentStoreCoordinator {
    /// Returns the dictionaries of several stores in one list. Throws 134091 if the dictionaries of the single stores
    /// do not determine the list. That is so for groups, for functions of all rows, and for distinct dictionaries in an
    /// order of values that they do not have.
    final func mergedDictionaries(_ fetch: StoreFetch, of stores: [any RowStore]) throws -> [[String: Any]] {
        guard case .dictionaries(let properties, let groupBy, let having, let isDistinct) = fetch.result else {
            return []
        }
        let names = Set(properties.map(\.name))
        let isOrderVisible = fetch.sortDescriptors.allSatisfy { $0.sortKey.map(names.contains) ?? false }
        guard groupBy.isEmpty, having == nil,
            properties.allSatisfy({ $0.expression?.aggregates.isEmpty ?? true }),
            !isDistinct || isOrderVisible
        else {
            throw NSError.coreData(
                NSPersistentStoreUnsupportedRequestTypeError,
                reason: """
                    A fetch of dictionaries over \(stores.count) stores cannot group, compute over all rows, or be \
                    distinct in an order of other values; name one store in affectedStores (entity \
                    '\(fetch.layout.name)')
                    """)
        }
        // The values that decide the order are fetched along with the dictionaries, under names of their own.
        var open = fetch
        open.offset = 0
        open.limit = fetch.limit > 0 ? fetch.offset + fetch.limit : 0
        var order: [NSSortDescriptor] = []
        var columns: [StoreFetch.Column] = []
        for (number, descriptor) in fetch.sortDescriptors.enumerated() {
            guard let key = descriptor.sortKey else { continue }
            let column = NSExpressionDescription()
            column.name = "_order\(number)"
            column.expression = NSExpression(forKeyPath: key)
            columns.append(.expression(column))
            order.append(
                descriptor.sortSelector.map {
                    NSSortDescriptor(key: column.name, ascending: descriptor.ascending, selector: $0)
                }
                    ?? NSSortDescriptor(
                        key: column.name, ascending: descriptor.ascending, comparator: descriptor.comparator))
        }
        open.result = .dictionaries(properties: properties + columns, groupBy: [], having: nil, distinct: isDistinct)
        var found = try stores.flatMap { store -> [[String: Any]] in
            guard case .dictionaries(let own) = try store.fetch(open) else { return [] }
            return own
        }
        if !order.isEmpty { found = found.sorted(byDescriptors: order) }
        for column in columns { for index in found.indices { found[index][column.name] = nil } }
        if isDistinct {
            var seen: Set<NSDictionary> = []
            found = found.filter { row in
                seen.insert(row.mapValues { ($0 as? ObjectKey)?.key ?? $0 } as NSDictionary).inserted
            }
        }
        return MergedRows.page(found, fetch.offset, fetch.limit)
    }
}

extension NSPersistentStoreCoordinator {
    /// The dictionaries of a fetch that has no SQL; each row is evaluated on the client.
    final func clientEvaluatedDictionaries(
        _ fetch: StoreFetch, in affected: [NSPersistentStore]?, at generation: QueryGeneration?
    ) throws -> [[String: Any]] {
        var everything = fetch
        everything.predicate = nil
        everything.sortDescriptors = []
        everything.limit = 0
        everything.offset = 0
        everything.result = .keys
        let rows = try rows(for: everything, in: affected, at: generation).map { RowValues($0, self, generation) }
        let memory = MemoryFetch(request: fetch)
        return withIDs(try memory.dictionaries(try memory.matching(rows)))
    }
}

/// A row's values by name, read from the row itself; relationships lead to further rows.
private final class RowValues: KeyValueReadable, ObjectKeyConvertible, ObjectIdentityComparable {
    let row: Snapshot
    private let coordinator: NSPersistentStoreCoordinator
    private let generation: QueryGeneration?

    init(_ row: Snapshot, _ coordinator: NSPersistentStoreCoordinator, _ generation: QueryGeneration?) {
        self.row = row
        self.coordinator = coordinator
        self.generation = generation
    }

    private var layout: EntityLayout { coordinator.modelLayout.entities[row.layoutIndex] }
    var objectKey: ObjectKey { ObjectKey(layoutIndex: row.layoutIndex, key: row.key) }

    private var objectID: NSManagedObjectID {
        let store = coordinator.store(numbered: objectKey.storeNumber)
        return NSManagedObjectID(objectKey: objectKey, modelLayout: coordinator.modelLayout, store: store)
    }

    var identityForComparison: AnyObject { objectID }

    func value(forKey key: String) -> Any? {
        switch layout.access[key] {
        case nil where key == "objectID": return objectID
        case nil where key == "entity": return layout.entity
        case .attribute(let slot)?: return attribute(slot)
        case .toOne(let slot)?:
            guard !row.isNull(slot) else { return nil }
            let root = coordinator.modelLayout.entities[layout.destinations[slot].layoutIndex].rootIndex
            let target = ObjectKey(layoutIndex: layout.destinations[slot].layoutIndex, key: row.int(slot))
            return values(of: target, rootIndex: root)
        case .toMany(let index)?:
            let members = (try? coordinator.members(of: layout.toManys[index], owner: objectKey, at: generation)) ?? []
            return members.compactMap { member in
                values(of: member, rootIndex: coordinator.modelLayout.entities[member.layoutIndex].rootIndex)
            } as NSArray
        case .composite(let composite)?: return value(of: composite)
        case .fetched?, nil: return nil
        }
    }

    private func values(of key: ObjectKey, rootIndex: Int) -> RowValues? {
        let row = try? coordinator.row(for: key, rootIndex: rootIndex, at: generation)
        return row.flatMap { $0 }.map { RowValues($0, coordinator, generation) }
    }

    private func attribute(_ slot: Int) -> Any? {
        let description = layout.slots[slot]
        if description.kind == .transformable, case .attribute(let attribute) = description.role {
            return row.isNull(slot) ? nil : TransformableCoding.object(from: row.data(slot), of: attribute)
        }
        return row.value(slot, kind: description.kind).boxed(as: description.kind)
    }

    private func value(of composite: CompositeAccess) -> NSDictionary {
        let result = NSMutableDictionary()
        for (name, access) in composite.elements {
            switch access {
            case .attribute(let slot): if let value = attribute(slot) { result[name as NSString] = value }
            case .composite(let inner): result[name as NSString] = value(of: inner)
            case .toOne, .toMany, .fetched: break
            }
        }
        return result
    }
}
