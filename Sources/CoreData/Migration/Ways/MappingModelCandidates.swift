import Foundation

/// The mapping models among the resources of bundles, each read once.
final class MappingModelCandidates {
    private enum Candidate {
        /// A mapping model that knows the hashes of the two models.
        case loaded(NSMappingModel)
        /// A source whose models do not lie near it: it fits by names.
        case source(MappingModelSource, name: String)
    }

    private let candidates: [Candidate]

    init(in bundles: [Bundle]?) {
        candidates = ModelResources.mappingModels(in: bundles).compactMap { url in
            do {
                return try Self.candidate(url)
            } catch {
                // Without a word the store would be migrated by inference, and lose what only the mapping carries over.
                MappingModelFile.reportFailure(error, at: url)
                // The source that was passed over for the compiled one says the same.
                let source = url.deletingPathExtension().appendingPathExtension("xcmappingmodel")
                return source == url ? nil : try? Self.candidate(source)
            }
        }
    }

    private static func candidate(_ url: URL) throws -> Candidate {
        do {
            return .loaded(try MappingModelFile.load(at: url))
        } catch {
            guard let source = try? MappingModelSource(at: url) else { throw error }
            return .source(source, name: url.lastPathComponent)
        }
    }

    /// The first that leads from one model to the other.
    func mapping(from source: NSManagedObjectModel, to target: NSManagedObjectModel) -> NSMappingModel? {
        for candidate in candidates {
            switch candidate {
            case .loaded(let mapping) where mapping.fits(source, target): return mapping
            case .source(let file, let name) where file.fits(source, target):
                guard let mapping = try? file.mappingModel(from: source, to: target) else { continue }
                mapping.fileName = name
                return mapping
            default: continue
            }
        }
        return nil
    }
}
