import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// Reading a pipe that no process writes to would never end.
@Suite("Something that is no file in the place of a model", .leavesNothingBehind)
struct ForeignModelFileTests {
    private func expectRefusal(_ name: String, _ kind: String, _ read: () throws -> Void) {
        let error = #expect(throws: NSError.self, performing: read)
        #expect(error?.code == CocoaError.Code.fileReadUnknown.rawValue)
        let text = error?.localizedDescription ?? ""
        #expect(text.contains(name) && text.contains(kind), "\(text)")
    }

    @Test(
        "It is refused at once by its name, for every suffix of a model",
        arguments: ["mom", "momd", "xcdatamodel", "xcdatamodeld", ""], [ForeignFile.pipe, .socket])
    func models(suffix: String, foreign: ForeignFile) throws {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent(suffix.isEmpty ? "Model" : "Model.\(suffix)")
            try foreign.make(at: file)
            expectRefusal(file.lastPathComponent, "a \(foreign)") {
                _ = try NSManagedObjectModel.read(contentsOf: file)
            }
            expectRefusal(file.lastPathComponent, "a \(foreign)") {
                _ = try NSManagedObjectModel.versions(contentsOf: file)
            }
            #expect(NSManagedObjectModel(contentsOf: file) == nil)
            #expect(foreign.lies(at: file))
        }
    }

    @Test("A device that has no end is refused as well")
    func device() {
        expectRefusal("/dev/zero", "a device") {
            _ = try NSManagedObjectModel.read(contentsOf: URL(fileURLWithPath: "/dev/zero"))
        }
    }

    @Test(
        "So are the parts of a bundle",
        arguments: [
            ("Model.momd", "VersionInfo.plist"), ("Model.momd", "Model.mom"), ("Model.xcdatamodel", "contents"),
            ("Model.xcdatamodeld", ".xccurrentversion"),
        ])
    func parts(bundle: String, part: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent(bundle)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            try ForeignFile.pipe.make(at: url.appendingPathComponent(part))
            expectRefusal(part, "a pipe") { _ = try NSManagedObjectModel.read(contentsOf: url) }
        }
    }

    @Test("No mapping model is read of a pipe", arguments: ["cdm", "xcmappingmodel"])
    func mapping(suffix: String) throws {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("Map.\(suffix)")
            try ForeignFile.pipe.make(at: file)
            #expect(NSMappingModel(contentsOf: file) == nil)
        }
    }
}
