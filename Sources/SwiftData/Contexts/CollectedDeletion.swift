import CoreData
import Foundation

/// Models that a deletion by class has found, which no object stands for. The next save removes them by one statement,
/// if it has nothing else to write.
struct CollectedDeletion {
    let ids: [NSManagedObjectID]
    /// The statement of a program's store; nil for the framework's own stores.
    var statement: (() throws -> Void)?
}

extension ModelContext {
    /// Marks models so that the next save removes them.
    ///
    /// The models are those that the condition has at the call. If a delete rule or a model in memory has to follow,
    /// each is deleted as by ``delete(_:)``. Otherwise the save removes the rows by one statement.
    ///
    /// - Parameters:
    ///   - model: The class.
    ///   - predicate: The condition; nil for all models.
    ///   - includeSubclasses: Whether models of subclasses count.
    /// - Throws: An error of the fetch.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/delete(model:where:includesubclasses:))
    public func delete<T: PersistentModel>(
        model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
    ) throws {
        try using {
            if let fetch = try customFetch(FetchDescriptor<T>(predicate: predicate)) {
                return try delete(fetch, includeSubclasses)
            }
            let fetch = try modelFetch(FetchDescriptor<T>(predicate: predicate))
            try fetch.endsWithTask { try delete(fetch, includeSubclasses) }
        }
    }

    private func delete<T: PersistentModel>(_ fetch: ModelFetch<T>, _ includesSubclasses: Bool) throws {
        if fetch.isOfStore, canDeleteByStatement(T.self, includesSubclasses) {
            let request = try idRequest(fetch)
            request.includesSubentities = includesSubclasses
            let ids = try managed.fetch(request)
            if ids.isEmpty { return }
            if !ids.contains(where: { managed.registeredObject(for: $0) != nil }) {
                collected.append(CollectedDeletion(ids: ids))
                return noteChange()
            }
        }
        let request = try request(fetch)
        request.includesSubentities = includesSubclasses
        let objects = try ModelFetch<T>.objects(request, in: managed)
        let found = fetch.isOfStore ? Array(objects) : try fetch.places(in: objects).map { objects[$0] }
        for object in found { delete(unsafeDowncast(object, to: _ModelCore.self)) }
        managed.processPendingChanges()
    }

    /// Marks the models of a fetch from a program's store, or notes its statement.
    private func delete<T: PersistentModel>(_ fetch: CustomFetch<T>, _ includesSubclasses: Bool) throws {
        let rows = fetch.rows
        if rows.adapter.isBatching, !managed.hasChanges, undoManager == nil, transactionDepth == 0,
            let entity = parts.managed.types[ObjectIdentifier(T.self)]?.entity,
            isWithoutRules(entity, includesSubclasses)
        {
            let ids = try fetch.identifiers().compactMap(\.objectID)
                .filter { includesSubclasses || $0.entity === entity }
            if ids.isEmpty { return }
            if !ids.contains(where: { managed.registeredObject(for: $0) != nil }) {
                let request = DataStoreBatchDeleteRequest<T>(
                    predicate: fetch.descriptor.predicate, includeSubclasses: includesSubclasses,
                    editingState: editingState)
                let statement = {
                    try rows.adapter.delete(request)
                    rows.forget(ids)
                }
                collected.append(CollectedDeletion(ids: ids, statement: statement))
                return noteChange()
            }
        }
        for model in try fetch.models() where includesSubclasses || type(of: model) == T.self {
            delete(model.presentCore)
        }
        managed.processPendingChanges()
    }

    /// Whether the rows of a class can go without a look at other rows: no rule reaches these, nothing is unsaved, and
    /// the store has statements.
    private func canDeleteByStatement<T: PersistentModel>(_ type: T.Type, _ includesSubclasses: Bool) -> Bool {
        guard parts.remoteCommits != nil, !managed.hasChanges, undoManager == nil, transactionDepth == 0,
            parts.configurations.allSatisfy({ !$0.isStoredInMemoryOnly }),
            let entity = parts.managed.types[ObjectIdentifier(type)]?.entity
        else { return false }
        return isWithoutRules(entity, includesSubclasses)
    }

    private func isWithoutRules(_ entity: NSEntityDescription, _ includesSubclasses: Bool) -> Bool {
        let leadsAlone = entity.relationshipsByName.values.allSatisfy { relationship in
            // The row itself has the link, and no other row has to change.
            !relationship.isToMany && [.nullifyDeleteRule, .noActionDeleteRule].contains(relationship.deleteRule)
                && relationship.inverseRelationship.map { $0.isToMany && $0.minCount == 0 } ?? true
        }
        return leadsAlone && !isReferredTo(entity)
            && (!includesSubclasses || entity.subentities.allSatisfy { isWithoutRules($0, true) })
    }

    /// Whether a relationship without an inverse leads to an entity.
    private func isReferredTo(_ entity: NSEntityDescription) -> Bool {
        parts.managed.model.entities.contains { other in
            other.relationshipsByName.values.contains { relationship in
                relationship.inverseRelationship == nil
                    && relationship.destinationEntity.map { $0.isKindOf(entity: entity) || entity.isKindOf(entity: $0) }
                        ?? false
            }
        }
    }

    /// Makes ordinary deletions of the collected ones, before anything else is done in the context.
    func applyCollectedDeletions() {
        let all = collected
        collected = []
        for deletion in all {
            for id in deletion.ids {
                guard let object = try? managed.existingObject(with: id) as? _ModelCore else { continue }
                delete(object)
            }
        }
    }

    /// Removes the collected rows by statements, if the save has nothing else to write.
    ///
    /// - Returns: The ids of the rows; nil if the save has to go object by object.
    func executeCollectedDeletions() throws -> [NSManagedObjectID]? {
        let ids = collected.flatMap(\.ids)
        if ids.isEmpty { return nil }
        guard collected.count == 1, !managed.hasChanges,
            !ids.contains(where: { managed.registeredObject(for: $0) != nil })
        else {
            applyCollectedDeletions()
            return nil
        }
        if let statement = collected[0].statement {
            try statement()
            collected = []
            return ids
        }
        let request = NSBatchDeleteRequest(objectIDs: ids)
        request.resultType = .resultTypeObjectIDs
        let result = try managed.execute(request) as? NSBatchDeleteResult
        collected = []
        parts.remoteCommits?.look()
        return result?.result as? [NSManagedObjectID] ?? ids
    }
}
