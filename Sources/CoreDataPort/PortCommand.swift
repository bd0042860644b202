import Foundation

/// `coredata port`: rewrites Swift sources that were written for Apple's Core Data, as far as no compiler flag can save
/// them.
package struct PortCommand {
    package static let usage = """
        usage: coredata port PATH [--in-place | --output DIR] [--model PATH]... [--package PLACE]

        Rewrites what Swift on Linux does not compile in the Swift files (and models) at PATH: @objc and @objc(Name),
        #keyPath, the #selector of sort descriptors and observers, optional members of protocols, casts of fetch
        requests, overrides in extensions, bundles of classes, NSSet from a literal, missing imports. Adds the
        framework, its plugin and the models to the targets of Package.swift that need them. Prints the changes
        as a diff, then what has to be done by hand. Without --in-place or --output nothing is written.

          --in-place     change the files
          --output DIR   write a changed copy of PATH to DIR, which must not exist or be empty
          --model PATH   look up the keys of #keyPath in this model too (.xcdatamodeld, .xcdatamodel, .momd or .mom)
          --package PLACE  where Package.swift finds OpenCoreData: a folder or a URL; without it, the folder that this
                         program was built in

        Exit status: 0 all is done, 1 something is left to do by hand, 2 nothing was done because of an error.
        """

    private enum Outcome {
        case shown, inPlace, copied(URL)
    }

    private var path: String?
    private var outcome = Outcome.shown
    private var models: [URL] = []
    private var package: ManifestPorter.Place?

    /// Reads the arguments behind `port`.
    package init(arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--in-place":
                guard case .shown = outcome else { throw PortError("--in-place and --output exclude each other") }
                outcome = .inPlace
            case "--package":
                guard let value = rest.popFirst() else { throw PortError("'\(argument)' needs a path or a URL") }
                package = try Self.place(value)
            case "--output", "--model":
                guard let value = rest.popFirst() else { throw PortError("'\(argument)' needs a path") }
                let url = URL(fileURLWithPath: value).standardizedFileURL
                if argument == "--model" {
                    models.append(url)
                } else {
                    guard case .shown = outcome else { throw PortError("--in-place and --output exclude each other") }
                    outcome = .copied(url)
                }
            case let option where option.hasPrefix("-"): throw PortError("unknown option '\(option)'")
            default:
                guard path == nil else { throw PortError("one path at a time: '\(argument)' is too many") }
                path = argument
            }
        }
        if path == nil { throw PortError("which sources? coredata port PATH") }
    }

    /// Ports; `diff` and `message` take what is to be printed. Returns the exit status.
    package func run(diff: (String) -> Void, message: (String) -> Void) throws -> Int32 {
        let tree = try SourceTree(path ?? "")
        if case .copied(let target) = outcome { try check(target, tree) }
        let porting = try Porting(tree, models: models, package: package ?? Self.ownPackage)
        for file in porting.changed { diff(file.diff) }
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
        return left == 0 ? 0 : 1
    }

    private static func place(_ value: String) throws -> ManifestPorter.Place {
        if value.contains("://") || value.hasPrefix("git@") { return .url(value) }
        let folder = URL(fileURLWithPath: value).standardizedFileURL
        guard FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path) else {
            throw PortError("\(value): there is no package in this folder")
        }
        return .path(folder.path)
    }

    /// The package that the program was built in: it lies in the `.build` of that.
    private static var ownPackage: ManifestPorter.Place? {
        let parts = Bundle.main.executableURL?.resolvingSymlinksInPath().pathComponents ?? []
        guard let build = parts.lastIndex(of: ".build"), build > 1 else { return nil }
        return try? place("/" + parts[1..<build].joined(separator: "/"))
    }

    private func check(_ target: URL, _ tree: SourceTree) throws {
        if "\(target.path)/".hasPrefix("\(tree.root.path)/") {
            throw PortError("\(target.path): the copy cannot lie inside what is copied")
        }
        guard FileManager.default.fileExists(atPath: target.path) else { return }
        let content = try? FileManager.default.contentsOfDirectory(atPath: target.path)
        if content?.isEmpty != true { throw PortError("\(target.path): this exists and is no empty folder") }
    }
}
