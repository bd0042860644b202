import Foundation

/// The mapping models among the resources of bundles, each read once.
final class MappingModelCandidates {
    private enum Candidate {
        /// A mapping model that has the hashes of the two models.
        case loaded(NSMappingModel)
        /// A source file whose models are not beside it, so that it fits by names.
        case source(MappingModelSource, name: String)
    }

    private let candidates: [Candidate]
    /// Files that cannot be read, and have no readable source file beside them. It is unknown which values they would
    /// carry over.
    let unreadable: [URL]

    init(in bundles: [Bundle]?) {
        var (candidates, unreadable): ([Candidate], [URL]) = ([], [])
        for url in ModelResources.mappingModels(in: bundles) {
            // The source file beside a compiled file has the same content, or is newer. If it is newer, the compiled
            // file does not fit any more.
            let source = url.deletingPathExtension().appendingPathExtension("xcmappingmodel")
            let hasSource = source != url && FileManager.default.fileExists(atPath: source.path)
            let sourceCandidate = hasSource ? try? Self.candidate(source) : nil
            do {
                candidates.append(try Self.candidate(url))
            } catch {
                // Without a report the store would be migrated by inference, and lose values that only the mapping
                // model carries over.
                MappingModelFile.reportFailure(error, at: url)
                if sourceCandidate == nil { unreadable.append(url) }
            }
            if let sourceCandidate { candidates.append(sourceCandidate) }
        }
        self.candidates = candidates
        self.unreadable = unreadable
    }

    /// Creates the candidates of mapping models that have the hashes of their models.
    init(_ mappings: [NSMappingModel]) {
        candidates = mappings.map(Candidate.loaded)
        unreadable = []
    }

    private static func candidate(_ url: URL) throws -> Candidate {
        do {
            return .loaded(try MappingModelFile.load(at: url))
        } catch {
            guard let source = try? MappingModelSource(at: url) else { throw error }
            return .source(source, name: url.lastPathComponent)
        }
    }

    /// The first mapping model that leads from one model to the other.
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
