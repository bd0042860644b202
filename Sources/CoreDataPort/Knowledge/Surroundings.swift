/// The facts about a file from its package and the other files of the tree.
struct Surroundings {
    /// The target of the file; `nil` if no package has one.
    var target: String?
    /// The targets of the types in the tree, by full name.
    var typeTargets: [String: String] = [:]
    /// The names of all targets.
    let targets: Set<String>
    /// The targets that have a bundle of resources.
    var targetsWithResources: Set<String> = []
    let keyPathUses: KeyPathUses
    /// The methods of protocols that need not be implemented.
    var optionalMethods: Set<String> = []
    /// The functions with a generic parameter that has to be the result of a fetch request.
    var functionsOfResults: Set<String> = []
    /// The keywords that declare the types in the tree, by full name.
    var typeKeywords: [String: String] = [:]
    /// The number of classes of each name that the sources declare.
    var classCounts: [String: Int] = [:]
    /// The number of files that use each name of a type.
    var filesNaming: [String: Int] = [:]
    /// Declarations that conditions leave out, and that code of any file uses, by the file that has them.
    let hiddenDeclarations: HiddenDeclarations
    /// The files that can be left out on Linux as a whole.
    let guardedFiles: GuardedFiles
    let keyedProperties: KeyedProperties
    /// Whether a package uses version 6 of the language, which refuses mutable global variables of C.
    let isStrict: Bool
    let options: PortOptions
    /// The targets with extensions that give SwiftData's types a member which OpenCoreData has, too, by that member.
    private(set) var targetsOfMembers: [String: Set<String>] = [:]
    /// The modules that the files of a target import, by the target.
    private(set) var importedModules: [String: Set<String>] = [:]
    /// The upcoming features of the language that targets enable, by the target.
    private var features: [String: Set<String>] = [:]

    /// The targets whose packages depend on other packages, which see the modules of the build.
    private var targetsBesidePackages: Set<String> = []

    /// Whether the file's package depends on packages that may ask whether a module is there.
    var isBesidePackages: Bool { target.map(targetsBesidePackages.contains) == true }

    /// Whether the file's target enables an upcoming feature of the language.
    func hasFeature(_ name: String) -> Bool { target.flatMap { features[$0] }?.contains(name) == true }

    init(
        _ targets: PackageTargets, files: [SourceTree.File], sources: [SourceFile], keys: KnownKeys,
        options: PortOptions, isFolder: Bool
    ) {
        self.options = options
        hiddenDeclarations = HiddenDeclarations(sources)
        var uses = KeyPathUses(keys.types)
        for source in sources { uses.add(source) }
        keyPathUses = uses
        keyedProperties = KeyedProperties(sources, keys, uses)
        for manifest in targets.manifests {
            for target in manifest.targets { features[target.name] = manifest.features(of: target) }
            if manifest.hasOtherPackages { targetsBesidePackages.formUnion(manifest.targets.map(\.name)) }
        }
        self.targets = Set(targets.manifests.flatMap { $0.targets.map(\.name) })
        let strays = zip(files, sources).filter { targets.targets(of: $0.0.path).isEmpty }.map(\.1.path)
        // One file does not show what other files of its package need. Without a target the manifest is not understood.
        guardedFiles = GuardedFiles(
            isFolder ? sources : [], targets: self.targets, keys: keys,
            strays: strays.count < sources.count ? Set(strays) : [])
        isStrict = targets.manifests.contains { $0.toolsVersion.map { $0.major >= 6 } == true }
        for (file, source) in zip(files, sources) {
            for place in source.tokens.indices.dropLast(2) where source.tokens[place].isWord("optional") {
                guard source.tokens[place + 1].isWord("func") else { continue }
                optionalMethods.insert(source.tokens[place + 2].text)
            }
            for place in source.tokens.indices.dropLast(5)
            where source.tokens[place].isWord("func") && source.tokens[place + 2].isMark("<")
                && source.tokens[place + 4].isMark(":") && source.tokens[place + 5].isWord("NSFetchRequestResult")
            {
                functionsOfResults.insert(source.tokens[place + 1].text)
            }
            let names = source.tokens.lazy.filter { $0.isWord && $0.text.first?.isUppercase == true }.map(\.text)
            for name in Set(names) { filesNaming[name, default: 0] += 1 }
            for body in source.scopes.bodies where body.keyword == "class" { classCounts[body.type, default: 0] += 1 }
            guard let id = targets.targets(of: file.path).first else { continue }
            let name = targets[id].name
            if targets.hasResources(id) { targetsWithResources.insert(name) }
            noteMembers(source, of: name)
            for body in source.scopes.bodies where body.keyword != "extension" {
                typeTargets[body.type] = name
                typeKeywords[body.type] = body.keyword
            }
        }
    }

    private mutating func noteMembers(_ source: SourceFile, of target: String) {
        for (word, next) in zip(source.tokens, source.tokens.dropFirst()) {
            if word.isWord("import") { importedModules[target, default: []].insert(next.text) }
            guard word.isWord("var"), FrameworkNames.membersOfModels.contains(next.text),
                let type = source.scopes.type(at: next.range.lowerBound),
                ["PersistentModel", "ModelContext"].contains(type)
            else { continue }
            targetsOfMembers[next.text, default: []].insert(target)
        }
    }
}
