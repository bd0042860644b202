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
    public let versionChecksum: String

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

    /// Refers to the model among a bundle's versions whose entities have these hashes. `nil` stands for the main bundle and
    /// the packages' resources.
    public init(entityVersionHashes: [String: Data], in bundle: Bundle?, versionChecksum: String) {
        place = .hashes(entityVersionHashes, bundle)
        self.versionChecksum = versionChecksum
    }

    /// Refers to a version by the name of its file in a bundle. `nil` stands for the main bundle and the packages' resources.
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
            let candidates = try self.candidates()
            guard let model = candidates.first(where: { $0.versionChecksum == versionChecksum }) else {
                throw NSError.coreData(
                    NSManagedObjectModelReferenceNotFoundError,
                    reason: "No managed object model with the version checksum '\(versionChecksum)' was found: "
                        + "looked at \(description(of: place)), which has "
                        + (candidates.isEmpty
                            ? "none."
                            : candidates.map { "'\($0.versionChecksum)'" }.joined(separator: ", ") + "."))
            }
            found = model
            return model
        }
    }

    private func candidates() throws -> [NSManagedObjectModel] {
        switch place {
        case .model(let model): return [model]
        case .file(let url): return try likely(ModelBundle.listedVersions(at: url)).map { try $0.load() }
        case .hashes(let hashes, let bundle):
            return likely(NSManagedObjectModel.listedVersions(in: bundle.map { [$0] })).compactMap { try? $0.load() }
                .filter { $0.entityVersionHashesByName == hashes }
        case .name(let name, let bundle):
            return likely(NSManagedObjectModel.listedVersions(in: bundle.map { [$0] }).filter { $0.name == name })
                .compactMap { try? $0.load() }
        }
    }

    /// Those of which the bundle says that they have the checksum; all where it says that of none.
    private func likely(_ listed: [ModelBundle.ListedVersion]) -> [ModelBundle.ListedVersion] {
        let named = listed.filter { $0.checksum == versionChecksum }
        return named.isEmpty ? listed : named
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
