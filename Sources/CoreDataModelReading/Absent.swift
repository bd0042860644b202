// The sources that this module shares with the framework name types whose sources it does not share: a model has fetch
// requests, and a request names its context. Here these types are little more than names. Reading and writing models
// needs no objects, so nothing makes a context or asks for a layout.

/// An object of an entity.
public class NSManagedObject {
    init() {}
}

/// The store that a request concerns.
public class NSPersistentStore {
    private init() {}
}

/// What comes of a request.
public class NSPersistentStoreResult {
    private init() {}
}

/// What executes a request.
public class NSManagedObjectContext {
    private init() {}
}

protocol RequestExecutor: NSManagedObjectContext {
    func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T]
    func wrappedResult<ResultType>(of request: NSFetchRequest<ResultType>) throws -> NSPersistentStoreResult
    func answers(ofObjectStoresTo request: NSPersistentStoreRequest) throws -> [Any]?

    static var innermostHeld: (any RequestExecutor)? { get }
}

extension NSManagedObjectContext: RequestExecutor, ContextOfEntities {
    static var innermostHeld: (any RequestExecutor)? { nil }

    func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] { throw CocoaError(.featureUnsupported) }

    func wrappedResult<ResultType>(of request: NSFetchRequest<ResultType>) throws -> NSPersistentStoreResult {
        throw CocoaError(.featureUnsupported)
    }

    func answers(ofObjectStoresTo request: NSPersistentStoreRequest) throws -> [Any]? { nil }

    func entityOfModel(named name: String) -> NSEntityDescription? { nil }

    func insertObject(ofEntityNamed name: String) -> NSManagedObject { NSManagedObject() }
}

/// The layout of a model's rows.
final class ModelLayout {
    init(model: NSManagedObjectModel) {}
}

/// The models of coordinators, whose classes ask for their entities.
enum ModelsInUse {
    static func add(_ model: NSManagedObjectModel) {}
}

/// The search for a mapping model among those of bundles.
struct MappingModelCandidates {
    init(in bundles: [Bundle]?) {}

    func mapping(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) -> NSMappingModel? { nil }
}

/// The mapping model that follows from two models.
struct MappingInference {
    init(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) {}

    func mappingModel() throws -> NSMappingModel { throw CocoaError(.featureUnsupported) }
}
