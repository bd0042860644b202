import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("A file that belongs to no store is left where it lies", .leavesNothingBehind)
struct ForeignFilesTests {
    /// Runs a call that must fail with an error that names the file, and checks that the file still exists.
    private func expectRefusal(
        _ foreign: ForeignFile, at url: URL, _ what: String, _ body: () throws -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: NSError.self, "\(what)", sourceLocation: sourceLocation) { try body() }
        let text = (error?.userInfo["reason"] as? String ?? "") + (error?.localizedDescription ?? "")
        #expect(text.contains(url.lastPathComponent), "\(what): \(text)", sourceLocation: sourceLocation)
        #expect(foreign.lies(at: url), "\(what)", sourceLocation: sourceLocation)
    }

    private static let types = [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType]

    private func coordinator() -> NSPersistentStoreCoordinator {
        NSPersistentStoreCoordinator(managedObjectModel: ModelText.model("entity Note\n  text string"))
    }

    /// Makes a store with one note and closes it.
    private func makeStore(at url: URL, _ type: String = NSSQLiteStoreType) throws {
        let coordinator = coordinator()
        let store = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        try context.performAndWait {
            context.persistentStoreCoordinator = coordinator
            context.make("Note", ["text": "kept"])
            try context.save()
        }
        try coordinator.remove(store)
    }

    private func inPlaceOfMain(_ foreign: ForeignFile, _ type: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Notes.store")
            let other = folder.appendingPathComponent("Other.store")
            try makeStore(at: other, type)
            let bytes = try Data(contentsOf: other)
            try foreign.make(at: url)
            let coordinator = coordinator()
            expectRefusal(foreign, at: url, "destroying") {
                try coordinator.destroyPersistentStore(at: url, ofType: type)
            }
            expectRefusal(foreign, at: url, "destroying by force") {
                try coordinator.destroyPersistentStore(
                    at: url, ofType: type, options: [NSPersistentStoreForceDestroyOption: true])
            }
            expectRefusal(foreign, at: url, "replacing") {
                try coordinator.replacePersistentStore(at: url, withPersistentStoreFrom: other, ofType: type)
            }
            expectRefusal(foreign, at: url, "replacing by it") {
                try coordinator.replacePersistentStore(at: other, withPersistentStoreFrom: url, ofType: type)
            }
            expectRefusal(foreign, at: url, "opening") {
                try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
            }
            expectRefusal(foreign, at: url, "reading its metadata") {
                _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
            }
            expectRefusal(foreign, at: url, "setting its metadata") {
                try NSPersistentStoreCoordinator.setMetadata([:], forPersistentStoreOfType: type, at: url)
            }
            let manager = NSMigrationManager(
                sourceModel: coordinator.managedObjectModel, destinationModel: coordinator.managedObjectModel)
            expectRefusal(foreign, at: url, "migrating to it") {
                try manager.migrateStore(
                    from: other, sourceType: type, with: NSMappingModel(), toDestinationURL: url, destinationType: type)
            }
            let store = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: other)
            if type == NSSQLiteStoreType {
                expectRefusal(foreign, at: url, "moving a store to it") {
                    try coordinator.migratePersistentStore(store, to: url, withType: type)
                }
            } else {
                #expect(!coordinator.setURL(url, for: store) && store.url == other)
            }
            try coordinator.remove(store)
            #expect(try Data(contentsOf: other) == bytes)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.sorted() == ["Notes.store", "Other.store"])
        }
    }

    @Test(
        "A pipe, a socket or a folder in the place of the main file stays",
        arguments: [ForeignFile.pipe, .socket, .folder], types)
    func mainFile(_ foreign: ForeignFile, _ type: String) throws {
        try inPlaceOfMain(foreign, type)
    }

    @Test(
        "A device in the place of the main file stays",
        .enabled(if: ForeignFile.canMakeDevices, "making a device is not permitted here"), arguments: types)
    func deviceAsMainFile(_ type: String) throws {
        try inPlaceOfMain(.device, type)
    }

    private func inPlaceOfCompanion(_ foreign: ForeignFile, _ name: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Notes.sqlite")
            let other = folder.appendingPathComponent("Other.sqlite")
            let companion = folder.appendingPathComponent(name)
            try makeStore(at: other)
            try makeStore(at: url)
            let bytes = try Data(contentsOf: url)
            try foreign.make(at: companion)
            let coordinator = coordinator()
            for options in [nil, [NSPersistentStoreForceDestroyOption: true]] {
                expectRefusal(foreign, at: companion, "destroying") {
                    try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType, options: options)
                }
                expectRefusal(foreign, at: companion, "replacing") {
                    try coordinator.replacePersistentStore(
                        at: url, destinationOptions: options, withPersistentStoreFrom: other, ofType: NSSQLiteStoreType)
                }
            }
            let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: other)
            expectRefusal(foreign, at: companion, "moving a store there") {
                try coordinator.migratePersistentStore(store, to: url, withType: NSSQLiteStoreType)
            }
            try coordinator.remove(store)
            #expect(try Data(contentsOf: url) == bytes)
            guard ["-wal", "-shm", "-journal"].contains(where: { name.hasSuffix($0) }) else { return }
            expectRefusal(foreign, at: companion, "opening") {
                try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
            }
            // Beside a new database SQLite removes what it takes for an old -wal.
            try FileManager.default.removeItem(at: url)
            expectRefusal(foreign, at: companion, "making a store") {
                try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
            }
        }
    }

    private static let files = ["Notes.sqlite-wal", "Notes.sqlite-shm", "Notes.sqlite-journal"]
    private static let folders = [".Notes_SUPPORT", ".Notes.sqlite.migration"]

    @Test(
        "A foreign file in the place of a -wal, a -shm or a -journal stays",
        arguments: [ForeignFile.pipe, .socket, .folder, .link], files)
    func companionFile(_ foreign: ForeignFile, _ name: String) throws {
        try inPlaceOfCompanion(foreign, name)
    }

    @Test(
        "A foreign file in the place of the folder of external data or of a migration stays",
        arguments: [ForeignFile.pipe, .link], folders)
    func companionFolder(_ foreign: ForeignFile, _ name: String) throws {
        try inPlaceOfCompanion(foreign, name)
    }

    @Test(
        "A device in the place of a file or folder beside the main file stays",
        .enabled(if: ForeignFile.canMakeDevices, "making a device is not permitted here"), arguments: files + folders)
    func deviceAsCompanion(_ name: String) throws {
        try inPlaceOfCompanion(.device, name)
    }

    @Test(
        "A file in the place of an open XML or binary store is not replaced when that is saved",
        arguments: [
            NSXMLStoreType, NSBinaryStoreType,
        ])
    func saving(_ type: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Notes.store")
            let coordinator = coordinator()
            try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
            try FileManager.default.removeItem(at: url)
            try ForeignFile.pipe.make(at: url)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.performAndWait {
                context.persistentStoreCoordinator = coordinator
                context.make("Note", ["text": "new"])
                expectRefusal(.pipe, at: url, "saving") { try context.save() }
                #expect(context.hasChanges)
            }
        }
    }

    @Test("The target of a link in the place of the folder of external data is left")
    func linkedFolder() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Notes.sqlite")
            try makeStore(at: url)
            let elsewhere = folder.appendingPathComponent("elsewhere")
            try ForeignFile.folder.make(at: elsewhere)
            let link = folder.appendingPathComponent(".Notes_SUPPORT")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: elsewhere)
            try Data([1]).write(to: elsewhere.appendingPathComponent("mine"))
            expectRefusal(.link, at: link, "destroying") {
                try coordinator().destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path) == ["mine"])
        }
    }

    @Test(
        "A link that leads to nothing is not replaced: the store is made where it leads to",
        arguments: [StoreKind.sqlite, .binary, .xml])
    func danglingLinks(kind: StoreKind) throws {
        let source = try Library(kind)
        let context = source.context()
        try context.performAndWait {
            context.make("Tag", ["name": "a"])
            try context.save()
        }
        let url = try #require(source.store.url)
        let model = source.coordinator.managedObjectModel
        for isMoved in [false, true] {
            let folder = try TemporaryFolder()
            let (link, target) = (
                folder.url.appendingPathComponent("link"), folder.url.appendingPathComponent("target")
            )
            try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "between")
            try FileManager.default.createSymbolicLink(
                atPath: folder.url.appendingPathComponent("between").path, withDestinationPath: target.path)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            if isMoved {
                let store = try coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: url)
                try coordinator.remove(
                    coordinator.migratePersistentStore(store, to: link, withType: kind.type))
            } else {
                try coordinator.replacePersistentStore(
                    at: link, withPersistentStoreFrom: url, ofType: kind.type)
            }
            #expect(ForeignFile.link.lies(at: link))
            try withStore(target, model, type: kind.type) { context in
                let tags = try context.all("Tag")
                #expect(tags.count == 1)
            }
        }
    }

    @Test("Links that lead to each other are refused and left", arguments: [StoreKind.sqlite, .binary, .xml])
    func circle(kind: StoreKind) throws {
        let source = try Library(kind)
        let folder = try TemporaryFolder()
        let link = folder.url.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "link")
        let url = try #require(source.store.url)
        let error = #expect(throws: NSError.self) {
            try source.coordinator.replacePersistentStore(
                at: link, withPersistentStoreFrom: url, ofType: kind.type)
        }
        #expect(error?.code == CocoaError.Code.fileWriteUnknown.rawValue)
        #expect(throws: NSError.self) {
            try source.coordinator.destroyPersistentStore(at: link, ofType: kind.type)
        }
        #expect(ForeignFile.link.lies(at: link))
    }
}
