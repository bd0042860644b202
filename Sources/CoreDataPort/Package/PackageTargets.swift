/// The targets of a tree's packages, with the files that belong to each.
struct PackageTargets {
    /// A target, by the index of its manifest and its own index in that.
    struct ID: Hashable {
        let manifest: Int
        let target: Int
    }

    let manifests: [PackageManifest]
    private let folders: [(path: String, id: ID)]
    /// The models of each target.
    private(set) var models: [ID: [String]] = [:]
    /// The catalogs of texts of each target.
    private var catalogs: [ID: [String]] = [:]

    /// Creates the list. `files` are all Swift files, `models` the model bundles and mapping models, `catalogs` those
    /// of texts; all of them below the tree's root.
    init(_ manifests: [PackageManifest], files: [String], models: [String], catalogs: [String]) {
        self.manifests = manifests
        var folders: [(path: String, id: ID)] = []
        for (number, manifest) in manifests.enumerated() {
            for (position, target) in manifest.targets.enumerated() {
                let id = ID(manifest: number, target: position)
                let found = target.folders.first { folder in files.contains { Self.isInside($0, folder) } }
                if let found {
                    folders.append((found, id))
                } else if manifest.targets.count == 1,
                    let whole = target.folders.first?.split(separator: "/").dropLast()
                {
                    // A package with a single target may keep its sources in `Sources` itself.
                    folders.append((whole.joined(separator: "/"), id))
                }
            }
        }
        self.folders = folders
        for model in models {
            // A folder may have manifests for several versions of the tools. Each of them gets the model.
            for id in targets(of: model) { self.models[id, default: []].append(model) }
        }
        for catalog in catalogs {
            for id in targets(of: catalog) { self.catalogs[id, default: []].append(catalog) }
        }
    }

    subscript(id: ID) -> PackageManifest.Target { manifests[id.manifest].targets[id.target] }

    /// The models of a target with their paths in the manifest: below the folder of its sources.
    func modelsBelow(_ id: ID) -> [String] { below(id, models[id, default: []]) }

    /// The catalogs of texts of a target with their paths in the manifest.
    func catalogsBelow(_ id: ID) -> [String] { below(id, catalogs[id, default: []]) }

    private func below(_ id: ID, _ paths: [String]) -> [String] {
        let folder = folders.first { $0.id == id }?.path ?? ""
        return paths.map { folder.isEmpty ? $0 : String($0.dropFirst(folder.count + 1)) }
    }

    private static func isInside(_ path: String, _ folder: String) -> Bool {
        folder.isEmpty || path == folder || path.hasPrefix(folder + "/")
    }

    /// The targets of the innermost folder around a file: one for each manifest.
    func targets(of path: String) -> [ID] {
        let around = folders.filter { Self.isInside(path, $0.path) && holds($0.id, path, $0.path) }
        guard let innermost = around.map(\.path.count).max() else { return [] }
        return around.filter { $0.path.count == innermost }.map(\.id)
    }

    private func holds(_ id: ID, _ path: String, _ folder: String) -> Bool {
        let target = self[id]
        let below = folder.isEmpty ? path : String(path.dropFirst(folder.count + 1))
        func isIn(_ list: [String]) -> Bool {
            list.contains { Self.isInside(below, $0.hasSuffix("/") ? String($0.dropLast()) : $0) }
        }
        if isIn(target.excluded) { return false }
        // Resources may be outside the folder of the sources.
        guard let sources = target.sources, path.hasSuffix(".swift") else { return true }
        return isIn(sources)
    }

    /// Whether a target has resources, or the port adds some.
    func hasResources(_ id: ID) -> Bool {
        models[id] != nil || catalogs[id] != nil || self[id].call["resources"] != nil
    }
}
