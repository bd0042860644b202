import CoreData
import Foundation

/// An `.xcdatamodeld` or an `.xcdatamodel` whose files are edited.
struct SourceBundle {
    let shown: String
    let url: URL

    init(_ path: String) throws {
        shown = path
        url = try ModelSourceFile.url(path)
    }

    var hasVersions: Bool { url.pathExtension.lowercased() == "xcdatamodeld" }

    /// The name of a version, or of the current one; an unknown name is an error.
    func versionName(_ name: String?) throws -> String {
        if !hasVersions {
            guard name == nil else { throw ToolError(.usage, "\(shown) is a single version, and has no other") }
            return url.deletingPathExtension().lastPathComponent
        }
        guard let name else {
            do {
                return try ModelBundle.currentVersion(at: url).name
            } catch {
                throw ToolError(.unreadable, ToolError(error, at: shown).message)
            }
        }
        let names = try versionNames()
        guard names.contains(name) else {
            throw ToolError(.usage, "\(shown) has no version '\(name)'" + NearestName.hint(name, among: names))
        }
        return name
    }

    /// The names of all versions, sorted.
    func versionNames() throws -> [String] {
        guard hasVersions else { return [url.deletingPathExtension().lastPathComponent] }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: url.path)
                .filter { $0.lowercased().hasSuffix(".xcdatamodel") }
                .map { URL(fileURLWithPath: $0).deletingPathExtension().lastPathComponent }.sorted()
        } catch {
            throw ToolError(error, at: shown)
        }
    }

    /// The folder of a version.
    func folder(_ version: String) -> URL {
        hasVersions ? url.appendingPathComponent("\(version).xcdatamodel") : url
    }

    /// The path of the XML of a version.
    func contents(_ version: String) throws -> String {
        let folder = folder(version)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
            return folder.path
        }
        let file = folder.appendingPathComponent("contents")
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw ToolError(
                .unreadable, "\(shown): version '\(version)' has no file 'contents', and is not edited",
                details: ["Open a model of Xcode 3 in a later Xcode once, or use 'coredata model from'."])
        }
        return file.path
    }

    /// Reads a file of the bundle.
    static func text(_ path: String) throws -> XMLFileText {
        do {
            return try XMLFileText([UInt8](Data(contentsOf: URL(fileURLWithPath: path))), file: path)
        } catch let error as ToolError {
            throw error
        } catch {
            throw ToolError(error, at: path)
        }
    }

    /// Whether another version of the bundle has an entity, or a property of it. Versions that cannot be read do not
    /// count.
    func isInOthers(than version: String) throws -> (_ entity: String, _ property: String?) -> Bool {
        let others = try versionNames().filter { $0 != version }.compactMap { try? ModelFile.source(at: folder($0)) }
        return { entity, property in
            others.contains { root in
                let found = root.children(named: "entity").first { $0.text("name") == entity }
                guard let property else { return found != nil }
                return found?.children.contains { $0.name != "userInfo" && $0.text("name") == property } ?? false
            }
        }
    }

    // MARK: The current version

    private static let currentKey = "_XCCurrentVersionName"

    /// The text of an `.xccurrentversion`.
    static func currentVersionList(_ version: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t<key>\(currentKey)</key>
        \t<string>\(ModelSourceElement.escaped(version)).xcdatamodel</string>
        </dict>
        </plist>

        """
    }

    /// The bytes of the bundle's `.xccurrentversion` with another version. Only the name changes.
    func currentVersionList(naming version: String) throws -> [UInt8] {
        let file = url.appendingPathComponent(".xccurrentversion").path
        guard FileManager.default.fileExists(atPath: file) else {
            return [UInt8](Self.currentVersionList(version).utf8)
        }
        var text = try Self.text(file)
        let key = text.places(of: "key").first { place in
            let source = text.elements[place].source
            guard let end = source.endTag else { return false }
            let bytes = text.bytes[source.startTag.upperBound..<end.lowerBound]
            return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespaces) == Self.currentKey
        }
        guard let key, text.elements.indices.contains(key + 1), text.elements[key + 1].name == "string",
            let end = text.elements[key + 1].source.endTag
        else { return [UInt8](Self.currentVersionList(version).utf8) }
        let start = text.elements[key + 1].source.startTag.upperBound
        try text.apply([
            XMLFileText.Change(
                range: start..<end.lowerBound, text: ModelSourceElement.escaped(version) + ".xcdatamodel")
        ])
        return text.bytes
    }

    // MARK: New files

    /// The text of a `contents` file with elements.
    static func contents(_ children: [ModelSourceElement]) -> String {
        let model = ModelSourceElement(
            "model",
            [
                ("type", "com.apple.IDECoreDataModeler.DataModel"), ("documentVersion", "1.0"),
                ("lastSavedToolsVersion", "23507"), ("systemVersion", "24A335"), ("minimumToolsVersion", "Automatic"),
                ("sourceLanguage", "Swift"), ("userDefinedModelVersionIdentifier", ""),
            ], children)
        // Xcode ends an empty model by a tag of its own.
        var text = model.text(indent: "", unit: "    ", newline: "\n")
        if children.isEmpty { text = String(text.dropLast(2)) + ">\n</model>" }
        return "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n" + text
    }

    /// Writes a new bundle of one version with the name of the bundle.
    ///
    /// - Throws: `ToolError` if something is at the path already.
    static func create(_ path: String, _ children: [ModelSourceElement]) throws {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        let url = URL(fileURLWithPath: path)
        guard url.pathExtension == "xcdatamodeld" else {
            throw ToolError(.usage, "'\(path)' names no model; write NAME.xcdatamodeld")
        }
        guard !FileManager.default.fileExists(atPath: url.path) else {
            throw ToolError(.failed, "\(path) is there already; nothing was written")
        }
        let name = url.deletingPathExtension().lastPathComponent
        guard !name.hasPrefix(".") else { throw ToolError(.usage, "'\(path)' names no model; write NAME.xcdatamodeld") }
        let version = url.appendingPathComponent("\(name).xcdatamodel")
        do {
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        } catch {
            throw ToolError(error, at: path)
        }
        try OutputFile.write(
            Data(contents(children).utf8), to: version.appendingPathComponent("contents").path, isForced: false)
        try OutputFile.write(
            Data(currentVersionList(name).utf8), to: url.appendingPathComponent(".xccurrentversion").path,
            isForced: false)
    }
}
