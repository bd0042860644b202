// About the room CoreDataPort.
//
// - `coredata port` rewrites code that the compiler refuses whatever a plugin adds. It works on the scanner's tokens,
//   so comments, strings and layout stay byte for byte. Of a string only the code inside `\( … )` is looked at. Code
//   that `#if` leaves out on Linux is not looked at.
// - The way of a file: `SourceFile` (tokens, scopes), `Knowledge` (declared types, models), `Rules` (one extension
//   each), edits and notes. `PackageManifest`, `PackageTargets` and `ManifestPorter` do the same for `Package.swift`.
//   `UnifiedDiff` shows edits. `FileWriter` writes them: all temporary files first, then all names.
// - An edit is made only where it is certain to mean the same. Everything else is a note with file, line and column. A
//   class that `@objc(Name)` called otherwise is found by a model only under its Swift name. So the model's source
//   changes with it: the name of its class is no part of an entity's version hash.
// - A manifest is edited where its targets are written out in it. Names that a program computes are not guessed.

import CoreData
import CoreDataModelCompiler

/// What porting a tree of sources comes to, before anything is written.
struct Porting {
    struct ChangedFile {
        let file: SourceTree.File
        let edits: [TextEdit]

        var bytes: [UInt8] { TextEdit.apply(edits, to: file.bytes) }
        var diff: String { UnifiedDiff(file.bytes, edits).text(path: file.path) }
    }

    private(set) var changed: [ChangedFile] = []
    private(set) var notes: [PortNote] = []
    private var isAmbiguityNoted = false

    /// Ports the files of a tree. `models` are looked into besides those in the tree; `package` is where manifests find
    /// the framework.
    init(_ tree: SourceTree, models others: [URL], package: ManifestPorter.Location? = nil) throws {
        let sources = tree.swiftFiles.map { file in
            // Messages name files so that an editor finds them from where the program was called.
            SourceFile(path: Self.name(of: file.url), text: String(decoding: file.bytes, as: UTF8.self))
        }
        var types = DeclaredTypes()
        var keyPathUses = KeyPathUses()
        for source in sources {
            types.add(source.scopes)
            keyPathUses.add(source)
        }
        let models = try read(tree.models, others)
        let renamed = Self.renamedClasses(sources, KnownKeys(types: types, models: models))
        let keys = KnownKeys(types: types, models: models, renamedClasses: renamed)
        let targets = PackageTargets(
            tree.manifests.map { PackageManifest($0, name: Self.name(of: $0.url)) }, files: tree.swiftFiles.map(\.path),
            models: tree.resources)
        var surroundings = Surroundings(targets, tree.swiftFiles, sources)
        surroundings.keyPathUses = keyPathUses
        var needy: Set<PackageTargets.ID> = []
        var homeless: [String] = []
        for (file, source) in zip(tree.swiftFiles, sources) {
            let ids = targets.targets(of: file.path)
            surroundings.target = ids.first.map { targets[$0].name }
            var porter = FilePorter(source, keys: keys, renamedClasses: renamed, surroundings: surroundings)
            porter.run()
            notes += porter.notes
            if porter.importsFramework { needy.formUnion(ids) }
            if porter.importsFramework, ids.isEmpty { homeless.append(file.path) }
            // The plugin that a target gets writes what tells the names apart.
            if let type = porter.ambiguousType, ids.isEmpty { noteAmbiguity(source, type) }
            if !porter.edits.isEmpty { changed.append(ChangedFile(file: file, edits: porter.edits)) }
        }
        for file in tree.modelContents {
            let edits = ModelClassNames.edits(in: file.bytes, renamedClasses: renamed)
            if !edits.isEmpty { changed.append(ChangedFile(file: file, edits: edits)) }
        }
        port(targets, needy, tree.manifests, package)
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

    /// Says once that Foundation has some names, too, where it matters.
    private mutating func noteAmbiguity(_ source: SourceFile, _ type: SwiftToken) {
        guard !isAmbiguityNoted else { return }
        isAmbiguityNoted = true
        notes.append(
            PortNote(
                kind: .hint, file: source.path, line: type.line, column: type.column,
                message:
                    "Foundation declares NSExpression and the two kinds of predicate, too: the plugin writes what "
                    + "tells them apart; a target without it needs 'typealias NSExpression = CoreData.NSExpression' …"))
    }

    private mutating func port(
        _ targets: PackageTargets, _ needy: Set<PackageTargets.ID>, _ files: [SourceTree.File],
        _ location: ManifestPorter.Location?
    ) {
        for (number, manifest) in targets.manifests.enumerated() {
            var porter = ManifestPorter(manifest)
            let own = manifest.targets.indices.map { PackageTargets.ID(manifest: number, target: $0) }
            let those = own.filter { needy.contains($0) || targets.models[$0] != nil }
            porter.run(needy: those.map { ($0.target, targets.modelsBelow($0)) }, location: location)
            notes += porter.notes
            if !porter.edits.isEmpty { changed.append(ChangedFile(file: files[number], edits: porter.edits)) }
        }
    }

    /// Says where a manifest does not write out the targets of files that need the framework.
    private mutating func noteUnreadable(_ manifests: [PackageManifest], _ files: [String]) {
        for manifest in manifests where manifest.targets.isEmpty {
            guard let file = files.first(where: { manifest.folder.isEmpty || $0.hasPrefix(manifest.folder + "/") })
            else {
                continue
            }
            notes.append(
                PortNote(
                    kind: .byHand, file: manifest.name, line: 1, column: 1,
                    message:
                        "no target is written out here to which '\(file)' belongs: add the product CoreData and the "
                        + "plugin CoreDataModelPlugin of OpenCoreData to the one that it is in"))
        }
    }

    private static func name(of url: URL) -> String {
        let current = FileManager.default.currentDirectoryPath
        let path = url.path
        return path.hasPrefix(current + "/") ? String(path.dropFirst(current.count + 1)) : path
    }

    /// Classes of managed objects that `@objc(Name)` gives another name, by that name.
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
