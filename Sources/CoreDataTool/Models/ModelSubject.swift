import CoreData
import Foundation

/// The model for a command: a version of a model file, or the model that a store keeps or has beside it.
package struct ModelSubject {
    /// The path as it was given.
    package let shown: String
    package let model: NSManagedObjectModel
    /// The name of the version; nil for a store's model.
    package let version: String?
    /// All versions of the file; empty for a store's model.
    package let versions: [ManagedModelVersion]
    /// The store whose model it is; nil for a model in a file.
    package let store: ResolvedStore?

    package init(_ path: String, version name: String? = nil) throws {
        shown = path
        if ModelArgument.isModel(path) || Self.isFolderOrMissing(path) {
            guard ModelArgument.isModel(path) else {
                _ = try ModelArgument.url(path)
                throw ToolError(
                    .unreadable, "\(path): this is no model",
                    details: ["A model is one of \(ModelArgument.extensions.map { ".\($0)" }.joined(separator: ", "))."]
                )
            }
            let file = try ModelArgument(path)
            let version = try file.version(name)
            self.version = version.name
            model = version.model
            versions = file.versions
            store = nil
        } else {
            if let name {
                throw ToolError(.usage, "\(path) is a store, which has no version '\(name)' to choose")
            }
            version = nil
            let store = try Self.store(path)
            self.store = store
            model = store.model
            versions = []
        }
    }

    /// A store with the model that it keeps or has beside it, for a command that has no option to name another one.
    static func store(_ path: String) throws -> ResolvedStore {
        do {
            return try ResolvedStore(path)
        } catch let error as ToolError where error.isOfMissingModel {
            throw ToolError(
                error.status, error.message,
                details: error.details.dropLast() + [
                    "Name the model's file instead. 'coredata model from --tables' makes a model of an SQLite file's tables."
                ])
        }
    }

    /// Creates the subject for a version of a model that has been read.
    init(
        shown: String, model: NSManagedObjectModel, version: String?, versions: [ManagedModelVersion]
    ) {
        (self.shown, self.model, self.version, self.versions) = (shown, model, version, versions)
        store = nil
    }

    private static func isFolderOrMissing(_ path: String) -> Bool {
        if path.contains("://") { return false }
        var isFolder: ObjCBool = false
        return !FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) || isFolder.boolValue
    }

    /// The path with the version, if the file has several.
    package var title: String {
        guard let version, versions.count > 1 else { return shown }
        return "\(shown), version '\(version)'"
    }

    /// The name of the version in a sentence; the path if there is only one version.
    package var name: String { version.map { versions.count > 1 ? $0 : shown } ?? shown }

    /// The entities, by name.
    package var entities: [NSEntityDescription] { model.entities.sorted { ($0.name ?? "") < ($1.name ?? "") } }

    /// The entity of a name. An unknown name is an error that suggests the nearest one.
    package func entity(_ name: String) throws -> NSEntityDescription {
        if let entity = model.entitiesByName[name] { return entity }
        let nearest = NearestName.hint(name, among: model.entitiesByName.keys.sorted())
        throw ToolError(
            .usage, "\(title) has no entity '\(name)'" + nearest)
    }
}

extension Option {
    static let version = Option(
        "version", value: "NAME", "the version of a bundle to use; by default the current one")
}

extension Operand {
    static let model = Operand("MODEL", completion: .file)
}
