import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// The leftovers of killed saves of XML and binary stores beside the file.
@Suite("Writing a store that is one file", .leavesNothingBehind)
struct WholeFileTests {
    private static func type(_ suffix: String) -> String { suffix == "xml" ? NSXMLStoreType : NSBinaryStoreType }

    private func open(_ url: URL, _ suffix: String) throws -> Int {
        try withStore(url, DepotModels.model(0), type: Self.type(suffix)) {
            try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: "Item"))
        }
    }

    @Test(
        "A killed save leaves the older file; its temporary file goes at the next opening",
        arguments: ["xml", "binary"])
    func killed(_ suffix: String) throws {
        try withTemporaryFolder { folder in
            let store = folder.appendingPathComponent("store/Depot.\(suffix)")
            try FileManager.default.createDirectory(
                at: store.deletingLastPathComponent(), withIntermediateDirectories: true)
            try DepotModels.fill(store, DepotModels.versions[0], items: 10, type: Self.type(suffix))
            let process = AwaitedProcess()
            process.executableURL = try DepotProgram.install(in: folder)
            process.arguments = [store.path, "save"]
            process.standardOutput = FileHandle.nullDevice
            process.environment = ProcessInfo.processInfo.environment.merging([
                "OPENCOREDATA_TRIAL_KILL": "pieceWritten:1"
            ]) { $1 }
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationReason == .uncaughtSignal)
            let names = { try FileManager.default.contentsOfDirectory(atPath: store.deletingLastPathComponent().path) }
            #expect(try names().sorted() == [WholeFile.draft(of: store).lastPathComponent, store.lastPathComponent])
            #expect(try open(store, suffix) == 10)
            #expect(try names() == [store.lastPathComponent])
        }
    }

    @Test("A living process's temporary file stays, and so do files of other names", arguments: ["xml", "binary"])
    func living(_ suffix: String) throws {
        try withTemporaryFolder { folder in
            let store = folder.appendingPathComponent("Depot.\(suffix)")
            try DepotModels.fill(store, DepotModels.versions[0], items: 10, type: Self.type(suffix))
            let (draft, other) = (WholeFile.draft(of: store), folder.appendingPathComponent(".dat.nosync1.abc"))
            try Data("somebody else's".utf8).write(to: other)
            try Data("half".utf8).write(to: draft)
            let descriptor = Foundation.open(draft.path, O_RDWR)
            #expect(flock(descriptor, LOCK_EX) == 0)
            #expect(try open(store, suffix) == 10)
            #expect(FileManager.default.fileExists(atPath: draft.path))
            close(descriptor)
            #expect(try open(store, suffix) == 10)
            #expect(!FileManager.default.fileExists(atPath: draft.path))
            #expect(FileManager.default.fileExists(atPath: other.path))
        }
    }

    @Test("the rights of the file stay, and a symbolic link leads to the new file")
    func rights() throws {
        try withTemporaryFolder { folder in
            let (file, linked) = (folder.appendingPathComponent("a"), folder.appendingPathComponent("b"))
            try Data("old".utf8).write(to: file)
            chmod(file.path, 0o640)
            #expect(symlink(file.path, linked.path) == 0)
            try WholeFile.write(Data("new".utf8), to: linked)
            #expect(try Data(contentsOf: file) == Data("new".utf8))
            #expect(FileState(file)?.rights == 0o640)
            #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: linked.path)) == file.path)
        }
    }
}
