import CoreData
import Foundation

/// A store that a command reads: its address, its metadata, and the model that fits it.
package final class ResolvedStore {
    /// The place where a model was found.
    package enum ModelOrigin: Sendable, Equatable {
        /// In the store.
        case archived
        /// At a path on the command line; with the name of the version that fits.
        case given(String)
        /// Beside the store.
        case beside(String)
    }

    package let address: StoreAddress
    package let metadata: [String: Any]
    /// The model as it was found. A coordinator may be using it.
    package let model: NSManagedObjectModel
    package let origin: ModelOrigin

    package var url: URL { address.url }
    package var shown: String { address.shown }

    /// Reads metadata and model; opens no store.
    ///
    /// - Parameter model: the path of a model; with nil the model is the one in the store, or else one beside it.
    package init(_ text: String, model path: String? = nil) throws {
        address = try StoreAddress(text)
        metadata = try address.metadata()
        if let path {
            let file = try ModelArgument(path)
            guard let version = file.version(fitting: metadata) else {
                throw Self.unfit("\(path) has no version that \(address.shown) was written with", metadata, file)
            }
            model = version.model
            origin = .given(version.name)
            return
        }
        let archived = address.archivedModel()
        if let own = archived.model {
            model = own
            origin = .archived
        } else if let found = Self.modelBeside(address, metadata) {
            model = found.model
            origin = .beside(found.place)
        } else {
            throw ToolError.ofMissingModel(address.shown, damage: archived.damage)
        }
    }

    /// Creates the value for a store whose model the caller has.
    package init(_ url: URL, type: String, model: NSManagedObjectModel, shown: String) throws {
        address = StoreAddress(url: url, type: type, shown: shown)
        metadata = try address.metadata()
        self.model = model
        origin = .archived
    }

    private static func unfit(_ message: String, _ metadata: [String: Any], _ file: ModelArgument) -> ToolError {
        let wanted = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        let nearest = file.versions.map { version -> (name: String, different: [String]) in
            let has = version.model.entityVersionHashesByName
            return (version.name, Set(wanted.keys).union(has.keys).filter { wanted[$0] != has[$0] }.sorted())
        }.min { $0.different.count < $1.different.count }
        let details = nearest.map { nearest in
            let names = nearest.different.prefix(8).joined(separator: ", ") + (nearest.different.count > 8 ? ", …" : "")
            return ["The nearest, '\(nearest.name)', differs in \(names)."]
        }
        return ToolError(.unreadable, message, details: details ?? [])
    }

    /// A model in the store's folder, or in its parent folder, with a version that fits.
    private static func modelBeside(
        _ address: StoreAddress, _ metadata: [String: Any]
    ) -> (model: NSManagedObjectModel, place: String)? {
        guard address.url.isFileURL else { return nil }
        let folder = address.url.deletingLastPathComponent()
        for folder in [folder, folder.deletingLastPathComponent()] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            for name in names.sorted() where ModelArgument.isModel(name) {
                let url = folder.appendingPathComponent(name)
                if let version = try? ModelArgument(url: url).version(fitting: metadata) {
                    return (version.model, url.path)
                }
            }
        }
        return nil
    }

    /// A context over the store, which is opened read-only by default. Transformable values are read as the bytes that
    /// are in the store.
    ///
    /// - Parameters:
    ///   - given: options beside that of reading only.
    ///   - isFrugal: whether SQLite keeps few pages in memory, and sorts in files; for callers that read each row once,
    ///     however many there are.
    package func context(
        options given: [AnyHashable: Any] = [:], isFrugal: Bool = false, isReadOnly: Bool = true
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model.plain())
        var options = given
        options.merge(StoreAddress.readingOptions) { $1 }
        if !isReadOnly { options[NSReadOnlyPersistentStoreOption] = nil }
        if isFrugal, address.type == NSSQLiteStoreType {
            options[NSSQLitePragmasOption] = ["cache_size": "-4096", "temp_store": "FILE"]
        }
        do {
            _ = try coordinator.addPersistentStore(
                ofType: address.type, configurationName: nil, at: url, options: options)
        } catch {
            throw ToolError(error, at: shown)
        }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.undoManager = nil
        return context
    }

    /// A request for the objects of an entity without those of its subentities.
    package func ownObjects<Result: NSFetchRequestResult>(
        of entity: NSEntityDescription, _: Result.Type = NSManagedObject.self
    ) -> NSFetchRequest<Result> {
        let request = NSFetchRequest<Result>(entityName: entity.name ?? "")
        request.includesSubentities = false
        return request
    }

    /// The number of objects of an entity itself; an abstract entity has none. Call it on the context's queue.
    package func ownCount(of entity: NSEntityDescription, _ context: NSManagedObjectContext) throws -> Int {
        try entity.isAbstract ? 0 : reading { try context.count(for: ownObjects(of: entity)) }
    }

    /// The objects that have a value of an attribute in a missing file. The value reads as nil, while the row has the
    /// file's name. Call it on the context's queue.
    func objectsWithoutFile(
        _ objects: [NSManagedObject], attribute: NSAttributeDescription, entity: String,
        in context: NSManagedObjectContext
    ) throws -> [NSManagedObjectID] {
        guard address.isInTables else { return [] }
        let empty = objects.filter { $0.value(forKey: attribute.name) == nil }
        if empty.isEmpty { return [] }
        let request = NSFetchRequest<NSManagedObjectID>(entityName: entity)
        request.resultType = .managedObjectIDResultType
        request.predicate = NSPredicate(format: "SELF IN %@ AND %K != nil", empty.map(\.objectID), attribute.name)
        return try reading { try context.fetch(request) }.sorted(by: ObjectName.order)
    }

    /// Whether the store that a context reads keeps history.
    package func keepsHistory(_ context: NSManagedObjectContext) throws -> Bool {
        guard let coordinator = context.persistentStoreCoordinator, let file = coordinator.persistentStores.first else {
            return false
        }
        return try reading { try coordinator.inspect(file, for: .history).history != nil }
    }

    /// The facts of CloudKit's tables in the store that a context reads; nil if CloudKit does not mirror it.
    package func mirror(_ context: NSManagedObjectContext) throws -> StoreInspection.CloudMirror? {
        guard let coordinator = context.persistentStoreCoordinator, let file = coordinator.persistentStores.first else {
            return nil
        }
        return try reading { try coordinator.inspect(file, for: .mirror).mirror }
    }

    /// Runs a body that reads. Errors have the store's name.
    package func reading<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw ToolError(error, at: shown)
        }
    }

    /// Runs a body that requests objects from the store. A request that the store cannot answer is a wrong use.
    package func asking<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as NSError where error.domain == NSCocoaErrorDomain && error.code == NSCoreDataError {
            let text = error.untranslatablePart ?? error.localizedFailureReason ?? error.localizedDescription
            throw ToolError(.usage, "\(shown): the store cannot answer this: \(text)")
        } catch let error as NSError where error.userInfo[NSSQLiteErrorDomain] as? Int == 1 {
            let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
            if underlying?.domain == NSPOSIXErrorDomain, underlying?.code == Int(EOVERFLOW) {
                throw ToolError(.failed, "\(shown): a sum is too large for 64 bits")
            }
            // SQLite does not accept the statement, which was made of the caller's request.
            throw ToolError(.usage, "\(shown): the store cannot answer this: \(ToolError(error).message)")
        } catch {
            throw ToolError(error, at: shown)
        }
    }

    /// The entity of a name. An unknown name is an error that suggests the nearest one.
    package func entity(_ name: String) throws -> NSEntityDescription {
        if let entity = model.entitiesByName[name] { return entity }
        let names = model.entitiesByName.keys.sorted()
        if let same = names.first(where: { $0.lowercased() == name.lowercased() }),
            let entity = model.entitiesByName[same]
        {
            return entity
        }
        let nearest = NearestName.hint(name, among: names)
        throw ToolError(
            .usage, "\(shown) has no entity '\(name)'\(nearest)",
            details: names.count > 40 ? [] : ["It has \(names.joined(separator: ", "))."])
    }
}
