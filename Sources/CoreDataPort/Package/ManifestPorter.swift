import Foundation

/// Adds the framework and other packages to a package: the dependencies, and products, plugin and models for each
/// target that needs them.
struct ManifestPorter {
    /// The place of the package OpenCoreData.
    enum Location: Equatable {
        case path(String)
        case url(String)
    }

    /// A target with new needs.
    struct Needy {
        /// The index among the targets of the manifest.
        let target: Int
        let products: Set<PackageProduct>
        /// Models and mapping models in it, relative to its folder.
        let models: [String]
        /// Catalogs of texts in it. Xcode makes resources of those that the manifest does not name, too.
        let catalogs: [String]
    }

    private static let plugin = ".plugin(name: \"CoreDataModelPlugin\", package: \"OpenCoreData\")"
    private static let openCombine =
        ".package(url: \"https://github.com/OpenCombine/OpenCombine.git\", from: \"0.14.0\")"

    /// The order that the compiler requires of these arguments.
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
    private let needy: [Needy]
    private let location: Location?
    private(set) var edits: [TextEdit] = []
    private(set) var notes: [PortNote] = []

    init(_ manifest: PackageManifest, _ needy: [Needy], _ location: Location?) {
        self.manifest = manifest
        self.needy = needy
        self.location = location
    }

    /// Applies the rules to a manifest that has targets in need.
    mutating func run(_ rules: PortRules) {
        guard !needy.isEmpty, manifest.package != nil else { return }
        for port in rules.ofManifests { port(&self) }
    }

    /// Adds the packages, and to each target the products, the models and the plugin.
    mutating func addProducts() {
        // Without a version of the tools the form of the manifest is not certain.
        guard manifest.toolsVersion != nil, addPackages() else { return }
        for target in needy {
            let call = manifest.targets[target.target].call
            let known = call["dependencies"].map { manifest.texts(in: $0.value) } ?? []
            // A target that names the package has the framework already.
            let products = PackageProduct.allCases.filter { product in
                target.products.contains(product)
                    && !known.contains(product == .framework ? product.package : product.rawValue)
            }
            if !products.isEmpty {
                add(products.map(\.dependency), to: "dependencies", of: call, Self.orderOfTarget)
            }
            let isManaged = target.products.contains(.framework)
            addResources((isManaged ? target.models : []) + target.catalogs, to: call)
            if isManaged { addPlugin(to: call) }
            if products.contains(.openCombine) { noteOpenCombine(target) }
        }
    }

    /// Adds the missing packages. Returns false if the place of OpenCoreData was not given.
    private mutating func addPackages() -> Bool {
        guard let package = manifest.package else { return false }
        let known = manifest.texts(in: 0..<manifest.tokens.count)
        let needed = Set(needy.flatMap(\.products).map(\.package))
        var missing: [String] = []
        if needed.contains("OpenCoreData"), !known.contains("OpenCoreData") {
            guard let location else {
                note(
                    .byHand, line: 1, column: 1,
                    "say where the package OpenCoreData is, by '--package PATH' or '--package URL'")
                return false
            }
            missing.append(Self.dependency(location))
        }
        if needed.contains("OpenCombine"), !known.contains("OpenCombine") { missing.append(Self.openCombine) }
        if !missing.isEmpty { add(missing, to: "dependencies", of: package, Self.orderOfPackage) }
        return true
    }

    private mutating func addResources(_ files: [String], to call: PackageManifest.Call) {
        let resources = call["resources"].map { manifest.texts(in: $0.value) } ?? []
        let missing = files.filter { file in
            !resources.contains { file == $0 || file.hasPrefix($0 + "/") || $0 == "." }
        }
        if !missing.isEmpty {
            add(missing.map { ".process(\"\($0)\")" }, to: "resources", of: call, Self.orderOfTarget)
        }
    }

    private mutating func addPlugin(to call: PackageManifest.Call) {
        let plugins = call["plugins"].map { manifest.texts(in: $0.value) } ?? []
        if !plugins.contains("CoreDataModelPlugin") {
            add([Self.plugin], to: "plugins", of: call, Self.orderOfTarget)
        }
    }

    private mutating func noteOpenCombine(_ target: Needy) {
        let place = manifest.tokens[manifest.targets[target.target].call.close]
        note(
            .hint, line: place.line, column: place.column,
            "the target '\(manifest.targets[target.target].name)' uses OpenCombine on Linux, in place of Combine")
    }

    private static func dependency(_ location: Location) -> String {
        switch location {
        case .url(let url): ".package(url: \"\(url)\", branch: \"main\")"
        case .path(let path): ".package(name: \"OpenCoreData\", path: \"\(path)\")"
        }
    }

    // MARK: Tools version

    /// Plugins need version 5.6 of the manifest's language.
    mutating func raiseToolsVersion() {
        guard let version = manifest.toolsVersion else {
            return note(
                .byHand, line: 1, column: 1,
                "the manifest names no version of the tools: write one of 5.9 or later, with its targets, and port again"
            )
        }
        if (version.major, version.minor) >= (5, 6) { return }
        edits.append(TextEdit(range: version.range, replacement: "5.9"))
        note(
            .hint, line: version.line, column: 1, "a plugin needs version 5.6 of the manifest or later: it becomes 5.9")
    }

    private mutating func note(_ kind: PortNote.Kind, line: Int, column: Int, _ message: String) {
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
            // The value is a name, a sum or another expression.
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

    /// The separator between an argument or element and the one before it, in the existing layout.
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
