import Foundation

/// The reading of mapping models from files, and the search for the one between two models.
package enum MappingModelFile {
    /// The mapping model in a `.cdm`, or in an `.xcmappingmodel`, whose models are near it or within. Errors name the
    /// file and the reason.
    package static func load(at url: URL) throws -> NSMappingModel {
        let mapping = try read(url)
        mapping.fileName = url.lastPathComponent
        return mapping
    }

    /// Writes to the standard error why a mapping model is not used.
    static func reportFailure(_ error: any Error, at url: URL) {
        let text = "CoreData: error: Failed to load the mapping model at '\(url.path)': \(error.localizedDescription)\n"
        FileHandle.standardError.write(Data(text.utf8))
    }

    private static func read(_ url: URL) throws -> NSMappingModel {
        if isSource(url) {
            return try MappingModelSource(at: url).mappingModel { try model($0, near: url) }
        }
        try FileKind.requireReadable(url)
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch let failure as NSError {
            throw NSError.coreData(
                failure.domain == NSCocoaErrorDomain ? failure.code : NSCoreDataError,
                reason: "The mapping model '\(url.path)' cannot be read.", url: url, underlying: failure)
        }
        do {
            return try MappingModelArchive.decode(data)
        } catch let failure as NSError {
            throw modelError(failure.localizedDescription, file: url.path)
        }
    }

    /// The entities with objects of their own that both models have.
    static func entitiesInBoth(_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) -> Set<String> {
        func names(_ model: NSManagedObjectModel) -> Set<String> {
            Set(model.entities.filter { !$0.isAbstract }.compactMap(\.name))
        }
        return names(source).intersection(names(destination))
    }

    private static func isSource(_ url: URL) -> Bool {
        url.pathExtension.lowercased() == "xcmappingmodel" || url.lastPathComponent == "xcmapping.xml"
            || ModelFile.isDirectory(url)
    }

    // MARK: The models of a source

    /// The model at a path within a project, searched in the folders around the mapping model and their subfolders.
    package static func model(_ path: String, near url: URL) throws -> NSManagedObjectModel? {
        let parts = path.split(separator: "/").map(String.init)
        guard let file = parts.last else { return nil }
        let container = parts.count > 1 ? parts[parts.count - 2] : ""
        var folder = url.deletingLastPathComponent()
        for climb in 0..<maximumClimb {
            // The path in the project may begin at any folder.
            for start in parts.indices {
                let candidate = folder.appendingPathComponent(parts[start...].joined(separator: "/"))
                if FileManager.default.fileExists(atPath: candidate.path) { return try ModelFile.load(at: candidate) }
            }
            // The search descends fewer levels from folders that are further away, because these may belong to another
            // project.
            if climb < maximumDescent,
                let found = search(folder, for: file, in: container, depth: maximumDescent - climb)
            {
                return try ModelFile.load(at: found)
            }
            let parent = folder.deletingLastPathComponent()
            if parent.path == folder.path { break }
            folder = parent
        }
        return nil
    }

    /// The number of folders above the mapping model, and of levels below each, that are searched.
    private static let maximumClimb = 4
    private static let maximumDescent = 3

    /// Searches a version, as source or compiled, within its bundle.
    private static func search(_ folder: URL, for file: String, in container: String, depth: Int) -> URL? {
        let (version, bundle) = (stem(file), stem(container))
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
        for name in names where stem(name) == bundle || stem(name) == version {
            let url = folder.appendingPathComponent(name)
            let candidates: [URL] =
                switch url.pathExtension {
                case "xcdatamodeld": [url.appendingPathComponent(file)]
                case "momd": [url.appendingPathComponent("\(version).mom")]
                case "xcdatamodel", "mom": container.hasSuffix(".xcdatamodeld") || stem(name) != version ? [] : [url]
                default: []
                }
            for found in candidates where FileManager.default.fileExists(atPath: found.path) { return found }
        }
        guard depth > 0 else { return nil }
        for name in names where !name.hasPrefix(".") {
            let url = folder.appendingPathComponent(name)
            guard url.pathExtension.isEmpty, ModelFile.isDirectory(url) else { continue }
            if let found = search(url, for: file, in: container, depth: depth - 1) { return found }
        }
        return nil
    }

    private static func stem(_ name: String) -> String { (name as NSString).deletingPathExtension }
}
