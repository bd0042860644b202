import CoreData
import Foundation

/// One version of a model on one side of a comparison. It is parsed when it is first needed.
// @unchecked Sendable: `parsed` and `located` are used under `lock`; models are frozen before they are shared.
final class GateVersion: @unchecked Sendable {
    let name: String
    /// The path of the file below the root.
    let path: String
    private let content: Content
    /// The name of the file in messages.
    private let shown: String
    private let entities: SharedEntities
    private let lock = NSLock()
    private var parsed: Result<Parsed, any Error>?
    /// The XML tree with the lines of its elements, once a line was asked for.
    private var located: XMLTreeElement?

    private enum Content {
        case file(Data)
        /// An element of a description of models in code.
        case element(XMLTreeElement)
    }

    private struct Parsed {
        let source: XMLTreeElement
        let model: NSManagedObjectModel
        let checksum: String
    }

    /// - Parameter entities: the entities that the version may share with further versions.
    init(name: String, path: String, data: Data, prefix: String, entities: SharedEntities) {
        (self.name, self.path, content, shown) = (name, path, .file(data), prefix + path)
        self.entities = entities
    }

    init(name: String, path: String, element: XMLTreeElement, prefix: String) {
        (self.name, self.path, content, shown) = (name, path, .element(element), prefix + path)
        (entities, located) = (SharedEntities(), element)
    }

    /// The bytes of the file; nil for a version in a description.
    var data: Data? { if case .file(let data) = content { data } else { nil } }

    var isInDescription: Bool { if case .element = content { true } else { false } }

    /// Whether both versions have the same bytes. Elements of descriptions are compared by their models.
    func hasSameBytes(as other: GateVersion) -> Bool {
        if self === other { return true }
        guard case .file(let mine) = content, case .file(let theirs) = other.content else { return false }
        return mine == theirs
    }

    private func read() throws -> Parsed {
        try lock.withLock {
            if let parsed { return try parsed.get() }
            let result = Result { () throws -> Parsed in
                // The reader's warnings are those of builds.
                try ModelWarning.taken(by: { _ in }) {
                    let (source, model) = try readSource()
                    // Several threads read the model from now on.
                    model.freeze()
                    return Parsed(source: source, model: model, checksum: model.layoutChecksum)
                }
            }
            parsed = result
            return try result.get()
        }
    }

    /// Nearly all versions have no fault: an error alone needs the exact lines.
    private func readSource() throws -> (XMLTreeElement, NSManagedObjectModel) {
        switch content {
        case .element(let element): return (element, try ModelFile.model(of: element, file: shown))
        case .file(let data):
            do {
                let source = try entities.source(in: data, file: shown)
                return (source, try ModelFile.model(of: source, file: shown))
            } catch {
                let source = try ModelFile.source(in: data, file: shown)
                return (source, try ModelFile.model(of: source, file: shown))
            }
        }
    }

    /// The model; nil if the file cannot be read.
    var model: NSManagedObjectModel? { try? read().model }

    /// A checksum that is equal for versions whose stores are alike; nil if the file cannot be read.
    var checksum: String? { try? read().checksum }

    /// The reason why the file cannot be read; nil if it can be.
    var problem: String? {
        do {
            _ = try read()
            return nil
        } catch {
            let text = (error as NSError).localizedFailureReason ?? "\(error)"
            let place = "model file '\(shown)': "
            return text.hasPrefix(place) ? String(text.dropFirst(place.count)) : text
        }
    }

    /// The root of the source.
    var source: XMLTreeElement? { try? read().source }

    /// The line of an entity, or of a property of it; that of the version without either.
    func line(entity: String?, property: String?) -> Int {
        let found = lock.withLock { () -> XMLTreeElement? in
            if located == nil, let data { located = try? ModelFile.source(in: data, file: shown) }
            return located
        }
        guard let source = found else { return 1 }
        guard let entity, let element = source.element(ofEntity: entity, property: property) else {
            return isInDescription ? source.line : 1
        }
        return element.line
    }

    /// Whether stores of both versions are alike.
    func isSameVersion(as other: GateVersion) -> Bool {
        if hasSameBytes(as: other) { return true }
        return checksum != nil && checksum == other.checksum
    }
}

/// A model on one side of a comparison: a bundle of versions, a model of one version, or a description of models in
/// code.
struct GateModel {
    /// The path below the root.
    let path: String
    /// The versions, sorted as people sort names; those of a description in its order.
    private(set) var versions: [GateVersion] = []
    private(set) var currentName: String?
    /// The names of the versions from which code of the program leads to the current one.
    private(set) var versionsWithHandlers: Set<String> = []
    /// The reason why the current version is not known, or why nothing can be read.
    private(set) var problem: String?
    /// The path and the line to which the problem points.
    private(set) var problemPlace: (path: String, line: Int)

    var current: GateVersion? { currentName.flatMap(version) }

    func version(_ name: String) -> GateVersion? { versions.first { $0.name == name } }

    /// The model with the versions of another side where they have the same bytes, so that each is parsed once.
    func sharing(_ other: GateModel) -> GateModel {
        var shared = self
        shared.versions = versions.map { version in
            other.version(version.name).flatMap { $0.hasSameBytes(as: version) ? $0 : nil } ?? version
        }
        return shared
    }

    /// The last component of the path.
    var fileName: String { (path as NSString).lastPathComponent }

    /// The name without suffix, which programs use.
    var name: String { (fileName as NSString).deletingPathExtension }

    /// The place of a version in the order of versions.
    func place(of name: String) -> Int? { versions.firstIndex { $0.name == name } }

    /// The models among the files of a side, by their paths.
    ///
    /// - Parameter entities: the entities that the versions of several sides have in common.
    static func models(in files: GateFiles, sharing entities: SharedEntities) -> [String: GateModel] {
        var parts: [String: [String]] = [:]
        for path in files.contents.keys {
            if path.hasSuffix(".\(ModelDescription.fileExtension)") {
                parts[path] = [path]
            } else if let bundle = bundle(of: path) {
                parts[bundle, default: []].append(path)
            }
        }
        return Dictionary(
            uniqueKeysWithValues: parts.map { ($0, GateModel(path: $0, of: $1, in: files, sharing: entities)) })
    }

    /// The path of the model that a file belongs to.
    static func bundle(of path: String) -> String? {
        let parts = path.split(separator: "/")
        let place =
            parts.firstIndex { $0.hasSuffix(".xcdatamodeld") } ?? parts.firstIndex { $0.hasSuffix(".xcdatamodel") }
        return place.map { parts[...$0].joined(separator: "/") }
    }

    private init(path: String, of parts: [String], in files: GateFiles, sharing entities: SharedEntities) {
        self.path = path
        problemPlace = (path, 1)
        if path.hasSuffix(".\(ModelDescription.fileExtension)") {
            readDescription(files)
        } else {
            readVersions(parts, files, entities)
            chooseCurrent(files)
        }
    }

    private mutating func readDescription(_ files: GateFiles) {
        do {
            let data = files.contents[path] ?? Data()
            let found = try ModelDescription.versions(in: data, file: files.prefix + path)
            versionsWithHandlers = ModelDescription.versionsWithHandlers(in: data)
            versions = found.map {
                GateVersion(name: $0.name, path: path, element: $0.source, prefix: files.prefix)
            }
            currentName = versions.last?.name
        } catch {
            problem = (error as NSError).localizedFailureReason ?? "\(error)"
        }
    }

    private mutating func readVersions(_ parts: [String], _ files: GateFiles, _ entities: SharedEntities) {
        var byFolder: [String: String] = [:]
        for part in parts {
            let (folder, file) = ((part as NSString).deletingLastPathComponent, (part as NSString).lastPathComponent)
            guard folder.hasSuffix(".xcdatamodel"), file == "contents" || file == "elements" else { continue }
            // Xcode 3 wrote `elements`; later versions leave it beside their own file.
            if byFolder[folder] == nil || file == "contents" { byFolder[folder] = part }
        }
        versions = byFolder.map { folder, part in
            let name = ((folder as NSString).lastPathComponent as NSString).deletingPathExtension
            return GateVersion(
                name: name, path: part, data: files.contents[part] ?? Data(), prefix: files.prefix, entities: entities)
        }
        .sorted { $0.name.compare($1.name, options: [.numeric, .caseInsensitive]) == .orderedAscending }
    }

    private mutating func chooseCurrent(_ files: GateFiles) {
        let file = "\(path)/.xccurrentversion"
        if versions.isEmpty {
            problem = "the bundle has no version"
        } else if let data = files.contents[file] {
            do {
                guard let listed = try ModelBundle.currentName(in: data, file: files.prefix + file) else {
                    return chooseWithoutFile()
                }
                let name = (listed as NSString).deletingPathExtension
                currentName = version(name)?.name
                if currentName == nil {
                    problem = "its current version '\(name)' is not in the bundle"
                    problemPlace = (file, 1)
                }
            } catch {
                let found = ModelSourcePlace.of(error)
                problem = found?.reason ?? (error as NSError).localizedFailureReason ?? "\(error)"
                problemPlace = (file, found?.place.line ?? 1)
            }
        } else {
            chooseWithoutFile()
        }
    }

    /// A first version that was never renamed has the name of the bundle.
    private mutating func chooseWithoutFile() {
        currentName = versions.count == 1 ? versions[0].name : version(name)?.name
        if currentName == nil { problem = "nothing says which of its \(versions.count) versions is the current one" }
    }
}
