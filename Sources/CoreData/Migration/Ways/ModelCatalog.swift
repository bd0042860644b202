import Foundation

/// The model catalog: the versions of models and the mapping models among the resources of bundles. They are listed at
/// once, and each is read once, when it is needed.
final class ModelCatalog {
    let bundles: [Bundle]?
    private lazy var listed = NSManagedObjectModel.listedVersions(in: bundles)
    private var loaded: [Int: NSManagedObjectModel?] = [:]
    private(set) lazy var mappings = MappingModelCandidates(in: bundles)

    /// Creates a catalog of bundles; nil stands for the main bundle and the packages' resources.
    init(_ bundles: [Bundle]?) { self.bundles = bundles }

    /// Creates a catalog without versions.
    init(mappings: MappingModelCandidates) {
        bundles = []
        self.mappings = mappings
    }

    /// The versions except those with these checksums, each once. They belong to the owner of the catalog.
    func models(except checksums: Set<String>) -> [NSManagedObjectModel] {
        var known = checksums
        return listed.indices.compactMap { number in
            // A version whose checksum the bundle lists need not be read.
            if let checksum = listed[number].checksum, known.contains(checksum) { return nil }
            guard let model = model(number), known.insert(model.layoutChecksum).inserted else { return nil }
            return model
        }
    }

    /// The version with a checksum. Versions for which the bundle lists the checksum are read first.
    func model(withChecksum checksum: String) -> NSManagedObjectModel? {
        let (first, rest) = (listed.indices.filter { listed[$0].checksum == checksum }, listed.indices)
        for number in first + rest.filter({ listed[$0].checksum != checksum }) {
            if let model = model(number), model.versionChecksum == checksum { return model }
        }
        return nil
    }

    /// The versions that have a checksum: the one that the bundle lists or, if it lists none, their own.
    func models(listedWith checksum: String) -> [NSManagedObjectModel] {
        listed.indices.compactMap { number in
            if let known = listed[number].checksum, known != checksum { return nil }
            return model(number).flatMap { $0.versionChecksum == checksum ? $0 : nil }
        }
    }

    private func model(_ number: Int) -> NSManagedObjectModel? {
        if let model = loaded[number] { return model }
        let model = try? listed[number].load()
        loaded[number] = .some(model)
        return model
    }
}
