// Implementation notes: CustomStores.
//
// - A store of a program is an incremental store for the framework (`CustomRows`). Snapshots become its nodes, and the
//   keys of the store's identifiers its reference objects.
// - A context asks the store by `CustomFetch`, with the descriptor. Requests of the framework itself fetch all models
//   of the class, and are evaluated here.
// - The store gives a new model its identifier in the save. Until then its object id has a provisional reference, which
//   the save replaces: the id stays the same object.
// - Everything that a store returns is checked before it comes into a context: classes, identifiers, types of values,
//   and whether the condition holds that the store has taken over.

import CoreData
import Foundation
import Synchronization

/// A store of a program as an incremental store.
final class CustomRows: NSIncrementalStore, @unchecked Sendable {  // `state` is used under its lock
    private static let storeType = "SwiftDataCustomStore"
    private static let adapterKey = "SwiftDataCustomStoreAdapter"
    private static let registration: Void = NSPersistentStoreCoordinator.registerStoreClass(
        CustomRows.self, forStoreType: storeType)
    private static let isUsed = Atomic(false)

    /// Whether the process has made such a store.
    static var areInUse: Bool { isUsed.load(ordering: .acquiring) }

    /// The store of an object id, if a program has written it.
    static func of(_ id: NSManagedObjectID) -> CustomRows? {
        guard areInUse, !id.isTemporaryID else { return nil }
        return id.persistentStore as? CustomRows
    }

    /// The values of a model as the store has them.
    private struct Row {
        var node: NSIncrementalStoreNode
        var values: [String: Any]
        var members: [String: [NSManagedObjectID]]
        /// Whether the store has changed the values beside the contexts.
        var hasChanged = false
    }

    private struct State {
        var rows: [NSManagedObjectID: Row] = [:]
        /// The places of new models among all, until the save gives them their identifiers.
        var provisional: [NSManagedObjectID: Int] = [:]
        var count = 0
        /// The rows that a save has changed on the way.
        var reregistered: [NSManagedObjectID] = []
    }

    private let state = Locked(State())
    let adapter: any CustomStoreAdapter
    /// Calls and what follows from them happen one after the other.
    private let lock = NSRecursiveLock()

    /// Adds the store of an adapter to a coordinator.
    static func add(
        _ adapter: any CustomStoreAdapter, to coordinator: NSPersistentStoreCoordinator, configuration: String?
    ) throws -> CustomRows {
        registration
        isUsed.store(true, ordering: .releasing)
        guard let place = URL(string: "swiftdata-store:///\(UUID().uuidString)"),
            let rows = try coordinator.addPersistentStore(
                ofType: storeType, configurationName: configuration, at: place, options: [adapterKey: adapter])
                as? CustomRows
        else { throw CustomStoreFault.store(adapter.name, "cannot be added to the container") }
        return rows
    }

    override init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        guard let adapter = options?[Self.adapterKey] as? any CustomStoreAdapter else {
            // This initialiser cannot throw, and only a program that names the private type comes here.
            fatalError("A store of the type \(Self.storeType) is added by ModelContainer alone")
        }
        self.adapter = adapter
        super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    }

    override func loadMetadata() throws {
        metadata = [NSStoreUUIDKey: adapter.identifier, NSStoreTypeKey: Self.storeType]
    }

    private func state(of context: NSManagedObjectContext?) -> EditingState {
        if let known = (context as? ManagedContext)?.modelContext?.editingState { return known }
        return EditingState(of: context ?? self, author: context?.transactionAuthor)
    }

    private func modelType(of entity: NSEntityDescription) throws -> ModelType {
        guard let type = entity.representation as? ModelType else {
            throw fault("has no class for the entity '\(entity.name ?? "")'")
        }
        return type
    }

    func fault(_ text: String) -> SwiftDataError { CustomStoreFault.store(adapter.name, text) }

    // MARK: Identifiers

    /// The identifier of an object id of this store.
    func text(of id: NSManagedObjectID) -> PersistentIdentifier.Text {
        let isProvisional = state.withLock { $0.provisional[id] != nil }
        return PersistentIdentifier.Text(
            storeIdentifier: isProvisional ? nil : adapter.identifier, entityName: id.entity.name ?? "",
            primaryKey: (isProvisional ? "t" : "p") + "\(referenceObject(for: id))", isTemporary: isProvisional)
    }

    /// The object id of an identifier; nil if the container has no such class.
    func objectID(of text: PersistentIdentifier.Text) -> NSManagedObjectID? {
        guard let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[text.entityName] else {
            return nil
        }
        return newObjectID(for: entity, referenceObject: String(text.primaryKey.dropFirst()))
    }

    /// The object id of an identifier that the store has returned.
    ///
    /// - Throws: An error that names the identifier, if it is of another store, another class or a new model.
    func objectID(
        of identifier: PersistentIdentifier, expecting entity: NSEntityDescription, includesSubclasses: Bool = true,
        _ place: @autoclosure () -> String
    ) throws -> NSManagedObjectID {
        let text = identifier.text
        guard let found = persistentStoreCoordinator?.managedObjectModel.entitiesByName[text.entityName],
            includesSubclasses ? found.isKindOf(entity: entity) : found === entity
        else {
            throw fault("returned \(identifier) of the class '\(text.entityName)' \(place()) of '\(entity.name ?? "")'")
        }
        guard text.storeIdentifier == adapter.identifier, !text.isTemporary else {
            throw fault(
                "returned \(identifier) \(place()) of '\(entity.name ?? "")', which is "
                    + (text.isTemporary
                        ? "the identifier of a new model" : "of the store “\(text.storeIdentifier ?? "")”"))
        }
        return newObjectID(for: found, referenceObject: String(text.primaryKey.dropFirst()))
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { object in
            let id = newObjectID(for: object.entity, referenceObject: UUID().uuidString)
            state.withLock { state in
                state.count += 1
                state.provisional[id] = state.count
            }
            return id
        }
    }

    // MARK: Fetching

    /// Calls the store and takes over what it returns, while no save gives new models their identifiers.
    func serialized<Result>(_ body: () throws -> Result) rethrows -> Result { try lock.withLock(body) }

    /// Takes over what the store has returned for a class.
    ///
    /// - Returns: The object ids in their order, and those whose rows the store has changed.
    func take(
        _ found: (fetched: [DefaultSnapshot], related: [DefaultSnapshot]), expecting entity: NSEntityDescription,
        includesSubclasses: Bool = true
    ) throws -> (ids: [NSManagedObjectID], changed: Set<NSManagedObjectID>) {
        var (ids, known): ([NSManagedObjectID], Set<NSManagedObjectID>) = ([], [])
        var changed: Set<NSManagedObjectID> = []
        for snapshot in found.fetched {
            let identifier = snapshot.persistentIdentifier
            let id = try objectID(
                of: identifier, expecting: entity, includesSubclasses: includesSubclasses, "for a fetch")
            guard known.insert(id).inserted else {
                throw fault("returned \(identifier) twice for a fetch of '\(entity.name ?? "")'")
            }
            ids.append(id)
            if try note(snapshot, id) { changed.insert(id) }
        }
        for snapshot in found.related {
            let entity = try self.entity(of: snapshot)
            let id = try objectID(of: snapshot.persistentIdentifier, expecting: entity, "as a related model")
            if try note(snapshot, id) { changed.insert(id) }
        }
        return (ids, changed)
    }

    private func entity(of snapshot: DefaultSnapshot) throws -> NSEntityDescription {
        let identifier = snapshot.persistentIdentifier
        guard let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[identifier.entityName] else {
            throw fault("returned \(identifier) of a class that the container does not have")
        }
        return entity
    }

    /// Notes the values of a model.
    ///
    /// - Returns: Whether the store has changed them beside the contexts.
    private func note(_ snapshot: DefaultSnapshot, _ id: NSManagedObjectID) throws -> Bool {
        let (values, members) = try converted(snapshot, id)
        return state.withLock { state in
            if var row = state.rows[id] {
                if NSDictionary(dictionary: row.values).isEqual(to: values), row.members == members {
                    return row.hasChanged
                }
                row.node.update(withValues: values, version: row.node.version + 1)
                (row.values, row.members, row.hasChanged) = (values, members, true)
                state.rows[id] = row
                return true
            }
            state.rows[id] = Row(
                node: NSIncrementalStoreNode(objectID: id, withValues: values, version: 1), values: values,
                members: members)
            return false
        }
    }

    /// The values of a snapshot in the form of the framework.
    private func converted(
        _ snapshot: DefaultSnapshot, _ id: NSManagedObjectID
    ) throws -> (values: [String: Any], members: [String: [NSManagedObjectID]]) {
        let type = try modelType(of: id.entity)
        let identifier = snapshot.persistentIdentifier
        let core = type.makeCore()
        var (values, members): ([String: Any], [String: [NSManagedObjectID]]) = ([:], [:])
        for property in SnapshotPlan.of(type).properties {
            let given: Any? = snapshot.values[property.name] ?? property.defaultValue
            if let relationship = id.entity.relationshipsByName[property.name] {
                let value = snapshot.values[property.name]
                let many = (value as? PersistentIdentifier).map { [$0] } ?? value as? [PersistentIdentifier] ?? []
                let ids = try many.map { other in
                    try objectID(
                        of: other, expecting: relationship.destinationEntity ?? id.entity,
                        "for the relationship '\(property.name)' of \(identifier), a list")
                }
                if relationship.isToMany {
                    members[property.name] = ids
                } else {
                    values[property.name] = ids.first ?? NSNull()
                }
                continue
            }
            guard let given else {
                if property.isOptional { continue }
                throw fault("returned \(identifier) without a value for '\(property.name)'")
            }
            guard property.write(given, to: core) else {
                throw fault(
                    "returned \(identifier) with a \(Swift.type(of: given)) for '\(property.name)', which is a "
                        + "\(property.valueType)")
            }
            values[property.name] = core.value(forKey: property.name)
        }
        return (values, members)
    }

    /// Fetches all models of a class, for a request that comes from the framework.
    private func all(_ entity: NSEntityDescription, _ includesSubentities: Bool, _ state: EditingState) throws
        -> [NSManagedObjectID]
    {
        func fetch<T: PersistentModel>(_ type: T.Type) throws -> [NSManagedObjectID] {
            try take(
                try adapter.fetch(FetchDescriptor<T>(), state), expecting: entity
            ).ids.filter { includesSubentities || $0.entity === entity }
        }
        return try lock.withLock { try fetch(try modelType(of: entity).type) }
    }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        if let save = request as? NSSaveChangesRequest {
            try lock.withLock { try self.save(save, context) }
            return []
        }
        guard let fetch = request as? NSFetchRequest<NSFetchRequestResult>, let context,
            let name = fetch.entityName ?? fetch.entity?.name,
            let entity = context.persistentStoreCoordinator?.managedObjectModel.entitiesByName[name]
        else { throw DataStoreError.unsupportedFeature }
        var objects = try all(entity, fetch.includesSubentities, state(of: context)).map { context.object(with: $0) }
        if let predicate = fetch.predicate { objects = objects.filter { predicate.evaluate(with: $0) } }
        if let order = fetch.sortDescriptors, !order.isEmpty {
            objects.sort { one, other in
                let first = order.lazy.map { $0.compare(one, to: other) }.first { $0 != .orderedSame }
                return first == .orderedAscending
            }
        }
        objects = Array(objects.dropFirst(fetch.fetchOffset))
        if fetch.fetchLimit > 0 { objects = Array(objects.prefix(fetch.fetchLimit)) }
        switch fetch.resultType {
        case .managedObjectResultType: return objects
        case .managedObjectIDResultType: return objects.map(\.objectID)
        case .countResultType: return [NSNumber(value: objects.count)]
        default: throw DataStoreError.unsupportedFeature
        }
    }

    // MARK: Values

    private func row(of id: NSManagedObjectID, in context: NSManagedObjectContext?) throws -> Row {
        if let known = state.withLock({ $0.rows[id] }) { return known }
        return try lock.withLock {
            let editing = state(of: context)
            let identifier = PersistentIdentifier(id)
            if let cached = try adapter.cached(identifier, editing) {
                _ = try take(([cached], []), expecting: id.entity)
            } else {
                _ = try all(id.entity, true, editing)
            }
            guard let row = state.withLock({ $0.rows[id] }) else {
                throw NSError(
                    domain: NSCocoaErrorDomain, code: NSManagedObjectReferentialIntegrityError,
                    userInfo: [
                        NSLocalizedFailureReasonErrorKey: "The store “\(adapter.name)” has no \(identifier)."
                    ])
            }
            return row
        }
    }

    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode { try row(of: objectID, in: context).node }

    override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        let row = try row(of: objectID, in: context)
        if relationship.isToMany { return row.members[relationship.name] ?? [] }
        return row.values[relationship.name] ?? NSNull()
    }

    override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
        // The next reader asks the store for them again.
        state.withLock { state in
            for id in objectIDs where state.rows[id]?.hasChanged == false { state.rows[id] = nil }
        }
    }

    // MARK: Saving

    private func save(_ request: NSSaveChangesRequest, _ context: NSManagedObjectContext?) throws {
        let places = state.withLock { $0.provisional }
        func cores(_ objects: Set<NSManagedObject>?) -> [_ModelCore] {
            (objects ?? []).compactMap { $0 as? _ModelCore }.sorted { one, other in
                let (first, second) = (places[one.objectID] ?? 0, places[other.objectID] ?? 0)
                if first != second { return first < second }
                return PersistentIdentifier(one.objectID) < PersistentIdentifier(other.objectID)
            }
        }
        let changes = CustomStoreChanges(
            inserted: cores(request.insertedObjects), updated: cores(request.updatedObjects),
            deleted: cores(request.deletedObjects))
        let temporary = changes.inserted.map { PersistentIdentifier(inSnapshot: $0.objectID) }
        let result = try adapter.save(changes, state(of: context))
        try settle(Array(zip(changes.inserted, temporary)), result.permanent)
        state.withLock { state in
            for core in changes.deleted { state.rows[core.objectID] = nil }
        }
        // The next fetch shows what the store has made of them.
        for core in changes.inserted + changes.updated { try replace(DefaultSnapshot(of: core), core.objectID) }
        for snapshot in result.changed {
            let entity = try self.entity(of: snapshot)
            let id = try objectID(of: snapshot.persistentIdentifier, expecting: entity, "after a save")
            if try note(snapshot, id) { state.withLock { $0.reregistered.append(id) } }
        }
    }

    private func replace(_ snapshot: DefaultSnapshot, _ id: NSManagedObjectID) throws {
        state.withLock { $0.rows[id] = nil }
        _ = try note(snapshot, id)
    }

    /// Gives new objects the identifiers of the store.
    private func settle(
        _ inserted: [(core: _ModelCore, temporary: PersistentIdentifier)],
        _ permanent: [PersistentIdentifier: PersistentIdentifier]
    ) throws {
        for (core, temporary) in inserted where state.withLock({ $0.provisional[core.objectID] != nil }) {
            guard let identifier = permanent[temporary] else {
                throw fault("saved the new model \(temporary) and returned no permanent identifier for it")
            }
            let text = identifier.text
            guard text.entityName == core.entity.name, text.storeIdentifier == adapter.identifier, !text.isTemporary
            else { throw fault("returned \(identifier) as the permanent identifier of \(temporary)") }
            guard replaceReference(of: core.objectID, by: String(text.primaryKey.dropFirst())) else {
                throw fault("returned \(identifier) for the new model \(temporary); another model has this identifier")
            }
            state.withLock { $0.provisional[core.objectID] = nil }
        }
    }

    /// The rows that the last save has changed on the way.
    func takeReregistered() -> [NSManagedObjectID] {
        state.withLock { state in
            defer { state.reregistered = [] }
            return state.reregistered
        }
    }

    /// Forgets rows that the store has removed by a condition.
    func forget(_ ids: [NSManagedObjectID]) {
        state.withLock { state in
            for id in ids { state.rows[id] = nil }
        }
    }
}
