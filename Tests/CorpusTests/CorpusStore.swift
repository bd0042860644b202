import CoreData
import Foundation
import TestSupport
import Testing

/// A real store and the model that opens it.
struct CorpusStore: CustomTestStringConvertible, Sendable {
    enum ModelOrigin: Sendable {
        /// The archive inside the store.
        case archive
        /// An XML source of the same repository whose hashes the store has.
        case source(String)
    }

    /// Relative to the corpus.
    let path: String
    let origin: ModelOrigin
    let model: NSManagedObjectModel

    var testDescription: String { path }

    /// Every store that has a model to go with it.
    static let all: [CorpusStore] = Corpus.stores.compactMap { path in
        guard case .success(let store) = find(path) else { return nil }
        return store
    }

    /// Why each of the other stores cannot be opened, by path.
    static let withoutModel: [String: String] = Corpus.stores.reduce(into: [:]) { reasons, path in
        if case .failure(let reason) = find(path) { reasons[path] = reason.text }
    }

    struct Reason: Error {
        let text: String
    }

    private static func find(_ path: String) -> Result<CorpusStore, Reason> {
        do {
            let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: Corpus.url(path))
            return .success(CorpusStore(path: path, origin: .archive, model: model))
        } catch {
            if let source = matchingSources(path).first {
                return .success(CorpusStore(path: path, origin: .source(source.path), model: source.model))
            }
            return .failure(Reason(text: (error as NSError).localizedFailureReason ?? error.localizedDescription))
        }
    }

    /// The XML sources of the same repository that the store's metadata fit.
    static func matchingSources(_ path: String) -> [(path: String, model: NSManagedObjectModel)] {
        let repository = String(path.prefix { $0 != "/" })
        guard
            let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: Corpus.url(path))
        else { return [] }
        return (sources[repository] ?? []).filter {
            $0.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
        }
    }

    /// All XML sources by repository, for the repositories that have stores.
    private static let sources: [String: [(path: String, model: NSManagedObjectModel)]] = {
        let repositories = Set(Corpus.stores.map { String($0.prefix { $0 != "/" }) })
        var result: [String: [(path: String, model: NSManagedObjectModel)]] = [:]
        for path in Corpus.paths(where: { $0.hasSuffix(".xcdatamodel/contents") }) {
            let repository = String(path.prefix { $0 != "/" })
            let folder = String(path.dropLast("/contents".count))
            guard repositories.contains(repository), let model = NSManagedObjectModel(contentsOf: Corpus.url(folder))
            else { continue }
            result[repository, default: []].append((folder, model))
        }
        return result
    }()

    /// Gives the body a copy of the store, and removes it afterwards.
    func withCopy<Result>(_ body: (URL) throws -> Result) throws -> Result {
        try withTemporaryFolder { folder in try body(try Corpus.copyStore(path, to: folder)) }
    }

    /// A private-queue context on a coordinator that has the file open.
    static func open(
        _ url: URL, _ model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait { context.persistentStoreCoordinator = coordinator }
        return context
    }
}
