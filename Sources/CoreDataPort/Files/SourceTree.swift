import Foundation

/// The files to port: a single one, or those in a folder.
struct SourceTree {
    struct File: Equatable {
        /// The path below the tree's root, or the name of the single file.
        let path: String
        let url: URL
        let bytes: [UInt8]
    }

    let root: URL
    let isFolder: Bool
    private(set) var swiftFiles: [File] = []
    /// Manifests of packages, `Package.swift`.
    private(set) var manifests: [File] = []
    /// Sources of model versions.
    private(set) var modelContents: [File] = []
    /// Models for looking up keys: bundles, and versions outside of bundles.
    private(set) var models: [URL] = []
    /// Sources of models and mapping models that a package has among its resources, below the root.
    private(set) var resources: [String] = []
    /// Catalogs of texts, which Xcode takes as resources by itself, below the root.
    private(set) var catalogs: [String] = []

    /// Reads all files. Throws for a file that is missing or cannot be read.
    init(_ path: String) throws {
        root = URL(fileURLWithPath: path).standardizedFileURL
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: root.path, isDirectory: &isDirectory) else {
            throw PortError("\(path): there is no such file or folder")
        }
        isFolder = isDirectory.boolValue
        guard isFolder else {
            guard root.pathExtension == "swift" else { throw PortError("\(path): this is no Swift file") }
            swiftFiles = [try Self.read(root, as: root.lastPathComponent)]
            return
        }
        try walk(root, "")
        // A folder of models alone is ported, too. A folder without either is an error, because the path may be wrong.
        guard !swiftFiles.isEmpty || !modelContents.isEmpty else {
            throw PortError("\(path): there are no Swift files and no models")
        }
    }

    /// Hidden folders and links are skipped, because tools make their files, or the files belong elsewhere.
    private mutating func walk(_ folder: URL, _ below: String) throws {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        } catch {
            throw PortError("\(folder.path): the folder cannot be read: \(error.localizedDescription)")
        }
        for name in names where !name.hasPrefix(".") {
            let url = folder.appendingPathComponent(name)
            let path = below.isEmpty ? name : "\(below)/\(name)"
            let type = try? FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType
            switch type {
            case .typeDirectory:
                let isVersion = url.pathExtension == "xcdatamodel"
                let isBundle = ["xcdatamodeld", "momd"].contains(url.pathExtension)
                let isModel = isBundle || isVersion && folder.pathExtension != "xcdatamodeld"
                if isModel { models.append(url) }
                if isModel && url.pathExtension != "momd" || url.pathExtension == "xcmappingmodel" {
                    resources.append(path)
                }
                if isVersion {
                    let contents = url.appendingPathComponent("contents")
                    if FileManager.default.fileExists(atPath: contents.path) {
                        modelContents.append(try Self.read(contents, as: "\(path)/contents"))
                    }
                } else if url.pathExtension != "momd" {
                    try walk(url, path)
                }
            case .typeRegular where PackageManifest.isManifest(name): manifests.append(try Self.read(url, as: path))
            case .typeRegular where url.pathExtension == "xcstrings": catalogs.append(path)
            case .typeRegular where url.pathExtension == "swift": swiftFiles.append(try Self.read(url, as: path))
            default: break
            }
        }
    }

    private static func read(_ url: URL, as path: String) throws -> File {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw PortError("\(url.path): the file cannot be read: \(error.localizedDescription)")
        }
        guard String(validating: data, as: UTF8.self) != nil else {
            throw PortError("\(url.path): the file is not UTF-8")
        }
        return File(path: path, url: url, bytes: Array(data))
    }
}
