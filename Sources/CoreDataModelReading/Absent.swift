// Implementation notes: CoreDataModelReading.
//
// - A plugin's tool is also built for the host, with all its dependencies. So it does not depend on the framework. This
//   module is a fifth of the framework, the sources that read and write models, compiled once more under another name.
// - The folder has links to `Model/`, `ModelFiles/`, `Expressions/` and the files of mapping models, and this one file
//   of its own. It declares the types that those sources name and the tool never uses: a fetch request names its
//   context. So the tool reads, checks and writes with the same code as the framework.
// - A source that begins to name another type of the framework needs a link to that type, or a declaration of its name
//   here. Otherwise the build fails.
// - A true module below the framework would change the module of public types, by which programs and mangled names
//   identify them.
// - The tool could also do without models: it would put the XML into the bundle under the name of a `.mom`, and the
//   framework would parse it at every start. Then a damaged predicate, a missing inverse or an unknown entity would be
//   reported when the program runs, and not at its place in the build. The bundle would record no version hashes, and
//   Apple's tools could not read it.
// - Programs that link both modules (`coredata`, the tests) have two types of each name. No code looks up a class of
//   the second module by name. None of its sources chooses a symbol (`@_silgen_name`), which would then be defined
//   twice.

// The sources that this module shares with the framework name types whose sources it does not share: a model has fetch
// requests, and a request names its context. Here these types are little more than names. Reading and writing models
// needs no objects, so no code makes a context or reads a layout.

/// An object of an entity.
public class NSManagedObject {
    init() {}
}

/// The store that a request concerns.
public class NSPersistentStore {
    private init() {}
}

/// The result of a request.
public class NSPersistentStoreResult {
    private init() {}
}

/// The context that executes a request.
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

/// The models of coordinators, in which classes find their entities.
enum ModelsInUse {
    static func add(_ model: NSManagedObjectModel) {}
}

/// The search for a mapping model among those of bundles.
struct MappingModelCandidates {
    init(in bundles: [Bundle]?) {}

    func mapping(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) -> NSMappingModel? { nil }
}

/// The inference of a mapping model from two models.
struct MappingInference {
    init(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) {}

    func mappingModel() throws -> NSMappingModel { throw CocoaError(.featureUnsupported) }
}
