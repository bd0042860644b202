import CoreData
import Foundation
import TestSupport

/// Models in files, for commands that are given one.
enum ModelFolder {
    /// Writes a compiled bundle of versions that are written as `ModelText` has them.
    @discardableResult
    static func compiled(
        _ name: String, _ versions: [(name: String, text: String)], current: String, in folder: URL
    ) throws -> URL {
        try compiled(name, versions.map { ($0.name, ModelText.model($0.text)) }, current: current, in: folder)
    }

    @discardableResult
    static func compiled(
        _ name: String, _ versions: [(name: String, model: NSManagedObjectModel)], current: String, in folder: URL
    ) throws -> URL {
        let bundle = folder.appendingPathComponent("\(name).momd")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        var hashes: [String: [String: Data]] = [:]
        for (name, model) in versions {
            hashes[name] = model.entityVersionHashesByName
            try ModelArchive.encode(model).write(to: bundle.appendingPathComponent("\(name).mom"))
        }
        let information: [String: Any] = [
            "NSManagedObjectModel_CurrentVersionName": current, "NSManagedObjectModel_VersionHashes": hashes,
        ]
        try PropertyListSerialization.data(fromPropertyList: information, format: .binary, options: 0)
            .write(to: bundle.appendingPathComponent("VersionInfo.plist"))
        return bundle
    }

    /// Writes a model as Xcode keeps it, of one version; `entities` is what stands within the model's element.
    static func source(_ name: String, _ entities: String, in folder: URL) throws -> URL {
        let model = folder.appendingPathComponent("\(name).xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        let text = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            \(entities)
            </model>
            """
        try Data(text.utf8).write(to: model.appendingPathComponent("contents"))
        return model
    }

    /// Two versions of a library, the second of which renames, adds, removes and changes.
    static let library = [
        (
            name: "Library",
            text: """
            entity Author
              name string!
              books many Volume.author
            entity Volume
              name string
              isbn string
              pages int16
              author one Author.books
            """
        ),
        (
            name: "Library 2",
            text: """
            entity Author
              name string!
              books many Book.author
            entity Book was Volume
              title string was name index
              subtitle string
              pages int32! = 0
              author one Author.books
              unique title
            entity Shelf
              room string
            """
        ),
    ]

    /// A folder with both versions of the library in a compiled bundle.
    static func withLibrary(_ body: (URL, URL) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try body(
                folder, ModelFolder.compiled("Library", ModelFolder.library, current: "Library 2", in: folder))
        }
    }
}
