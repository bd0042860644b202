import CoreData
import Foundation

extension ModelContext {
    /// Returns models.
    ///
    /// - Parameter descriptor: The condition and the order.
    /// - Returns: The models.
    /// - Throws: `SwiftDataError` for a condition or an order that cannot be used, and the errors of a store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/fetch(_:))
    @inlinable
    public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
        // Generic code looks up each type that it uses. Inlined in a program, this code knows the types.
        if let condition = descriptor.onlyCondition,
            let objects = try objects(T.self, condition, descriptor.limits)
        {
            return models(objects)
        }
        return try fetchInStages(descriptor)
    }

    @usableFromInline
    func fetchInStages<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
        try using("fetch(_:)") {
            if let fetch = try customFetch(descriptor) { return try fetch.models() }
            let fetch = try modelFetch(descriptor)
            return try fetch.endsWithTask {
                guard fetch.isOfStore else { return try evaluatedModels(fetch) }
                let request = try request(fetch)
                request.returnsObjectsAsFaults = false
                return models(try managed.fetch(request))
            }
        }
    }

    /// The models of objects. A loop, because `map` is not specialised for a class that is known at run time alone.
    @usableFromInline
    func models<T: PersistentModel>(_ objects: [NSManagedObject]) -> [T] {
        // The closure would ask the runtime for the type of an array of models at each model.
        var models: [AnyObject] = []
        models.reserveCapacity(objects.count)
        objects.eachAhead { models.append(unsafeDowncast($0, to: _ModelCore.self).model(as: T.self)) }
        // An array of any class is one pointer to a buffer of references, and each of these is a `T`.
        return unsafeBitCast(models, to: [T].self)
    }

    /// Returns the number of models.
    ///
    /// - Parameter descriptor: The condition.
    /// - Returns: The number.
    /// - Throws: As ``fetch(_:)``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/fetchcount(_:))
    public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
        try using {
            if let fetch = try customFetch(descriptor) { return try fetch.count() }
            if let condition = descriptor.onlyCondition,
                let request = try request(T.self, condition, descriptor.limits)
            {
                return try managed.count(for: request)
            }
            let fetch = try modelFetch(descriptor)
            return try fetch.endsWithTask {
                guard fetch.isOfStore else {
                    if let objects = try objectsByStoredValues(fetch) { return objects.count }
                    return try fetch.places(in: try ModelFetch<T>.objects(try request(fetch), in: managed)).count
                }
                return try managed.count(for: try request(fetch))
            }
        }
    }

    /// Returns the identifiers of models, without reading them.
    ///
    /// - Parameter descriptor: The condition and the order.
    /// - Returns: The identifiers.
    /// - Throws: As ``fetch(_:)``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/fetchidentifiers(_:))
    public func fetchIdentifiers<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier]
    {
        try using {
            if let fetch = try customFetch(descriptor) { return try fetch.identifiers() }
            let fetch = try modelFetch(descriptor)
            return try fetch.endsWithTask {
                guard fetch.isOfStore else { return try evaluatedModels(fetch).map(\.persistentModelID) }
                applyCollectedDeletions()
                return try managed.fetch(try idRequest(fetch)).map { object in
                    // A program gets the temporary ids of new models.
                    if object.isTemporaryID, let core = managed.registeredObject(for: object) as? _ModelCore {
                        return PersistentIdentifier(core.givenID)
                    }
                    return PersistentIdentifier(object)
                }
            }
        }
    }

    /// Returns the model of an identifier, which is read when it is used.
    ///
    /// - Parameter persistentModelID: The identifier, of the container's classes.
    /// - Returns: The model. If no store has it, the first read of a property stops the process.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/model(for:))
    public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
        using {
            mergeCommits(isBrief: true)
            guard let id = objectID(of: persistentModelID),
                let core = managed.object(with: id) as? _ModelCore
            else { fatalError("The container has no store of \(persistentModelID)") }
            return core.modelType.typed(core.model)
        }
    }

    /// Returns the model of an identifier, if the context has it. No store is read.
    ///
    /// - Parameter persistentModelID: The identifier.
    /// - Returns: The model, or nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/registeredmodel(for:))
    public func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T? {
        objectID(of: persistentModelID).flatMap { managed.registeredObject(for: $0) as? _ModelCore }?.model as? T
    }

    /// Returns the model of an identifier, if a store has it.
    func existingModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier, as type: T.Type) -> T? {
        using {
            mergeCommits()
            guard let id = objectID(of: persistentModelID) else { return nil }
            return ((try? managed.existingObject(with: id)) as? _ModelCore)?.model as? T
        }
    }

    private func objectID(of identifier: PersistentIdentifier) -> NSManagedObjectID? {
        container.objectID(of: identifier)
    }

    // MARK: Requests

    /// The objects of a fetch whose condition compares properties with values; nil for any other fetch, and for models
    /// in a store of the program.
    @usableFromInline
    func objects(
        _ type: any PersistentModel.Type, _ condition: any PredicateExpression<Bool>, _ limits: FetchLimits
    ) throws -> [NSManagedObject]? {
        try using("fetch(_:)") {
            guard let request = try request(type, condition, limits) else { return nil }
            return try managed.fetch(request)
        }
    }

    /// The request for the objects of a condition that compares properties with values; nil for any other condition.
    /// What other contexts and processes have saved is merged first. A fetch without the stages takes a fifth less
    /// time.
    private func request(
        _ type: any PersistentModel.Type, _ condition: any PredicateExpression<Bool>, _ limits: FetchLimits
    ) throws -> NSFetchRequest<NSManagedObject>? {
        guard parts.customRows.isEmpty, let predicate = PropertyComparisons.predicate(of: condition) else { return nil }
        mergeCommits()
        let entity = try modelType(of: type).entity
        applyCollectedDeletions()
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
        request.predicate = predicate
        // Programs read the models that they fetch.
        request.returnsObjectsAsFaults = false
        if let limit = limits.fetchLimit { request.fetchLimit = limit }
        if let offset = limits.fetchOffset { request.fetchOffset = offset }
        if !limits.includePendingChanges { request.includesPendingChanges = false }
        return request
    }

    /// The stages of a fetch, after what other contexts and processes have saved is merged.
    func modelFetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> ModelFetch<T> {
        mergeCommits()
        try modelType(of: T.self)
        return try ModelFetch(descriptor, in: self)
    }

    /// What the container knows of a class.
    ///
    /// - Throws: `SwiftDataError.unknownSchema` for a class that the container does not have.
    @discardableResult
    func modelType(of type: any PersistentModel.Type) throws -> ModelType {
        if let known = container.managed.types[ObjectIdentifier(type)] { return known }
        let known = container.schema.entitiesByName[Schema.entityName(for: type)]?.type
        throw SwiftDataError.unknownSchema.because(
            "the container has no class \(String(reflecting: type))"
                + (known.map { "; its class of that name is \(String(reflecting: $0))" } ?? ""))
    }

    func request<T: PersistentModel>(_ fetch: ModelFetch<T>) throws -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: Schema.entityName(for: T.self))
        applyCollectedDeletions()
        try fill(request, by: fetch)
        return request
    }

    /// The request for the ids of models. Deletions that were collected before do not count.
    func idRequest<T: PersistentModel>(_ fetch: ModelFetch<T>) throws -> NSFetchRequest<NSManagedObjectID> {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: Schema.entityName(for: T.self))
        try fill(request, by: fetch)
        request.resultType = .managedObjectIDResultType
        return request
    }

    /// The models of a fetch of which the program evaluates a part.
    private func evaluatedModels<T: PersistentModel>(_ fetch: ModelFetch<T>) throws -> [T] {
        if let objects = try objectsByStoredValues(fetch) { return objects.map { ModelFetch<T>.model($0) } }
        let objects = try ModelFetch<T>.objects(try request(fetch), in: managed)
        return try fetch.places(in: objects).map { ModelFetch<T>.model(objects[$0]) }
    }

    private func fill<T: PersistentModel, Result>(
        _ request: NSFetchRequest<Result>, by fetch: ModelFetch<T>
    ) throws {
        fetch.fill(request)
        // Each of these costs a part of a fetch of one model, so what is not asked for is left out.
        if !fetch.descriptor.includePendingChanges { request.includesPendingChanges = false }
        if fetch.descriptor.relationshipKeyPathsForPrefetching.isEmpty { return }
        request.relationshipKeyPathsForPrefetching = try fetch.descriptor.relationshipKeyPathsForPrefetching.map {
            guard let name = ModelKeyPaths.keys(of: $0) else {
                throw SwiftDataError.unsupportedKeyPath.because("\($0)")
            }
            return name
        }
    }
}
