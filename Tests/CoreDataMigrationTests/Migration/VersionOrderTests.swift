import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("The order of a store's version and a program's", .leavesNothingBehind)
struct VersionOrderTests {
    /// A version that leaves out the color of the first one.
    private static let edited = "entity Note\n  name string\n  size int32"

    private func model(_ text: String, _ identifier: String?) -> NSManagedObjectModel {
        let model = ModelText.model(text)
        if let identifier { model.versionIdentifiers = [identifier] }
        return model
    }

    /// A compiled bundle of versions; the last one is current. `isWithout` leaves the file of a version out.
    private func bundle(_ folder: URL, _ texts: [String], current: Int, isWithout: Int? = nil) throws -> URL {
        let url = folder.appendingPathComponent("Notes.momd")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        var hashes: [String: [String: Data]] = [:]
        for (number, text) in texts.enumerated() {
            let model = ModelText.model(text)
            hashes["Notes \(number)"] = model.entityVersionHashesByName
            if number == isWithout { continue }
            try ModelArchive.encode(model).write(to: url.appendingPathComponent("Notes \(number).mom"))
        }
        let list: [String: Any] = [
            "NSManagedObjectModel_VersionHashes": hashes,
            "NSManagedObjectModel_CurrentVersionName": "Notes \(current)",
        ]
        try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
            .write(to: url.appendingPathComponent("VersionInfo.plist"))
        return url
    }

    private func refusal(_ shelf: NoteShelf, _ model: NSManagedObjectModel) throws -> NSError {
        let before = shelf.bytes
        let error = try #require(throws: NSError.self) { try shelf.open(model) }
        #expect(error.code == NSMigrationMissingSourceModelError)
        #expect(NoteShelf.losses(error).map(\.name) == ["Note.color"])
        #expect(shelf.bytes == before)
        return error
    }

    private func fill(_ context: NSManagedObjectContext) { context.make("Note", ["name": "n", "color": "red"]) }

    @Test("A higher identifier is a step forward")
    func higher() throws {
        try withTemporaryFolder { folder in
            let shelf = NoteShelf(folder)
            try shelf.open(model(NoteShelf.first, "Notes 9"), [:], fill)
            try shelf.open(model(Self.edited, "Notes 10")) { context in
                let notes = try context.all("Note")
                #expect(notes.count == 1)
            }
        }
    }

    @Test("A lower identifier is a step back, and the error calls the store's version a newer one")
    func lower() throws {
        try withTemporaryFolder { folder in
            let shelf = NoteShelf(folder)
            try shelf.open(model(NoteShelf.first, "1.10"), [:], fill)
            let text = try refusal(shelf, model(Self.edited, "1.9")).localizedDescription
            #expect(text.contains("is of a newer version of the model"), "\(text)")
            #expect(!text.contains("NSMigrationKnownVersionsOption"))
        }
    }

    @Test("Identifiers that are equal, absent or of other names say nothing: the error names both possibilities")
    func silent() throws {
        for (old, new) in [(nil, nil), ("1", "1"), ("1", "1.0"), ("Notes 1", "Shop 2"), (nil, "2"), ("a", "b")] {
            try withTemporaryFolder { folder in
                let shelf = NoteShelf(folder)
                try shelf.open(model(NoteShelf.first, old), [:], fill)
                let text = try refusal(shelf, model(Self.edited, new)).localizedDescription
                #expect(text.contains("It may be a newer version"), "\(text)")
                #expect(text.contains("it may be an older version"), "\(text)")
                #expect(text.contains("NSMigrationKnownVersionsOption"), "\(text)")
            }
        }
    }

    @Test("What the store has left counts for more than identifiers")
    func recorded() throws {
        try withTemporaryFolder { folder in
            let shelf = NoteShelf(folder)
            try shelf.open(model(Self.edited, "1"))
            try shelf.open(model(NoteShelf.first, "2"), [:], fill)
            let text = try refusal(shelf, model(Self.edited, "3")).localizedDescription
            #expect(text.contains("is of a newer version of the model"), "\(text)")
        }
    }

    @Test(
        "A model that is the current version of a bundle follows the other versions there, with or without their files")
    func bundled() throws {
        for missing in [nil, 0] {
            try withTemporaryFolder { folder in
                let shelf = NoteShelf(folder)
                try shelf.open(ModelText.model(NoteShelf.first), [:], fill)
                let url = try bundle(folder, [NoteShelf.first, Self.edited], current: 1, isWithout: missing)
                try shelf.open(try NSManagedObjectModel.read(contentsOf: url)) { context in
                    let notes = try context.all("Note")
                    #expect(notes.count == 1)
                }
            }
        }
    }

    @Test("An older version that a program has chosen from a bundle is no step forward")
    func chosen() throws {
        try withTemporaryFolder { folder in
            let shelf = NoteShelf(folder)
            try shelf.open(ModelText.model(NoteShelf.first), [:], fill)
            let url = try bundle(folder, [Self.edited, NoteShelf.first], current: 1)
            let older = try #require(try NSManagedObjectModel.versions(contentsOf: url).first { !$0.isCurrent })
            _ = try refusal(shelf, older.model)
        }
    }

    @Test("A bundle that does not list the store's version says nothing")
    func notListed() throws {
        try withTemporaryFolder { folder in
            let shelf = NoteShelf(folder)
            try shelf.open(ModelText.model(NoteShelf.first), [:], fill)
            let url = try bundle(folder, [NoteShelf.third, Self.edited], current: 1)
            _ = try refusal(shelf, try NSManagedObjectModel.read(contentsOf: url))
        }
    }
}
