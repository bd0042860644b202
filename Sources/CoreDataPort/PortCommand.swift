import Foundation

/// The command `coredata port`: rewrites Swift sources for Apple's Core Data that no compiler flag can make valid on
/// Linux.
package struct PortCommand {
    private enum Outcome {
        case shown, inPlace, copied(URL)
    }

    private let path: String
    private let outcome: Outcome
    private let models: [URL]
    private let package: ManifestPorter.Location?
    private let options: PortOptions

    /// The output of `--rules`: each rule with its effect.
    package static var rules: String { PortRules.list }

    /// - Parameters:
    ///   - path: a file, or a folder.
    ///   - inPlace: whether the files themselves are changed.
    ///   - output: the folder for a changed copy; excludes `inPlace`.
    ///   - models: models whose keys `#keyPath` may name, beside those at `path`.
    ///   - package: the place of the framework for Package.swift: a folder or a URL.
    ///   - options: the choices of the user.
    package init(
        path: String, inPlace: Bool, output: String?, models: [String], package: String?, options: PortOptions
    ) throws {
        if inPlace, output != nil { throw PortError("--in-place and --output exclude each other") }
        self.path = path
        let file = { URL(fileURLWithPath: $0).standardizedFileURL }
        outcome = inPlace ? .inPlace : output.map { .copied(file($0)) } ?? .shown
        self.models = models.map(file)
        self.package = try package.map(Self.location)
        self.options = options
    }

    /// Ports the sources. `diff` and `message` receive the text to print. Returns whether work by hand is left.
    package func run(diff: (String) throws -> Void, message: (String) -> Void) throws -> Bool {
        let tree = try SourceTree(path)
        if case .copied(let target) = outcome { try check(target, tree) }
        let porting = try Porting(tree, models: models, package: package ?? Self.ownPackage, options: options)
        for file in porting.changed { try diff(file.diff) }
        switch outcome {
        case .shown: break
        case .inPlace: try FileWriter.replace(porting.changed.map { ($0.file.url, $0.bytes) })
        case .copied(let target):
            try FileWriter.copy(
                tree.root, to: target, changed: porting.changed.map { ($0.file.path, $0.bytes) },
                isFolder: tree.isFolder)
        }
        for note in porting.notes { message("\(note)\n") }
        let left = porting.notes.filter { $0.kind == .byHand }.count
        let changes = porting.changed.reduce(0) { $0 + $1.edits.count }
        var summary =
            "\(changes) \(changes == 1 ? "change" : "changes") in \(porting.changed.count) of "
            + "\(tree.swiftFiles.count + tree.modelContents.count + tree.manifests.count) files, \(left) to do by hand"
        if case .shown = outcome, changes > 0 { summary += "; nothing was written" }
        message("\(summary)\n")
        return left > 0
    }

    private static func location(_ value: String) throws -> ManifestPorter.Location {
        if value.contains("://") || value.hasPrefix("git@") { return .url(value) }
        let folder = URL(fileURLWithPath: value).standardizedFileURL
        guard FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path) else {
            throw PortError("\(value): there is no package in this folder")
        }
        return .path(folder.path)
    }

    /// The package in whose `.build` folder the program is.
    private static var ownPackage: ManifestPorter.Location? {
        let parts = Bundle.main.executableURL?.resolvingSymlinksInPath().pathComponents ?? []
        guard let build = parts.lastIndex(of: ".build"), build > 1 else { return nil }
        return try? location("/" + parts[1..<build].joined(separator: "/"))
    }

    private func check(_ target: URL, _ tree: SourceTree) throws {
        if "\(target.path)/".hasPrefix("\(tree.root.path)/") {
            throw PortError("\(target.path): the copy cannot lie inside what is copied", isAboutTarget: true)
        }
        guard FileManager.default.fileExists(atPath: target.path) else { return }
        let content = try? FileManager.default.contentsOfDirectory(atPath: target.path)
        if content?.isEmpty != true {
            throw PortError("\(target.path): this exists and is no empty folder", isAboutTarget: true)
        }
    }
}
