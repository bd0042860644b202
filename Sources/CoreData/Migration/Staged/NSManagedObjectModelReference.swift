import Foundation

/// A reference to a version of a model, which is read when it is needed, and checked by its checksum.
///
/// Any thread may use it. The reference keeps the model once it has read it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodelreference)
// @unchecked Sendable: the place is immutable; `lock` guards the model.
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

    /// The ``NSManagedObjectModel/versionChecksum`` that the model must have.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodelreference/versionchecksum)
    open private(set) var versionChecksum: String

    /// Creates a reference to a model in memory.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - versionChecksum: The checksum that the model must have.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodelreference/init(model:versionchecksum:))
    public init(model: NSManagedObjectModel, versionChecksum: String) {
        place = .model(model)
        self.versionChecksum = versionChecksum
    }

    /// Creates a reference to a version in a model file, or in a bundle of versions (`.momd`, `.xcdatamodeld`).
    ///
    /// - Parameters:
    ///   - fileURL: The file or the bundle. A version of it that cannot be read is an error.
    ///   - versionChecksum: The checksum of the version.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodelreference/init(fileurl:versionchecksum:))
    public init(fileURL: URL, versionChecksum: String) {
        place = .file(fileURL)
        self.versionChecksum = versionChecksum
    }

    /// Creates a reference to the model among the resources of a bundle whose entities have the given version hashes.
    ///
    /// - Parameters:
    ///   - entityVersionHashes: The version hashes of all entities by name.
    ///   - bundle: The bundle; nil stands for the main bundle and the bundles of a package's targets beside the
    ///     program.
    ///   - versionChecksum: The checksum that the model must have.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodelreference/init(entityversionhashes:in:versionchecksum:))
    public init(entityVersionHashes: [String: Data], in bundle: Bundle?, versionChecksum: String) {
        place = .hashes(entityVersionHashes, bundle)
        self.versionChecksum = versionChecksum
    }

    /// Creates a reference to a version by the name of its file in a bundle.
    ///
    /// - Parameters:
    ///   - name: The name of the file without its extension.
    ///   - bundle: The bundle; nil stands for the main bundle and the bundles of a package's targets beside the
    ///     program.
    ///   - versionChecksum: The checksum that the model must have.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodelreference/init(name:in:versionchecksum:))
    public init(name: String, in bundle: Bundle?, versionChecksum: String) {
        place = .name(name, bundle)
        self.versionChecksum = versionChecksum
    }

    /// The model. Stops the process if the model cannot be found or has another checksum; the message names both.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodelreference/resolvedmodel)
    open var resolvedModel: NSManagedObjectModel {
        do {
            return try resolve()
        } catch {
            fatalError("\((error as NSError).localizedDescription)")
        }
    }

    /// The model, or the error 134504 that describes the search.
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

    /// The models that may be meant, each read when it is tried. Those for which the bundle lists the checksum come
    /// first.
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

    /// Reads a version. The result is nil for a version that cannot be the one meant. A file that the program named
    /// must be readable.
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
