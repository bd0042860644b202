import Foundation

/// Loads one model from a file or bundle of any kind, with errors that name file, place and reason.
///
/// | suffix | meaning |
/// |---|---|
/// | `.xcdatamodeld` | source bundle of several versions; the current one is loaded |
/// | `.xcdatamodel` | source of one version: a folder with a file `contents`, or that XML itself |
/// | `.momd` | compiled bundle of several versions; the current one is loaded |
/// | `.mom` | one compiled version |
package enum ModelFile {
    /// The model at the URL; the current version of a bundle.
    package static func load(at url: URL) throws -> NSManagedObjectModel {
        switch url.pathExtension.lowercased() {
        case "xcdatamodeld", "momd": return try ModelBundle.currentVersion(at: url).model
        case "xcdatamodel": return try loadSource(at: url)
        case "mom": return try loadCompiled(at: url)
        default: break
        }
        // Without one of these suffixes the content decides.
        if isDirectory(url) { return try loadSource(at: url) }
        return try load(url) { data in
            data.starts(with: Array("bplist".utf8))
                ? try decodeCompiled(data, url: url) : try ModelSourceReader.model(from: data, file: url.path)
        }
    }

    /// Models that were read, as they were: each caller gets a copy. The limit is in bytes, as `weight(of:)` counts
    /// them.
    private static let kept = KeptFiles<NSManagedObjectModel>(limit: 64_000_000)

    private static func load(_ file: URL, decode: (Data) throws -> NSManagedObjectModel) throws -> NSManagedObjectModel
    {
        try kept.use(file, read: contents) { data in
            ModelEffort.countModel()
            let model = try decode(data)
            return (model, weight(of: model))
        } _: { model in
            let copy = model.copied()
            copy.resolveReferences()
            return copy
        }
    }

    /// The approximate number of bytes that a model takes.
    private static func weight(of model: NSManagedObjectModel) -> Int {
        model.entities.reduce(0) { $0 + 1_000 + 600 * $1.ownProperties.count }
    }

    /// The XML tree of a source model (`.xcdatamodel` or its `contents`), for callers that need parts which the model
    /// does not keep. For a model of Xcode 3 it is the tree that a later Xcode would have written.
    package static func source(at url: URL) throws -> XMLTreeElement {
        let file = try sourceFile(of: url)
        return try source(in: contents(of: file), file: file.path)
    }

    /// The model of the text of a `contents` file, and the warnings about it. It is read anew, and not kept.
    ///
    /// - Parameter file: The name in errors and warnings.
    package static func model(
        ofSource text: Data, file: String
    ) throws -> (model: NSManagedObjectModel, warnings: [ModelWarning]) {
        let warnings = Locked<[ModelWarning]>([])
        let model = try ModelWarning.taken(by: { warning in warnings.withLock { $0.append(warning) } }) {
            try ModelSourceReader(root: source(in: text, file: file), file: file).makeModel()
        }
        return (model, warnings.withLock { $0 })
    }

    /// The warnings about a source (`.xcdatamodel`), which is read anew.
    package static func warnings(ofSourceAt url: URL) throws -> [ModelWarning] {
        let file = try sourceFile(of: url)
        return try model(ofSource: contents(of: file), file: file.path).warnings
    }

    /// The XML tree of a source model whose bytes the caller has read.
    ///
    /// - Parameter locates: See `XMLTreeElement.model(in:file:locates:)`.
    package static func source(in data: Data, file: String, locates: Bool = true) throws -> XMLTreeElement {
        guard data.starts(with: Array("bplist".utf8)) else {
            return try XMLTreeElement.model(in: data, file: file, locates: locates)
        }
        do {
            return try XcodeModelArchive.source(in: data)
        } catch let failure as NSError {
            throw modelError(
                "The model in the binary format of Xcode 3 cannot be read: \(failure.localizedDescription)",
                file: file)
        }
    }

    /// The model of a source tree.
    package static func model(of source: XMLTreeElement, file: String) throws -> NSManagedObjectModel {
        try ModelSourceReader(root: source, file: file).makeModel()
    }

    private static func loadSource(at url: URL) throws -> NSManagedObjectModel {
        let file = try sourceFile(of: url)
        return try load(file) { data in
            try model(of: source(in: data, file: file.path), file: file.path)
        }
    }

    private static func sourceFile(of url: URL) throws -> URL {
        guard isDirectory(url) else { return url }
        // Xcode 3 wrote `elements`; later versions leave it beside their own file.
        for name in ["contents", "elements"] {
            let file = url.appendingPathComponent(name, isDirectory: false)
            if FileManager.default.fileExists(atPath: file.path) { return file }
        }
        throw modelError("The model has no file 'contents', which has its elements; write one.", file: url.path)
    }

    private static func loadCompiled(at url: URL) throws -> NSManagedObjectModel {
        try load(url) { try decodeCompiled($0, url: url) }
    }

    private static func decodeCompiled(_ data: Data, url: URL) throws -> NSManagedObjectModel {
        do {
            return try ModelArchive.decode(data)
        } catch let failure as NSError {
            throw modelError(failure.localizedDescription, file: url.path)
        }
    }

    private static func contents(of url: URL) throws -> Data {
        try FileKind.requireReadable(url)
        do {
            return try Data(contentsOf: url)
        } catch let failure as NSError {
            throw NSError.coreData(
                failure.domain == NSCocoaErrorDomain ? failure.code : NSCoreDataError,
                reason: "The model file '\(url.path)' cannot be read.", url: url, underlying: failure)
        }
    }

    static func isDirectory(_ url: URL) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) && isDirectory.boolValue
    }
}
