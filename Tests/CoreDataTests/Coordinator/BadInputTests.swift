import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Files that are no stores, damaged ones, and places where no file can be: every way of opening them gives an error
/// that names the file, and nothing on disk changes.
@Suite("Bad input", .leavesNothingBehind)
struct BadInputTests {
    static let name = "Library.sqlite"

    /// A folder with a store of authors, books and tags: several hundred rows, closed, in its main file alone.
    private func filledFolder(_ count: Int = 150) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let library = try Library(in: folder)
        let context = library.context()
        try context.performAndWait {
            for number in 0..<count {
                let author = context.make("Author", ["name": "Author \(number)"])
                let text = String(repeating: "text \(number) ", count: 20)
                context.make("Book", ["title": "Book \(number)", "note": text, "author": author])
            }
            try context.save()
        }
        for store in library.coordinator.persistentStores { try library.coordinator.remove(store) }
        #expect(try FolderContents(folder.url).files.keys.sorted() == [Self.name])
        return folder
    }

    /// Every way in. Writing the metadata comes last: it is the only one that would change a good file.
    private static let doors: [(name: String, open: @Sendable (URL) throws -> Void)] = [
        ("opening", { try open($0) }),
        ("opening read-only", { try open($0, [NSReadOnlyPersistentStoreOption: true]) }),
        (
            "opening with migration",
            {
                try open(
                    $0,
                    [
                        NSMigratePersistentStoresAutomaticallyOption: true,
                        NSInferMappingModelAutomaticallyOption: true,
                    ])
            }
        ),
        (
            "reading the metadata",
            {
                _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: $0)
            }
        ),
        ("reading the model", { _ = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: $0) }),
        (
            "writing the metadata",
            {
                try NSPersistentStoreCoordinator.setMetadata(
                    ["a": 1], forPersistentStoreOfType: NSSQLiteStoreType, at: $0)
            }
        ),
    ]

    private static func open(_ url: URL, _ options: [AnyHashable: Any]? = nil) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
    }

    /// Expects every door (but the named ones) to refuse the file: with a Cocoa error that names it, and without a
    /// trace.
    private func expectRefused(
        _ url: URL, in folder: URL, codes: Set<Int>, except: Set<String> = [], _ what: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try FolderContents(folder)
        for door in Self.doors where !except.contains(door.name) {
            let place = "\(what) \(door.name)"
            let thrown = #expect(throws: (any Error).self, "\(place)", sourceLocation: sourceLocation) {
                try door.open(url)
            }
            let after = try FolderContents(folder)
            #expect(
                after == before, "\(place) changed \(after.differences(from: before))", sourceLocation: sourceLocation)
            guard let error = thrown as NSError? else { continue }
            #expect(error.domain == NSCocoaErrorDomain, "\(place): \(error)", sourceLocation: sourceLocation)
            #expect(codes.contains(error.code), "\(place): \(error)", sourceLocation: sourceLocation)
            #expect(
                error.localizedDescription.contains(url.lastPathComponent), "\(place): \(error)",
                sourceLocation: sourceLocation)
            #expect(
                error.userInfo[NSFilePathErrorKey] as? String == url.path, "\(place): \(error)",
                sourceLocation: sourceLocation)
        }
    }

    // MARK: Not a store

    @Test(
        "a file that is not a database is refused",
        arguments: [
            Data("Dear reader, this is a letter.".utf8),
            Data([0]),
            Data("SQLite format 3\0".utf8),
            Data("SQLite format 3\0".utf8) + Data(repeating: 0xFF, count: 4080),
            Data(repeating: 0, count: 8192),
            Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }),
        ])
    func notADatabase(_ bytes: Data) throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent(Self.name)
        try bytes.write(to: url)
        try expectRefused(url, in: folder.url, codes: [NSFileReadCorruptFileError], "\(bytes.count) bytes")
    }

    @Test("an empty file is no store to read, and becomes one when it is opened to be written")
    func emptyFile() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent(Self.name)
        try Data().write(to: url)
        try expectRefused(
            url, in: folder.url, codes: [NSFileReadCorruptFileError], except: ["opening", "opening with migration"])
        let library = try Library(in: folder)
        let context = library.context()
        try context.performAndWait {
            context.make("Tag", ["name": "t"])
            try context.save()
            #expect(try context.all("Tag").count == 1)
        }
    }

    @Test("a database of another program is refused")
    func foreignDatabase() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent(Self.name)
        try Data().write(to: url)
        try RawDatabase(url).execute("CREATE TABLE letter (text); INSERT INTO letter VALUES ('Dear reader')")
        try expectRefused(url, in: folder.url, codes: [NSFileReadCorruptFileError])
    }

    @Test("a store that was cut short is refused or gives errors when it is read; it never stops the process")
    func truncated() throws {
        let folder = try filledFolder()
        let url = folder.url.appendingPathComponent(Self.name)
        let whole = try Data(contentsOf: url)
        #expect(whole.count > 80_000)
        let lengths = [
            1, 15, 16, 99, 100, 101, 512, 4095, 4096, 4097, 8192, whole.count / 4, whole.count / 2, whole.count - 8192,
            whole.count - 4096,
        ]
        for length in lengths {
            try whole.prefix(length).write(to: url)
            try expectRefused(url, in: folder.url, codes: [NSFileReadCorruptFileError], "\(length) bytes")
        }
        // Less than a page is missing: SQLite takes the rest of the last page for zeros.
        for missing in [1, 100, 4000] {
            try whole.prefix(whole.count - missing).write(to: url)
            try readEverything(url)
        }
    }

    @Test("damage in the middle of a store gives errors when it is read; it never stops the process")
    func corruptPages() throws {
        let folder = try filledFolder()
        let url = folder.url.appendingPathComponent(Self.name)
        let whole = try Data(contentsOf: url)
        let pageSize = 4096
        var failures = 0
        for page in 1..<(whole.count / pageSize) {
            var damaged = whole
            damaged.replaceSubrange(
                page * pageSize..<(page + 1) * pageSize, with: Data(repeating: 0xFF, count: pageSize))
            try damaged.write(to: url)
            failures += try readEverything(url)
        }
        #expect(failures > 10)
        // Single bytes, spread over the file.
        for step in 0..<80 {
            var damaged = whole
            let place = 100 + (step &* 7919) % (whole.count - 100)
            damaged[place] ^= 0xA5
            try damaged.write(to: url)
            _ = try readEverything(url)
        }
    }

    @Test("saving to a damaged store gives an error or goes through; it never stops the process")
    func savingToCorruptPages() throws {
        let folder = try filledFolder()
        let url = folder.url.appendingPathComponent(Self.name)
        let whole = try Data(contentsOf: url)
        var failures = 0
        for page in 1..<(whole.count / 4096) {
            var damaged = whole
            damaged.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(repeating: 0xFF, count: 4096))
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
            try damaged.write(to: url)
            do {
                let library = try Library(in: folder)
                defer { library.coordinator.persistentStores.forEach { try? library.coordinator.remove($0) } }
                let context = library.context()
                try context.performAndWait {
                    let author = context.make("Author", ["name": "new"])
                    context.make("Book", ["title": "new", "author": author])
                    for book in try context.all("Book", "pages == nil") { book.setValue(1, forKey: "pages") }
                    try context.save()
                }
            } catch let error as NSError {
                failures += 1
                #expect(error.domain == NSCocoaErrorDomain, "\(error)")
                #expect(error.localizedDescription.contains(Self.name), "\(error)")
            }
        }
        #expect(failures > 5)
    }

    /// Opens the file read-only and fetches everything. Errors must be Cocoa's and name the file. Returns the number of
    /// errors.
    @discardableResult
    private func readEverything(_ url: URL) throws -> Int {
        let before = try FolderContents(url.deletingLastPathComponent())
        var failures = 0
        func check(_ body: () throws -> Void) {
            do {
                try body()
            } catch let error as NSError {
                failures += 1
                #expect(error.domain == NSCocoaErrorDomain, "\(error)")
                #expect(error.localizedDescription.contains(url.lastPathComponent), "\(error)")
                #expect(error.userInfo[NSFilePathErrorKey] as? String == url.path, "\(error)")
            }
        }
        check {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url,
                options: [NSReadOnlyPersistentStoreOption: true])
            defer { try? coordinator.remove(store) }
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.performAndWait {
                context.persistentStoreCoordinator = coordinator
                for entity in coordinator.managedObjectModel.entities {
                    check { _ = try context.all(entity.name ?? "") }
                    check { _ = try context.all(entity.name ?? "", "SELF != nil") }
                    check { _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")) }
                }
            }
        }
        check { _ = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url) }
        let after = try FolderContents(url.deletingLastPathComponent())
        #expect(after == before, "changed \(after.differences(from: before))")
        return failures
    }

    // MARK: Places

    @Test("an address that is no file's is refused, though there is a store at its path")
    func addressElsewhere() throws {
        let folder = try filledFolder()
        let url = URL(fileURLWithPath: folder.url.appendingPathComponent(Self.name).path)
        let elsewhere = try #require(URL(string: "http://example.org" + url.path))
        try expectRefused(elsewhere, in: folder.url, codes: [NSPersistentStoreOpenError])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        #expect(throws: NSError.self) {
            try coordinator.destroyPersistentStore(at: elsewhere, ofType: NSSQLiteStoreType)
        }
        #expect(FileManager.default.fileExists(atPath: url.path))
    }

    @Test("a folder in the place of the file is refused")
    func folderInPlace() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent(Self.name)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        try Data("x".utf8).write(to: url.appendingPathComponent("inside"))
        try expectRefused(url, in: folder.url, codes: [NSFileReadCorruptFileError])
    }

    @Test(
        "No file is made where none can be: a missing folder, a file as a folder, a name too long, a link to itself",
        arguments: ["none/\(name)", "file/\(name)", String(repeating: "n", count: 300) + ".sqlite", "loop"])
    func impossiblePlaces(_ path: String) throws {
        let folder = try TemporaryFolder()
        try Data("x".utf8).write(to: folder.url.appendingPathComponent("file"))
        let loop = folder.url.appendingPathComponent("loop").path
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        let url = folder.url.appendingPathComponent(path)
        for door in Self.doors {
            let thrown = #expect(throws: (any Error).self, "\(door.name)") { try door.open(url) }
            guard let error = thrown as NSError? else { continue }
            #expect(error.domain == NSCocoaErrorDomain, "\(door.name): \(error)")
            // A link to itself is something else than a file.
            let codes =
                path == "loop"
                ? [NSFileReadCorruptFileError, NSPersistentStoreOpenError]
                : [NSFileReadNoSuchFileError, NSFileNoSuchFileError, NSPersistentStoreOpenError]
            #expect(codes.contains(error.code), "\(door.name): \(error)")
            #expect(error.localizedDescription.contains(url.lastPathComponent), "\(door.name): \(error)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == names)
        }
    }

    @Test(
        "a file that may not be read, or lies in a folder that may not be entered, is refused",
        .disabled(if: geteuid() == 0, "root may read everywhere"))
    func unreadable() throws {
        let folder = try filledFolder(3)
        let url = folder.url.appendingPathComponent(Self.name)
        for (path, mode) in [(url.path, 0o600), (folder.url.path, 0o700)] {
            try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
            defer { try? FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path) }
            for door in Self.doors {
                let thrown = #expect(throws: (any Error).self, "\(door.name)") { try door.open(url) }
                guard let error = thrown as NSError? else { continue }
                #expect(error.domain == NSCocoaErrorDomain, "\(door.name): \(error)")
                #expect(error.localizedDescription.contains(Self.name), "\(door.name): \(error)")
            }
        }
        #expect(try FolderContents(folder.url).files.keys.sorted() == [Self.name])
        #expect(try readEverything(url) == 0)
    }

    @Test(
        "a file that cannot be written is refused unless it is only read",
        .disabled(if: ImmutableMark.obstacle != nil, Comment(rawValue: ImmutableMark.obstacle ?? "")))
    func immutableFile() throws {
        let folder = try filledFolder(3)
        let url = folder.url.appendingPathComponent(Self.name)
        let mark = try ImmutableMark(url)
        try expectRefused(
            url, in: folder.url, codes: [NSFileWriteNoPermissionError],
            except: ["opening read-only", "reading the metadata", "reading the model"])
        #expect(try readEverything(url) == 0)
        withExtendedLifetime(mark) {}
    }

    @Test(
        "A folder that cannot be written gets no store, and one that is there can be read",
        .disabled(if: ImmutableMark.obstacle != nil, Comment(rawValue: ImmutableMark.obstacle ?? "")))
    func immutableFolder() throws {
        let folder = try filledFolder(3)
        let mark = try ImmutableMark(folder.url)
        #expect(try readEverything(folder.url.appendingPathComponent(Self.name)) == 0)
        let url = folder.url.appendingPathComponent("New.sqlite")
        try expectRefused(url, in: folder.url, codes: [NSFileReadNoSuchFileError, NSFileWriteNoPermissionError])
        withExtendedLifetime(mark) {}
    }

    // MARK: Models

    @Test("a model whose relationship leads to no entity is refused, naming file, entity and relationship")
    func missingDestination() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Broken.xcdatamodel", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        let source = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Book" syncable="YES">
                    <attribute name="title" optional="YES" attributeType="String"/>
                    <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" \
            destinationEntity="Author"/>
                </entity>
            </model>
            """
        try Data(source.utf8).write(to: url.appendingPathComponent("contents"))
        let before = try FolderContents(folder.url)
        let error = try #require(throws: NSError.self) { try ModelFile.load(at: url) }
        for word in ["Broken.xcdatamodel", "Book", "author", "Author"] {
            #expect(error.localizedDescription.contains(word), "\(error)")
        }
        #expect(NSManagedObjectModel(contentsOf: url) == nil)
        #expect(try FolderContents(folder.url) == before)
    }

    // MARK: Stores that do not fit

    @Test("a store of another model is refused with 134100, which names the entities that differ")
    func otherModel() throws {
        let folder = try filledFolder(3)
        let url = folder.url.appendingPathComponent(Self.name)
        let before = try FolderContents(folder.url)
        let model = LibraryModel.make()
        let extra = NSAttributeDescription()
        extra.name = "extra"
        extra.attributeType = .stringAttributeType
        let tag = try #require(model.entitiesByName["Tag"])
        tag.properties = tag.properties + [extra]
        for options in [nil, [NSReadOnlyPersistentStoreOption: true]] as [[AnyHashable: Any]?] {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let error = try #require(throws: NSError.self) {
                try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
            }
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.code == NSPersistentStoreIncompatibleVersionHashError)
            #expect(error.localizedDescription.contains("Tag"))
            #expect(!error.localizedDescription.contains("Author"))
            #expect(error.localizedDescription.contains(Self.name))
            #expect(error.userInfo["metadata"] is [String: Any])
            #expect(try FolderContents(folder.url) == before)
        }
    }

    @Test("a damaged model in a store is named in the error, and the store still opens with a model of the program's")
    func damagedModel() throws {
        let folder = try filledFolder(3)
        let url = folder.url.appendingPathComponent(Self.name)
        guard case .blob(let archive)? = try RawDatabase(url).column("SELECT Z_CONTENT FROM Z_MODELCACHE").first else {
            Issue.record("no model in the store")
            return
        }
        var damages = [Data(), Data([0]), Data("model".utf8), archive.prefix(archive.count / 2)]
        for step in 0..<60 {
            var damaged = archive
            damaged[damaged.startIndex + (step &* 7919) % damaged.count] ^= UInt8(truncatingIfNeeded: step | 1)
            damages.append(damaged)
        }
        var failures = 0
        for damage in damages {
            let hex = damage.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            try RawDatabase(url).execute("UPDATE Z_MODELCACHE SET Z_CONTENT = x'\(hex)'")
            let before = try FolderContents(folder.url)
            do {
                _ = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
            } catch let error as NSError {
                failures += 1
                #expect(error.code == NSFileReadCorruptFileError, "\(error)")
                #expect(error.localizedDescription.contains(Self.name), "\(error)")
                #expect(error.userInfo[NSFilePathErrorKey] as? String == url.path)
            }
            #expect(try FolderContents(folder.url) == before)
        }
        #expect(failures >= 30)
        let context = try Library(in: folder).context()
        #expect(try context.performAndWait { try context.all("Author").count } == 3)
    }

    @Test("damaged metadata are refused")
    func damagedMetadata() throws {
        for damage in ["Z_PLIST = x'626f6f6b'", "Z_PLIST = x''", "Z_PLIST = NULL"] {
            let folder = try filledFolder(3)
            let url = folder.url.appendingPathComponent(Self.name)
            try RawDatabase(url).execute("UPDATE Z_METADATA SET \(damage)")
            let isMissing = damage.contains("NULL")
            // Without a property list there is still a store, but one without a model.
            try expectRefused(
                url, in: folder.url,
                codes: [NSFileReadCorruptFileError, NSPersistentStoreIncompatibleVersionHashError, 134130],
                except: isMissing
                    ? ["reading the metadata", "reading the model", "writing the metadata"] : ["reading the model"],
                damage)
        }
    }

    @Test("a -wal of another store is refused, and both files stay as they are")
    func foreignLog() throws {
        let folder = try filledFolder(3)
        let url = folder.url.appendingPathComponent(Self.name)
        let other = try Library()
        let context = other.context()
        try context.performAndWait {
            context.make("Tag", ["name": "of the other store"])
            try context.save()
        }
        try FileManager.default.copyItem(atPath: other.storeURL.path + "-wal", toPath: url.path + "-wal")
        try expectRefused(url, in: folder.url, codes: [NSFileReadCorruptFileError])
        try FileManager.default.removeItem(atPath: url.path + "-wal")
        let library = try Library(in: folder).context()
        #expect(try library.performAndWait { try library.all("Author").count } == 3)
    }

    @Test("a -wal in which the program gave the store another UUID is its own")
    func ownLog() throws {
        let folder = try filledFolder(3)
        let copy = try TemporaryFolder()
        let library = try Library(in: folder)
        let store = try #require(library.coordinator.persistentStores.first)
        for identifier in ["first", "second"] {
            var metadata = library.coordinator.metadata(for: store)
            metadata[NSStoreUUIDKey] = identifier
            library.coordinator.setMetadata(metadata, for: store)
            let context = library.context()
            try context.performAndWait {
                context.make("Tag", ["name": identifier])
                try context.save()
            }
        }
        // The leftovers of a killed program.
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: library.storeURL.path + suffix,
                toPath: copy.url.appendingPathComponent(Self.name).path + suffix)
        }
        #expect(try FolderContents(copy.url).files["\(Self.name)-wal"]??.isEmpty == false)
        let context = try Library(in: copy).context()
        #expect(try context.performAndWait { try context.all("Tag").count } == 2)
        #expect(context.persistentStoreCoordinator?.persistentStores.first?.identifier == "second")
    }
}
