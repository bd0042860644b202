import Foundation
import TestSupport
import Testing

@testable import CoreData

/// A store in a folder, opened as a program with a version of the model opens it.
struct NoteShelf {
    static let first = "entity Note\n  name string\n  color string"
    static let second = "entity Note\n  name string\n  color string\n  size int32! = 5\n  text string"
    static let third = """
        entity Note
          name string
          color string
          size int32! = 5
          text string
          tags many Tag.notes
        entity Tag
          word string
          notes many Note.tags
        """
    static var both: [AnyHashable: Any] {
        [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
    }

    let url: URL
    var type = NSSQLiteStoreType

    init(_ folder: URL, _ kind: StoreKind = .sqlite) {
        type = kind.type
        url = kind.url(in: folder) ?? folder.appendingPathComponent("Notes.sqlite")
    }

    func open(
        _ model: NSManagedObjectModel, _ options: [AnyHashable: Any] = [:],
        _ body: (NSManagedObjectContext) throws -> Void = { _ in }
    ) throws {
        try withStore(url, model, type: type, options: Self.both.merging(options) { $1 }) { context in
            try body(context)
            try context.save()
        }
    }

    func open(
        _ text: String, allowing names: [String]? = nil, knowing versions: [String] = [],
        _ body: (NSManagedObjectContext) throws -> Void = { _ in }
    ) throws {
        var options: [AnyHashable: Any] = [NSMigrationKnownVersionsOption: versions.map(ModelText.model)]
        options[NSMigrationAllowedLossesOption] = names
        try open(ModelText.model(text), options, body)
    }

    /// The losses with which an opening is refused. The main file and the -wal must stay as they are.
    func refusal(_ text: String, allowing names: [String]? = nil, knowing versions: [String] = []) throws -> NSError {
        let before = bytes
        let error = try #require(throws: NSError.self) { try open(text, allowing: names, knowing: versions) }
        #expect(error.domain == NSCocoaErrorDomain && error.code == NSMigrationMissingSourceModelError, "\(error)")
        #expect(bytes == before)
        return error
    }

    var bytes: [Data?] { ["", "-wal"].map { try? Data(contentsOf: URL(fileURLWithPath: url.path + $0)) } }

    var record: [String] {
        let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
        return metadata.map { VersionRecord($0).checksums } ?? []
    }

    static func losses(_ error: NSError) -> [MigrationLoss] {
        error.userInfo[NSMigrationLossesErrorKey] as? [MigrationLoss] ?? []
    }

    static func fill(_ context: NSManagedObjectContext) throws {
        let tag = context.make("Tag", ["word": "t"])
        for number in 0..<4 {
            let note = context.make("Note", ["name": "n\(number)", "color": "red"])
            if number < 3 { note.setValue("text", forKey: "text") }
            if number < 2 { note.setValue(7, forKey: "size") }
            if number == 0 { note.setValue(NSSet(object: tag), forKey: "tags") }
        }
    }
}
