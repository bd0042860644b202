// Implementation notes: ModelFiles.
//
// - The hashes in a bundle's version information show which version to decode. The model's own hashes decide; if they
//   contradict the bundle, all versions are read.
// - `KeptFiles` keeps decoded files by path and `FileState`, up to a limit. Each caller gets a copy, because models may
//   be edited until a coordinator uses them.

import Foundation

/// The versions in a `.momd` or `.xcdatamodeld` bundle.
package enum ModelBundle {
    package typealias Version = ManagedModelVersion

    /// All versions by name. A single `.mom` or `.xcdatamodel` is a bundle of one version, named like the file.
    package static func versions(at url: URL) throws -> [String: NSManagedObjectModel] {
        Dictionary(try allVersions(at: url).map { ($0.name, $0.model) }, uniquingKeysWith: { first, _ in first })
    }

    /// All versions, sorted by name as people sort ("Model 9" before "Model 10").
    package static func allVersions(at url: URL) throws -> [Version] {
        let listing = try Listing(url)
        return try listing.files.map { file in
            Version(
                name: listing.name(of: file), isCurrent: file == listing.current, model: try listing.load(file))
        }
    }

    /// A version that is read when it is needed.
    struct ListedVersion {
        let name: String
        /// The entities' hashes that the bundle records; nil if it records none. The hashes of the model itself decide.
        let hashes: [String: Data]?
        fileprivate let recordedChecksum: String?
        let load: () throws -> NSManagedObjectModel

        /// The checksum that the bundle records; nil if it records none.
        var checksum: String? { recordedChecksum ?? hashes.map(VersionHash.checksum) }
    }

    /// The versions at a URL, sorted by name. None of them is read yet.
    static func listedVersions(at url: URL) throws -> [ListedVersion] {
        let listing = try Listing(url)
        return listing.files.map { file in
            let name = listing.name(of: file)
            return ListedVersion(
                name: name, hashes: listing.information?.hashes[name],
                recordedChecksum: listing.information?.checksums[name]
            ) { try listing.load(file) }
        }
    }

    /// The version to use.
    package static func currentVersion(at url: URL) throws -> Version {
        let listing = try Listing(url)
        guard let current = listing.current else {
            throw modelError(
                "The bundle does not say which of its \(listing.files.count) versions is the current one.",
                file: url.path)
        }
        return Version(name: listing.name(of: current), isCurrent: true, model: try listing.load(current))
    }

    /// The name of the folder of the current version, as the bytes of a source bundle's `.xccurrentversion` have it.
    package static func currentName(in data: Data, file: String) throws -> String? {
        guard case .string(let name)? = try PropertyListValue.dictionary(in: data, file: file)["_XCCurrentVersionName"]
        else { return nil }
        return name
    }

    /// The base64 checksum of each version by its name; read from the bundle's version information if that has it,
    /// computed otherwise.
    package static func checksums(at url: URL) throws -> [String: String] {
        var result: [String: String] = [:]
        for version in try listedVersions(at: url) {
            result[version.name] = try version.checksum ?? version.load().versionChecksum
        }
        return result
    }
}

/// The information of a bundle about itself, read without loading any version.
private struct Listing {
    let url: URL
    var files: [URL] = []
    var current: URL?
    var information: VersionInformation?

    init(_ url: URL) throws {
        self.url = url
        switch url.pathExtension.lowercased() {
        case "momd":
            files = try Self.members(of: url, suffix: "mom")
            try readVersionInformation()
        case "xcdatamodeld":
            files = try Self.members(of: url, suffix: "xcdatamodel")
            try readCurrentVersion()
        default:
            files = [url]
            current = url
        }
        guard !files.isEmpty else {
            let versions = "a version is a folder NAME.xcdatamodel with a file 'contents'"
            let hint = url.pathExtension.lowercased() == "xcdatamodeld" ? ": \(versions)." : "."
            throw modelError("The bundle holds no model\(hint)", file: url.path)
        }
        if current == nil, files.count == 1 { current = files[0] }
    }

    func name(of file: URL) -> String { file.deletingPathExtension().lastPathComponent }

    func load(_ file: URL) throws -> NSManagedObjectModel {
        let model = try ModelFile.load(at: file)
        if file != url { model.bundleOfVersions = url }
        if let hashes = information?.hashes[name(of: file)] {
            for entity in model.entities { entity.recordedVersionHash = hashes[entity.name ?? ""] }
        }
        return model
    }

    private static func members(of url: URL, suffix: String) throws -> [URL] {
        try FileKind.requireReadable(url)
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        } catch let failure as NSError {
            throw NSError.coreData(
                failure.domain == NSCocoaErrorDomain ? failure.code : NSCoreDataError,
                reason: "The model bundle '\(url.path)' cannot be read.", url: url, underlying: failure)
        }
        return names.map { url.appendingPathComponent($0) }
            .filter { $0.pathExtension.lowercased() == suffix }
            .sorted { left, right in
                let (name, other) = (left.deletingPathExtension(), right.deletingPathExtension())
                return name.lastPathComponent.compare(
                    other.lastPathComponent, options: [.numeric, .caseInsensitive]) == .orderedAscending
            }
    }

    private mutating func readVersionInformation() throws {
        information = try VersionInformation.read(of: url)
        if let name = information?.currentName {
            current = files.first { self.name(of: $0) == name }
            guard current != nil else {
                throw modelError("The current version '\(name)' is not in the bundle.", file: url.path)
            }
        }
    }

    /// `.xccurrentversion` of a source bundle; bundles of a single version lack it.
    private mutating func readCurrentVersion() throws {
        let file = url.appendingPathComponent(".xccurrentversion")
        let isThere = FileManager.default.fileExists(atPath: file.path)
        let listed =
            try isThere ? ModelBundle.currentName(in: PropertyListValue.contents(of: file), file: file.path) : nil
        if let name = listed {
            current = files.first { $0.lastPathComponent == name }
            guard current != nil else {
                let lines = (try? String(contentsOf: file, encoding: .utf8))?.split(
                    separator: "\n", omittingEmptySubsequences: false)
                let line = lines?.firstIndex { $0.contains("<string>") }
                let names = files.map(\.lastPathComponent)
                let nearest =
                    names.first { $0 == "\(name).xcdatamodel" }.map { "; write '\($0)'." }
                    ?? NearestName.hint(name, among: names)
                throw ModelSourcePlace(file: file.path, line: (line ?? 0) + 1)
                    .error("The current version '\(name)' is not in the bundle\(nearest.isEmpty ? "." : nearest)")
            }
        } else {
            // A first version that was never renamed has the name of the bundle.
            current = files.first { self.name(of: $0) == self.name(of: url) }
            if let current, files.count > 1 {
                ModelWarning(
                    place: ModelSourcePlace(file: file.path, line: 1),
                    text: (isThere ? "it has no key '_XCCurrentVersionName', and does not say" : "no file says")
                        + " which of the \(files.count) versions is the current one, so it is "
                        + "'\(current.lastPathComponent)', which has the name of the bundle; write the file."
                ).post()
            }
        }
    }
}
