import Foundation

/// Adds the framework to a package: the dependency, and for each target that needs it product, plugin and models.
struct ManifestPorter {
    /// Where the package OpenCoreData is to be found.
    enum Location: Equatable {
        case path(String)
        case url(String)
    }

    private static let name = "OpenCoreData"
    private static let product =
        ".product(name: \"CoreData\", package: \"\(name)\", condition: .when(platforms: [.linux]))"
    private static let plugin = ".plugin(name: \"CoreDataModelPlugin\", package: \"\(name)\")"

    /// Arguments have to stand in this order.
    private static let orderOfPackage = [
        "name", "defaultLocalization", "platforms", "pkgConfig", "providers", "products", "traits", "dependencies",
        "targets",
        "swiftLanguageVersions", "swiftLanguageModes", "cLanguageStandard", "cxxLanguageStandard",
    ]
    private static let orderOfTarget = [
        "name", "dependencies", "path", "exclude", "sources", "resources", "publicHeadersPath", "packageAccess",
        "cSettings",
        "cxxSettings", "swiftSettings", "linkerSettings", "plugins",
    ]

    private let manifest: PackageManifest
    private(set) var edits: [TextEdit] = []
    private(set) var notes: [PortNote] = []

    init(_ manifest: PackageManifest) { self.manifest = manifest }

    /// Does it. `needy` are the places of the targets that name the framework, with the models in them, relative to the
    /// target's folder.
    mutating func run(needy: [(target: Int, models: [String])], location: Location?) {
        guard !needy.isEmpty else { return }
        guard let package = manifest.package, raiseToolsVersion() else { return }
        if !manifest.texts(in: 0..<manifest.tokens.count).contains(Self.name) {
            guard let location else {
                return note(
                    .byHand, 1, 1, "say where the package OpenCoreData is, by '--package PATH' or '--package URL'")
            }
            add([Self.dependency(location, from: manifest)], to: "dependencies", of: package, Self.orderOfPackage)
        }
        for (number, models) in needy {
            let call = manifest.targets[number].call
            let known = call["dependencies"].map { manifest.texts(in: $0.value) } ?? []
            if !known.contains(Self.name) { add([Self.product], to: "dependencies", of: call, Self.orderOfTarget) }
            let resources = call["resources"].map { manifest.texts(in: $0.value) } ?? []
            let missing = models.filter { model in
                !resources.contains { model == $0 || model.hasPrefix($0 + "/") || $0 == "." }
            }
            if !missing.isEmpty {
                add(missing.map { ".process(\"\($0)\")" }, to: "resources", of: call, Self.orderOfTarget)
            }
            let plugins = call["plugins"].map { manifest.texts(in: $0.value) } ?? []
            if !plugins.contains("CoreDataModelPlugin") {
                add([Self.plugin], to: "plugins", of: call, Self.orderOfTarget)
            }
        }
    }

    private static func dependency(_ location: Location, from manifest: PackageManifest) -> String {
        switch location {
        case .url(let url): ".package(url: \"\(url)\", branch: \"main\")"
        case .path(let path): ".package(name: \"\(name)\", path: \"\(path)\")"
        }
    }

    // MARK: Tools version

    /// Plugins need version 5.6 of the manifest's language. False when it cannot be had.
    private mutating func raiseToolsVersion() -> Bool {
        if let version = manifest.toolsVersion {
            if (version.major, version.minor) >= (5, 6) { return true }
            edits.append(TextEdit(range: version.range, replacement: "5.9"))
            note(.hint, version.line, 1, "a plugin needs version 5.6 of the manifest or later: it becomes 5.9")
            return true
        }
        note(
            .byHand, 1, 1,
            "the manifest names no version of the tools: write one of 5.9 or later, with its targets, and port again")
        return false
    }

    private mutating func note(_ kind: PortNote.Kind, _ line: Int, _ column: Int, _ message: String) {
        notes.append(PortNote(kind: kind, file: manifest.name, line: line, column: column, message: message))
    }

    // MARK: Writing

    /// Adds elements to an array among the arguments of a call.
    private mutating func add(
        _ elements: [String], to label: String, of call: PackageManifest.Call, _ order: [String]
    ) {
        if let argument = call[label] { return append(elements, to: argument) }
        let text = "\(label): [\(elements.joined(separator: ", "))]"
        let rank = order.firstIndex(of: label) ?? order.count
        if let next = call.arguments.first(where: { order.firstIndex(of: $0.label) ?? -1 > rank }) {
            return insert(text + separator(at: next.index), at: manifest.tokens[next.index].range.lowerBound)
        }
        guard let last = call.arguments.last else { return }
        insert(separator(at: last.index) + text, at: manifest.tokens[last.value.upperBound - 1].range.upperBound)
    }

    private mutating func append(_ elements: [String], to argument: PackageManifest.Call.Argument) {
        let tokens = manifest.tokens
        guard let known = manifest.arrayElements(argument.value) else {
            // A name, a sum …
            return insert(
                " + [\(elements.joined(separator: ", "))]", at: tokens[argument.value.upperBound - 1].range.upperBound)
        }
        guard let first = known.first, let last = known.last else {
            return insert(
                elements.joined(separator: ", "), at: tokens[argument.value.lowerBound].range.upperBound)
        }
        let between = separator(at: first.lowerBound)
        insert(elements.map { between + $0 }.joined(), at: tokens[last.upperBound - 1].range.upperBound)
    }

    /// What separates an argument or element from the one before it, in the layout that is there.
    private func separator(at index: Int) -> String {
        let token = manifest.tokens[index]
        guard token.follows == .newline else { return ", " }
        let start = manifest.bytes[..<token.range.lowerBound].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return ",\n" + String(decoding: manifest.bytes[start..<token.range.lowerBound], as: UTF8.self)
    }

    private mutating func insert(_ text: String, at position: Int) {
        // Texts for one place are written in the order of the calls.
        if let known = edits.firstIndex(where: { $0.range == position..<position }) {
            edits[known].replacement += text
        } else {
            edits.append(TextEdit(range: position..<position, replacement: text))
        }
    }
}
