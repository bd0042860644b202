/// What a file's package and the other files of the tree say about it.
struct Surroundings {
    /// The target the file belongs to, where a package says so.
    var target: String?
    /// The targets of the types in the tree, by full name.
    var typeTargets: [String: String] = [:]
    /// The targets that have a bundle of resources.
    var targetsWithResources: Set<String> = []
    var keyPathUses = KeyPathUses()

    init(_ targets: PackageTargets, _ files: [SourceTree.File], _ sources: [SourceFile]) {
        for (file, source) in zip(files, sources) {
            guard let id = targets.targets(of: file.path).first else { continue }
            let name = targets[id].name
            if targets.hasResources(id) { targetsWithResources.insert(name) }
            for body in source.scopes.bodies where body.keyword != "extension" { typeTargets[body.type] = name }
        }
    }
}
