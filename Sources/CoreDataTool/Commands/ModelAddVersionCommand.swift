import CoreData
import Foundation

/// `coredata model add-version`: a copy of the current version that becomes the current one.
package struct ModelAddVersionCommand: Command {
    package static let page = CommandPage(
        "model add-version", "add a version to a model's source, as a copy that becomes the current one",
        operands: [.model, Operand("NAME", .optional)],
        discussion: [
            "Copies a version of an .xcdatamodeld and makes the copy the current one. Stores that were written with "
                + "the version before stay readable, because it stays as it is. From then on 'coredata model edit' "
                + "changes the copy, and a renaming writes the identifier by which a migration finds the values. "
                + "Without NAME the version is called as Xcode calls it: 'Library 2'."
        ],
        options: [.version],
        examples: [.init("coredata model add-version Library.xcdatamodeld", "add 'Library 2'")])

    private let path: String
    private let version: String?
    private let name: String?

    package init(_ arguments: Arguments) throws {
        path = try arguments.required(0)
        // Lists of a bundle's folders show names with the suffix.
        name = arguments.operand(1).map { $0.hasSuffix(".xcdatamodel") ? String($0.dropLast(12)) : $0 }
        version = arguments.value("version")
        if let name, name.isEmpty || name.contains("/") || name.hasPrefix(".") {
            throw arguments.misuse("'\(name)' is no name of a version")
        }
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let bundle = try SourceBundle(path)
        guard bundle.hasVersions else {
            throw ToolError(
                .failed, "\(path) is a single version",
                details: ["Move it into a folder of the name .xcdatamodeld, which holds versions."])
        }
        let source = try bundle.versionName(version)
        let names = try bundle.versionNames()
        let new = name ?? Self.nextName(of: bundle, besides: names)
        guard !names.contains(where: { $0.lowercased() == new.lowercased() }) else {
            throw ToolError(.failed, "\(path) has a version '\(new)' already")
        }
        let list = try bundle.currentVersionList(naming: new)
        do {
            try FileManager.default.copyItem(
                at: bundle.folder(source).resolvingSymlinksInPath(), to: bundle.folder(new))
            // A copied link would make both versions one file.
            let copy = bundle.folder(new).appendingPathComponent("contents")
            if (try? FileManager.default.destinationOfSymbolicLink(atPath: copy.path)) != nil {
                let contents = try Data(contentsOf: URL(fileURLWithPath: bundle.contents(source)))
                try FileManager.default.removeItem(at: copy)
                try contents.write(to: copy)
            }
        } catch {
            throw ToolError(error, at: path)
        }
        try OutputFile.write(
            Data(list), to: bundle.url.appendingPathComponent(".xccurrentversion").path, isForced: true)
        try console.line(Table.onOneLine(new))
        return .done
    }

    private static func nextName(of bundle: SourceBundle, besides names: [String]) -> String {
        let base = bundle.url.deletingPathExtension().lastPathComponent
        let taken = Set(names.map { $0.lowercased() })
        let number = ((names.count + 1)...).first { !taken.contains("\(base) \($0)".lowercased()) }
        return "\(base) \(number ?? 2)"
    }
}
