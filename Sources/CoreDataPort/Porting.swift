// Implementation notes: CoreDataPort.
//
// - `coredata port` rewrites code that the compiler refuses whatever a plugin adds. It works on the scanner's tokens,
//   so comments, strings and layout stay byte for byte. Of a string only the code inside `\( … )` is read. Code that
//   `#if` leaves out on Linux is not read.
// - A file goes through these parts: `SourceFile` (tokens, scopes), `Knowledge` (declared types, models), `Rules`,
//   edits and notes. The rules are values in two tables, `PortRule.rewriting` and `PortRule.reporting`; their work is
//   in extensions of `FilePorter`. A rule needs an example in `Tests/CoreDataPortTests/RuleExamples.swift`.
//   `PackageManifest`, `PackageTargets` and `ManifestPorter` have the same parts for `Package.swift`. `UnifiedDiff`
//   shows edits. `FileWriter` writes them: all temporary files first, then all names.
// - An edit is made only if its meaning is certainly the same. All other places get a note with file, line and column.
//   A model finds a class with `@objc(Name)` on Linux only under its Swift name. So the model's source changes with it.
//   The class name is no part of an entity's version hash.
// - A manifest is edited if its targets are literals. The porter does not guess names that a program computes.

import CoreData
import CoreDataModelCompiler

/// The results of porting a tree of sources, before any file is written.
struct Porting {
    struct ChangedFile {
        let file: SourceTree.File
        let edits: [TextEdit]

        var bytes: [UInt8] { TextEdit.apply(edits, to: file.bytes) }
        var diff: String { UnifiedDiff(file.bytes, edits).text(path: file.path) }
    }

    private(set) var changed: [ChangedFile] = []
    private(set) var notes: [PortNote] = []
    /// The messages so far about files without a target, which are the same for each.
    private var said: Set<String> = []
    private let rules: PortRules

    /// Ports the files of a tree. `models` are read besides those in the tree; `package` is the place of the framework
    /// for manifests.
    init(
        _ tree: SourceTree, models others: [URL], package: ManifestPorter.Location? = nil,
        options: PortOptions = PortOptions(), rules: PortRules = .all
    ) throws {
        self.rules = rules
        let sources = tree.swiftFiles.map { file in
            // Messages name files by paths relative to the working directory, so that an editor finds them.
            SourceFile(path: Self.name(of: file.url), text: String(decoding: file.bytes, as: UTF8.self))
        }
        var types = DeclaredTypes()
        for source in sources { types.add(source.scopes) }
        let models = try read(tree.models, others)
        let renamed = Self.renamedClasses(sources, KnownKeys(types: types, models: models))
        let keys = KnownKeys(types: types, models: models, renamedClasses: renamed)
        let targets = PackageTargets(
            tree.manifests.map { PackageManifest($0, name: Self.name(of: $0.url)) }, files: tree.swiftFiles.map(\.path),
            models: tree.resources, catalogs: tree.catalogs)
        var surroundings = Surroundings(
            targets, files: tree.swiftFiles, sources: sources, keys: keys, options: options, isFolder: tree.isFolder)
        var needs: [PackageTargets.ID: Set<PackageProduct>] = [:]
        var homeless: [(file: String, products: Set<PackageProduct>)] = []
        for (file, source) in zip(tree.swiftFiles, sources) {
            let ids = targets.targets(of: file.path)
            surroundings.target = ids.first.map { targets[$0].name }
            var porter = FilePorter(
                source, rules: rules, keys: keys, renamedClasses: renamed, surroundings: surroundings)
            porter.run()
            notes += porter.notes
            for id in ids { needs[id, default: []].formUnion(porter.neededProducts) }
            if ids.isEmpty, !porter.neededProducts.isEmpty { homeless.append((file.path, porter.neededProducts)) }
            if ids.isEmpty { noteOnce(source, porter) }
            if !porter.edits.isEmpty { changed.append(ChangedFile(file: file, edits: porter.edits)) }
        }
        for file in tree.modelContents {
            let edits = rules.ofModels.flatMap { $0(file.bytes, renamed) }
            if !edits.isEmpty { changed.append(ChangedFile(file: file, edits: edits)) }
        }
        port(targets, needs: needs, files: tree.manifests, location: package)
        noteUnreadable(targets.manifests, homeless)
    }

    private mutating func read(_ models: [URL], _ others: [URL]) throws -> [NSManagedObjectModel] {
        var result: [NSManagedObjectModel] = []
        for url in models + others {
            if let model = NSManagedObjectModel(contentsOf: url) {
                result.append(model)
            } else if others.contains(url) {
                throw PortError("\(url.path): this is no model, or a damaged one")
            } else {
                notes.append(
                    PortNote(
                        kind: .byHand, file: Self.name(of: url), line: 1, column: 1, message: "the model cannot be read"
                    ))
            }
        }
        return result
    }

    /// Reports once the needs of a file's target that no manifest contains as a literal.
    private mutating func noteOnce(_ source: SourceFile, _ porter: FilePorter) {
        var hints = PackageProduct.allCases.compactMap { product in
            porter.replacedModules[product].map { module in
                (
                    module,
                    "on Linux the module comes with '\(product.rawValue)' of the package \(product.package): add that to "
                        + "the targets that import it"
                )
            }
        }
        // The plugin that a target gets writes the aliases for ambiguous names.
        if let type = porter.ambiguousType {
            hints.append(
                (
                    type,
                    "Foundation declares NSExpression and the two kinds of predicate, too: the plugin writes what tells "
                        + "them apart; a target without it needs 'typealias NSExpression = CoreData.NSExpression' …"
                ))
        }
        for (token, message) in hints where said.insert(message).inserted {
            notes.append(
                PortNote(kind: .hint, file: source.path, line: token.line, column: token.column, message: message))
        }
    }

    private mutating func port(
        _ targets: PackageTargets, needs: [PackageTargets.ID: Set<PackageProduct>], files: [SourceTree.File],
        location: ManifestPorter.Location?
    ) {
        for (number, manifest) in targets.manifests.enumerated() {
            let needy = manifest.targets.indices.compactMap { target -> ManifestPorter.Needy? in
                let id = PackageTargets.ID(manifest: number, target: target)
                let products = needs[id, default: []].union(targets.models[id] == nil ? [] : [.framework])
                guard !products.isEmpty else { return nil }
                return ManifestPorter.Needy(
                    target: target, products: products, models: targets.modelsBelow(id),
                    catalogs: targets.catalogsBelow(id))
            }
            var porter = ManifestPorter(manifest, needy, location)
            porter.run(rules)
            notes += porter.notes
            if !porter.edits.isEmpty { changed.append(ChangedFile(file: files[number], edits: porter.edits)) }
        }
    }

    /// Reports manifests whose targets are not literals, if files below them need a product.
    private mutating func noteUnreadable(
        _ manifests: [PackageManifest], _ files: [(file: String, products: Set<PackageProduct>)]
    ) {
        for manifest in manifests where manifest.targets.isEmpty {
            let own = files.filter { manifest.folder.isEmpty || $0.file.hasPrefix(manifest.folder + "/") }
            guard let first = own.first else { continue }
            let products = Set(own.flatMap(\.products))
            let names = PackageProduct.allCases.filter(products.contains).map(\.rawValue).joined(separator: ", ")
            notes.append(
                PortNote(
                    kind: .byHand, file: manifest.name, line: 1, column: 1,
                    message:
                        "no target is written out here to which '\(first.file)' belongs: add to the one that it is in "
                        + "what it needs (\(names)), and the plugin CoreDataModelPlugin of OpenCoreData"))
        }
    }

    private static func name(of url: URL) -> String {
        let current = FileManager.default.currentDirectoryPath
        let path = url.path
        return path.hasPrefix(current + "/") ? String(path.dropFirst(current.count + 1)) : path
    }

    /// Classes of managed objects with another name in `@objc(Name)`, by that name.
    private static func renamedClasses(_ sources: [SourceFile], _ keys: KnownKeys) -> [String: String] {
        var result: [String: String] = [:]
        for source in sources {
            for (name, other) in source.scopes.otherClassNames where !name.contains(".") && keys.isManaged(name) {
                result[other] = name
            }
        }
        return result
    }
}
