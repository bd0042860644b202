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

    /// Ports the files of a tree. `models` are looked into besides those in the tree.
    init(_ tree: SourceTree, models others: [URL]) throws {
        let sources = tree.swiftFiles.map { file in
            // Messages name files so that an editor finds them from where the program was called.
            SourceFile(path: Self.name(of: file), text: String(decoding: file.bytes, as: UTF8.self))
        }
        var types = DeclaredTypes()
        for source in sources { types.add(source.scopes) }
        var models: [NSManagedObjectModel] = []
        for url in tree.models + others {
            if let model = NSManagedObjectModel(contentsOf: url) {
                models.append(model)
            } else if others.contains(url) {
                throw PortError("\(url.path): this is no model, or a damaged one")
            } else {
                notes.append(
                    PortNote(
                        kind: .byHand, file: url.relativePath, line: 1, column: 1, message: "the model cannot be read"))
            }
        }
        let renamed = Self.renamedClasses(sources, KnownKeys(types: types, models: models))
        let keys = KnownKeys(types: types, models: models, renamedClasses: renamed)
        var isAmbiguous = false
        for (file, source) in zip(tree.swiftFiles, sources) {
            var porter = FilePorter(source, keys: keys, renamedClasses: renamed)
            porter.run()
            notes += porter.notes
            isAmbiguous = isAmbiguous || porter.usesAmbiguousTypes
            if !porter.edits.isEmpty { changed.append(ChangedFile(file: file, edits: porter.edits)) }
        }
        for file in tree.modelContents {
            let edits = ModelClassNames.edits(in: file.bytes, renamedClasses: renamed)
            if !edits.isEmpty { changed.append(ChangedFile(file: file, edits: edits)) }
        }
        if isAmbiguous, let first = sources.first {
            notes.append(
                PortNote(
                    kind: .hint, file: first.path, line: 1, column: 1,
                    message:
                        "Foundation declares NSExpression and the two kinds of predicate, too: the plugin writes what "
                        + "tells them apart; a target without it needs 'typealias NSExpression = CoreData.NSExpression' …"
                ))
        }
    }

    private static func name(of file: SourceTree.File) -> String {
        let current = FileManager.default.currentDirectoryPath
        let path = file.url.path
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
