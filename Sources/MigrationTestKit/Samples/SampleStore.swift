import CoreData

/// Makes stores with sample objects of every entity of a model.
///
/// The objects have values for all kinds of attributes, and relationships of every cardinality. The same seed gives the
/// same objects.
public struct SampleStore {
    /// The number of objects of each entity that is not abstract.
    public var rowsPerEntity: Int
    /// The seed of all values.
    public var seed: UInt64
    /// The stored values of an attribute, by number, in place of those of its type.
    package var values: (_ entity: String, _ attribute: String) -> ((Int) -> Any?)? = { _, _ in nil }

    /// Makes a maker of stores.
    ///
    /// - Parameters:
    ///   - rowsPerEntity: The number of objects of each entity that is not abstract.
    ///   - seed: The seed of all values.
    public init(rowsPerEntity: Int = 20, seed: UInt64 = 1) {
        self.rowsPerEntity = rowsPerEntity
        self.seed = seed
    }

    /// Makes a store, or adds objects to a store that exists.
    ///
    /// Every property has a value in at least one object. A property that no sample value fits remains empty, if it
    /// may. An entity whose uniqueness constraints allow only a few objects gets only these.
    ///
    /// - Parameters:
    ///   - url: The address of the store.
    ///   - version: The version of the model.
    ///   - options: The options for opening the store.
    /// - Throws: `CocoaError.validationMissingMandatoryProperty` if no sample value satisfies the rules of a mandatory
    ///   property. Its text has the entity, the property and the rule. Otherwise the store's error.
    public func make(at url: URL, _ version: ModelVersion, options: [AnyHashable: Any]? = nil) throws {
        _ = try fill(url, version, options: options)
    }

    /// Fills a store as `make(at:_:options:)` does, and returns the parts of the model that the objects do not cover,
    /// each in a line.
    func fill(_ url: URL, _ version: ModelVersion, options: [AnyHashable: Any]? = nil) throws -> [String] {
        try TrialStore.open(url, version.freshModel(), options: options) { context in
            var maker = SampleMaker(context: context, seed: seed, values: values)
            let notes = try maker.make(rowsPerEntity)
            do {
                try context.save()
            } catch {
                throw SampleMaker.error(TrialStore.text(error))
            }
            return version.withoutTransformers.map {
                "\($0), is not registered in this process; made-up values are archived without it"
            } + notes
        }
    }
}

/// Opens a store for the duration of a body.
enum TrialStore {
    @discardableResult
    static func open<Result>(
        _ url: URL, _ model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil,
        _ body: (NSManagedObjectContext) throws -> Result
    ) throws -> Result {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: type(of: url), configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let result = Swift.Result { try context.performAndWait { try body(context) } }
        try coordinator.remove(store)
        return try result.get()
    }

    /// The type of the stores at an address: a file is a SQLite store.
    static func type(of url: URL) -> String { StoreEngines.type(of: url) }

    /// The engine of the stores in the database of an address; throws if the program has none.
    static func engine(of url: URL) throws -> any InPlaceEngine {
        if let engine = StoreEngines.engineOfProduct(for: type(of: url))?.inPlace { return engine }
        throw CocoaError(
            .featureUnsupported,
            userInfo: [
                NSLocalizedDescriptionKey:
                    "“\(url.shown.absoluteString)” is no address of a database whose stores the program knows: the "
                    + "test target has to depend on the product, CoreDataPostgreSQL for postgresql://."
            ])
    }

    /// An error in one line. Of an error with several errors the text has the first ones.
    static func text(_ error: any Error) -> String {
        let error = error as NSError
        let isSeveral = error.code == NSValidationMultipleErrorsError
        let all = (isSeveral ? error.userInfo[NSDetailedErrorsKey] as? [NSError] : nil) ?? [error]
        let texts = all.map { $0.localizedDescription.replacingOccurrences(of: "\n", with: " ") }
        var known: Set<String> = []
        let different = texts.filter { known.insert($0).inserted }
        let more = different.count - 3
        return different.prefix(3).joined(separator: " ") + (more > 0 ? " … and \(more) more" : "")
    }
}

/// The generator SplitMix64.
struct SampleRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
