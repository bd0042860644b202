import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Folders in the temporary folder")
struct ScratchFolderTests {
    private func make(_ name: String) throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("opencoredata-scratch-\(name)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("text".utf8).write(to: folder.appendingPathComponent("file"))
        return folder
    }

    private func isThere(_ folder: URL) -> Bool { FileManager.default.fileExists(atPath: folder.path) }

    @Test("One that a killed process has left goes with the next one; one in use, and a stranger's, stay")
    func remains() throws {
        let left = try make(UUID().uuidString)
        let others = try make("photos-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: others) }
        let folder = try ScratchFolder.with { folder in
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
            #expect(try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int == 0o700)
            #expect(!isThere(left) && isThere(others))
            try ScratchFolder.with { #expect($0 != folder) }
            #expect(isThere(folder))
            return folder
        }
        #expect(!isThere(folder))
    }

    @Test("Its end removes it when the work in it fails")
    func failure() throws {
        var folder: URL?
        #expect(throws: CancellationError.self) {
            try ScratchFolder.with {
                folder = $0
                throw CancellationError()
            }
        }
        #expect(try !isThere(#require(folder)))
    }
}
