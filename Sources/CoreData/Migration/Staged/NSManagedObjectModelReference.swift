import Foundation

/// A version of a model that is found when it is needed, and checked by its checksum.
///
/// May be used from any thread. Source: Apple's documentation of staged migration.
// @unchecked Sendable: the place is immutable; the model, once found, is guarded by `lock`.
open class NSManagedObjectModelReference: NSObject, @unchecked Sendable {
    private enum Place {
        case model(NSManagedObjectModel)
        case file(URL)
        case hashes([String: Data], Bundle?)
        case name(String, Bundle?)
    }

    private let place: Place
    private let lock = NSLock()
    private var found: NSManagedObjectModel?

    /// The checksum the model must have (`NSManagedObjectModel.versionChecksum`).
    open private(set) var versionChecksum: String

    /// Refers to a model that is there.
    public init(model: NSManagedObjectModel, versionChecksum: String) {
        place = .model(model)
        self.versionChecksum = versionChecksum
    }

    /// Refers to the version with the checksum in a model file, or in a bundle of versions (`.momd`, `.xcdatamodeld`).
    public init(fileURL: URL, versionChecksum: String) {
        place = .file(fileURL)
        self.versionChecksum = versionChecksum
    }

    /// Refers to the model among a bundle's versions whose entities have these hashes. `nil` stands for the main bundle
    /// and the packages' resources.
    public init(entityVersionHashes: [String: Data], in bundle: Bundle?, versionChecksum: String) {
        place = .hashes(entityVersionHashes, bundle)
        self.versionChecksum = versionChecksum
    }

    /// Refers to a version by the name of its file in a bundle. `nil` stands for the main bundle and the packages'
    /// resources.
    public init(name: String, in bundle: Bundle?, versionChecksum: String) {
        place = .name(name, bundle)
        self.versionChecksum = versionChecksum
    }

    /// The model. Stops the process when it cannot be found or has another checksum; the message names both.
    open var resolvedModel: NSManagedObjectModel {
        do {
            return try resolve()
        } catch {
            fatalError("\((error as NSError).localizedDescription)")
        }
    }

    /// The model, or the error 134504 that says what was looked for.
    final func resolve() throws -> NSManagedObjectModel {
        try lock.withLock {
            if let found { return found }
            var checksums: [String] = []
            for candidate in try candidates() {
                guard let model = try candidate() else { continue }
                if model.versionChecksum == versionChecksum {
                    found = model
                    return model
                }
                checksums.append(model.versionChecksum)
            }
            throw NSError.coreData(
                NSManagedObjectModelReferenceNotFoundError,
                reason: "No managed object model with the version checksum '\(versionChecksum)' was found: "
                    + "looked at \(description(of: place)), which has "
                    + (checksums.isEmpty ? "none." : checksums.map { "'\($0)'" }.joined(separator: ", ") + "."))
        }
    }

    /// The models that may be meant, each read when its turn comes: first those of which the bundle says that they have
    /// the checksum.
    private func candidates() throws -> [() throws -> NSManagedObjectModel?] {
        let listed: [ModelBundle.ListedVersion]
        switch place {
        case .model(let model): return [{ model }]
        case .file(let url): listed = try ModelBundle.listedVersions(at: url)
        case .hashes(_, let bundle): listed = NSManagedObjectModel.listedVersions(in: bundle.map { [$0] })
        case .name(let name, let bundle):
            listed = NSManagedObjectModel.listedVersions(in: bundle.map { [$0] }).filter { $0.name == name }
        }
        let likely = listed.map { $0.checksum == versionChecksum }
        let sorted = zip(listed, likely).filter(\.1) + zip(listed, likely).filter { !$1 }
        return sorted.map { version, _ in { try self.load(version) } }
    }

    /// Nil for a version that cannot be meant. A file that was named has to be readable.
    private func load(_ version: ModelBundle.ListedVersion) throws -> NSManagedObjectModel? {
        switch place {
        case .model, .file: return try version.load()
        case .name: return try? version.load()
        case .hashes(let hashes, _):
            guard let model = try? version.load(), model.entityVersionHashesByName == hashes else { return nil }
            return model
        }
    }

    private func description(of place: Place) -> String {
        switch place {
        case .model: "the given model"
        case .file(let url): "“\(url.path)”"
        case .hashes: "the versions with the given hashes"
        case .name(let name, _): "the versions called “\(name)”"
        }
    }
}
