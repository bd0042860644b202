import CoreData
import Foundation

/// A fetch from a store of a program. The context filters and sorts where the store prefers that, and where it has
/// unsaved changes.
struct CustomFetch<T: PersistentModel> {
    let descriptor: FetchDescriptor<T>
    let rows: CustomRows
    let context: ModelContext

    private var managed: ManagedContext { context.managed }

    /// Whether the context has changes that count.
    private var hasChanges: Bool { descriptor.includePendingChanges && managed.hasChanges }

    /// The descriptor without what the store leaves to the context. The context then counts offset and limit as well.
    private func asking(withCondition: Bool, withOrder: Bool) -> FetchDescriptor<T> {
        if withCondition, withOrder { return descriptor }
        var asked = descriptor
        if !withCondition { asked.predicate = nil }
        if !withOrder { asked.sortBy = [] }
        (asked.fetchLimit, asked.fetchOffset) = (nil, nil)
        return asked
    }

    /// The models of the fetch.
    ///
    /// - Throws: An error that names what is wrong with the store's answer.
    func models() throws -> [T] {
        let isWhole = !hasChanges
        var (withCondition, withOrder) = (isWhole || descriptor.predicate == nil, isWhole)
        while true {
            do {
                let asked = asking(withCondition: withCondition, withOrder: withOrder)
                let entity = try entity
                let (ids, changed) = try rows.serialized {
                    try rows.take(try rows.adapter.fetch(asked, context.editingState), expecting: entity)
                }
                refresh(changed)
                return try models(ids, isFiltered: withCondition, isSorted: withOrder)
            } catch DataStoreError.preferInMemoryFilter where withCondition && descriptor.predicate != nil {
                withCondition = false
            } catch DataStoreError.preferInMemorySort where withOrder && !descriptor.sortBy.isEmpty {
                withOrder = false
            }
        }
    }

    /// Lets models show what the store has changed.
    private func refresh(_ changed: Set<NSManagedObjectID>) {
        for id in changed {
            guard let object = managed.registeredObject(for: id), !object.hasChanges else { continue }
            managed.refresh(object, mergeChanges: true)
        }
    }

    private func models(_ ids: [NSManagedObjectID], isFiltered: Bool, isSorted: Bool) throws -> [T] {
        if context.hasOtherValues(for: descriptor) {
            return try context.withStoredValues { stored in
                try chosen(ids.map { stored.object(with: $0) }, isFiltered, isSorted)
                    .map { ModelFetch<T>.model(managed.object(with: $0.presentCore.objectID)) }
            }
        }
        let entity = try entity
        var objects = ids.map { managed.object(with: $0) }
        if descriptor.includePendingChanges {
            objects.removeAll { $0.isDeleted }
            let new = managed.insertedObjects.filter { $0.entity.isKindOf(entity: entity) }
            objects += new.sorted { PersistentIdentifier($0.objectID) < PersistentIdentifier($1.objectID) }
        }
        return try chosen(objects, isFiltered, isSorted)
    }

    /// The models of the fetch among objects.
    private func chosen(_ objects: [NSManagedObject], _ isFiltered: Bool, _ isSorted: Bool) throws -> [T] {
        let evaluation = try ModelFetch(evaluating: descriptor, in: context)
        let all = objects.map { ModelFetch<T>.model($0) }
        if isFiltered, isSorted, !hasChanges { return try checked(all, evaluation) }
        if isFiltered, !hasChanges { try checkCondition(all, evaluation) }
        let holding = isFiltered && !hasChanges ? all : try all.filter(evaluation.holds)
        let sorted = isSorted && !hasChanges ? holding : evaluation.sorted(holding)
        return Array(evaluation.cut(sorted))
    }

    private var entity: NSEntityDescription {
        get throws {
            guard let type = context.parts.managed.types[ObjectIdentifier(T.self)] else {
                throw SwiftDataError.unknownSchema.because("the container has no class \(String(reflecting: T.self))")
            }
            return type.entity
        }
    }

    // MARK: What the store has taken over

    private func checked(_ models: [T], _ evaluation: ModelFetch<T>) throws -> [T] {
        try checkCondition(models, evaluation)
        let limit = descriptor.fetchLimit ?? 0
        if limit > 0, models.count > limit {
            throw rows.fault(
                "returned \(models.count) models for a fetch of '\(T.self)' whose limit is \(limit)")
        }
        if evaluation.isSorted(models) { return models }
        if limit > 0 || descriptor.fetchOffset ?? 0 > 0 {
            throw rows.fault("returned models for a fetch of '\(T.self)' in another order than that of the request")
        }
        return evaluation.sorted(models)
    }

    private func checkCondition(_ models: [T], _ evaluation: ModelFetch<T>) throws {
        guard descriptor.predicate != nil else { return }
        for model in models where !model.hasChanges {
            // A condition that only the store can evaluate is the store's matter.
            guard let holds = try? evaluation.holds(for: model) else { continue }
            if !holds {
                throw rows.fault(
                    "returned \(model.persistentModelID) for a fetch of '\(T.self)' whose predicate does not hold for "
                        + "it: \(evaluation.conditionText)")
            }
        }
    }

    // MARK: Numbers and identifiers

    /// The number of models.
    func count() throws -> Int {
        if hasChanges { return try models().count }
        do {
            let count = try rows.adapter.count(descriptor, context.editingState)
            guard count >= 0 else { throw rows.fault("counted \(count) models of '\(T.self)'") }
            return count
        } catch let error as DataStoreError where error.isPreference {
            return try models().count
        }
    }

    /// The identifiers of the models.
    func identifiers() throws -> [PersistentIdentifier] {
        if hasChanges { return try models().map(\.persistentModelID) }
        do {
            var known: Set<NSManagedObjectID> = []
            let entity = try entity
            return try rows.serialized {
                try rows.adapter.identifiers(descriptor, context.editingState).map { identifier in
                    let id = try rows.objectID(of: identifier, expecting: entity, "for a fetch of identifiers")
                    guard known.insert(id).inserted else {
                        throw rows.fault("returned \(identifier) twice for a fetch of identifiers of '\(T.self)'")
                    }
                    return PersistentIdentifier(id)
                }
            }
        } catch let error as DataStoreError where error.isPreference {
            return try models().map(\.persistentModelID)
        }
    }
}

extension DataStoreError {
    /// Whether the context has to do a part of the fetch.
    fileprivate var isPreference: Bool { self == .preferInMemoryFilter || self == .preferInMemorySort }
}

extension ModelContext {
    /// A fetch of a class whose store a program has written; nil for other classes.
    func customFetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> CustomFetch<T>? {
        if parts.customRows.isEmpty { return nil }
        try modelType(of: T.self)
        guard let rows = parts.customRows[Schema.entityName(for: T.self)] else { return nil }
        mergeCommits()
        applyCollectedDeletions()
        return CustomFetch(descriptor: descriptor, rows: rows, context: self)
    }

    /// Takes over what stores of programs have changed in a save.
    func takeReregistered() {
        for rows in Set(parts.customRows.values) {
            for id in rows.takeReregistered() {
                guard let object = managed.registeredObject(for: id) else { continue }
                managed.refresh(object, mergeChanges: true)
            }
        }
    }

    /// Notifies stores of programs that the context begins or ends.
    func notifyCustomStores(_ notify: (any CustomStoreAdapter) -> Void) {
        for rows in Set(parts.customRows.values) { notify(rows.adapter) }
    }

    // MARK: History

    /// The transactions of the stores of programs that have such ones.
    func customHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
        let found = try Set(parts.customRows.values).compactMap { try $0.adapter.history(descriptor) }
        guard !found.isEmpty else { throw withoutHistory(T.self) }
        if found.count == 1 { return found[0] }
        // The stores know nothing of each other.
        var all = found.flatMap { $0 }
        all.sort { $0.timestamp < $1.timestamp }
        if !descriptor.sortBy.isEmpty { all.sort(using: descriptor.sortBy) }
        return descriptor.fetchLimit > 0 ? Array(all.prefix(Int(clamping: descriptor.fetchLimit))) : all
    }

    /// Deletes transactions of the stores of programs that have such ones.
    func deleteCustomHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws {
        let results = try Set(parts.customRows.values).map { try $0.adapter.deleteHistory(descriptor) }
        guard results.contains(true) else { throw withoutHistory(T.self) }
    }

    private func withoutHistory(_ type: any Any.Type) -> SwiftDataError {
        .invalidTransactionFetchRequest.because("the stores of the container have no transactions of the type \(type)")
    }
}
