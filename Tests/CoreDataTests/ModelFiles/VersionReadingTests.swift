import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Work is counted here, not time.
@Suite("Reading versions of models", .leavesNothingBehind)
struct VersionReadingTests {
    private static let count = 20

    private static func models() -> [NSManagedObjectModel] {
        (0..<count).map { number in
            ModelText.model(
                "entity Item\n  name string\n" + (0..<number).map { "  extra\($0) string\n" }.joined()
                    + "entity Fixed\n  name string")
        }
    }

    /// The statements of a bundle's version information.
    private enum Says { case everything, hashes, nothing, lies }

    /// A folder that is a bundle with `Shop.momd`.
    private static func write(
        _ models: [NSManagedObjectModel], _ says: Says, in folder: URL
    ) throws -> (bundle: Bundle, momd: URL) {
        let resources = folder.appendingPathComponent("Resources.bundle")
        let momd = resources.appendingPathComponent("Shop.momd")
        try FileManager.default.createDirectory(at: momd, withIntermediateDirectories: true)
        var hashes: [String: [String: Data]] = [:]
        var checksums: [String: String] = [:]
        for (number, model) in models.enumerated() {
            try ModelArchive.encode(model).write(to: momd.appendingPathComponent("Shop \(number).mom"))
            // Those of the next one are a lie.
            let said = says == .lies ? models[(number + 1) % models.count] : model
            hashes["Shop \(number)"] = said.entityVersionHashesByName
            checksums["Shop \(number)"] = said.versionChecksum
        }
        var list: [String: Any] = ["NSManagedObjectModel_CurrentVersionName": "Shop \(models.count - 1)"]
        if says != .nothing { list["NSManagedObjectModel_VersionHashes"] = hashes }
        if says == .everything || says == .lies { list["NSManagedObjectModel_VersionChecksums"] = checksums }
        try PropertyListSerialization.data(
            fromPropertyList: list, format: says == .hashes ? .xml : .binary, options: 0
        ).write(to: momd.appendingPathComponent("VersionInfo.plist"))
        return (try #require(Bundle(url: resources)), momd)
    }

    private static func metadata(_ model: NSManagedObjectModel) -> [String: Any] {
        [NSStoreModelVersionHashesKey: model.entityVersionHashesByName]
    }

    /// The number of models that are decoded in a body.
    private static func decoded(_ work: () throws -> Void) rethrows -> Int {
        let effort = ModelEffort()
        try ModelEffort.$counting.withValue(effort, operation: work)
        return effort.models.load(ordering: .relaxed)
    }

    @Test("the hashes in a bundle pick the version of a store: one model is decoded, and none the next time")
    func picked() throws {
        for says in [Says.everything, .hashes] {
            try withTemporaryFolder { folder in
                let models = Self.models()
                let (bundle, _) = try Self.write(models, says, in: folder)
                func find(_ number: Int) throws {
                    let found = try #require(
                        NSManagedObjectModel.mergedModel(
                            from: [bundle], forStoreMetadata: Self.metadata(models[number])))
                    #expect(found.entityVersionHashesByName == models[number].entityVersionHashesByName)
                }
                #expect(try Self.decoded { try find(7) } == 1)
                #expect(try Self.decoded { try find(7) } == 0)
                #expect(try Self.decoded { try find(3) } == 1)
            }
        }
    }

    @Test("a store of some of a version's entities is found by one model, too")
    func part() throws {
        try withTemporaryFolder { folder in
            let models = Self.models()
            let (bundle, _) = try Self.write(models, .everything, in: folder)
            let hashes = models[5].entityVersionHashesByName.filter { $0.key == "Fixed" }
            var found: NSManagedObjectModel?
            let count = Self.decoded {
                found = .mergedModel(from: [bundle], forStoreMetadata: [NSStoreModelVersionHashesKey: hashes])
            }
            #expect(count == 1)
            #expect(found?.entityVersionHashesByName == hashes)
        }
    }

    @Test("A bundle with missing or false information costs more and finds the same")
    func lies() throws {
        for says in [Says.nothing, .lies] {
            try withTemporaryFolder { folder in
                let models = Self.models()
                let (bundle, momd) = try Self.write(models, says, in: folder)
                for model in models {
                    let found = NSManagedObjectModel.mergedModel(
                        from: [bundle], forStoreMetadata: Self.metadata(model))
                    #expect(found?.entityVersionHashesByName == model.entityVersionHashesByName)
                    let reference = NSManagedObjectModelReference(
                        fileURL: momd, versionChecksum: model.versionChecksum)
                    #expect(try reference.resolve().versionChecksum == model.versionChecksum)
                }
                let unknown = Self.metadata(ModelText.model("entity Other\n  name string"))
                #expect(NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: unknown) == nil)
            }
        }
    }

    @Test("A reference decodes the one version where a bundle has hashes and no checksums")
    func references() throws {
        try withTemporaryFolder { folder in
            let models = Self.models()
            let (bundle, momd) = try Self.write(models, .hashes, in: folder)
            let checksum = models[4].versionChecksum
            let count = try Self.decoded {
                _ = try NSManagedObjectModelReference(fileURL: momd, versionChecksum: checksum).resolve()
                _ = try NSManagedObjectModelReference(
                    entityVersionHashes: models[4].entityVersionHashesByName, in: bundle, versionChecksum: checksum
                ).resolve()
                _ = try NSManagedObjectModel.checksumsForVersionedModel(at: momd)
            }
            #expect(count == 1)
        }
    }

    @Test("A model is decoded once, for any number of threads; each caller may edit its own copy")
    func ownCopies() throws {
        try withTemporaryFolder { folder in
            let models = Self.models()
            let (_, momd) = try Self.write(models, .everything, in: folder)
            let effort = ModelEffort()
            DispatchQueue.concurrentPerform(iterations: 16) { number in
                ModelEffort.$counting.withValue(effort) {
                    guard let model = NSManagedObjectModel(contentsOf: momd), let item = model.entitiesByName["Item"]
                    else {
                        Issue.record("The model cannot be read.")
                        return
                    }
                    #expect(item.properties.count == Self.count && item.name == "Item")
                    item.properties.removeLast()
                    item.name = "Item of \(number)"
                    model.freeze()
                }
            }
            #expect(effort.models.load(ordering: .relaxed) == 1)
            #expect(NSManagedObjectModel(contentsOf: momd)?.isFrozen == false)
        }
    }

    @Test("a file that was written again or replaced is read anew, also one of the same size and time")
    func replaced() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Shop.mom")
            func archive(_ name: String) throws -> Data {
                try ModelArchive.encode(ModelText.model("entity \(name)\n  name string"))
            }
            func name() -> String? { NSManagedObjectModel(contentsOf: url)?.entities.first?.name }
            try archive("One").write(to: url)
            #expect(name() == "One")
            // In place, within the grain of the clock.
            let handle = try FileHandle(forWritingTo: url)
            try handle.write(contentsOf: archive("Two"))
            try handle.close()
            #expect(name() == "Two")
            let times: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)]
            try FileManager.default.setAttributes(times, ofItemAtPath: url.path)
            #expect(name() == "Two")
            let other = folder.appendingPathComponent("Other.mom")
            try archive("Six").write(to: other)
            try FileManager.default.setAttributes(times, ofItemAtPath: other.path)
            try FileManager.default.removeItem(at: url)
            #expect(name() == nil)
            try FileManager.default.moveItem(at: other, to: url)
            #expect(name() == "Six")
        }
    }

    @Test("a model that is there as a source and compiled counts once, the compiled one; so do mapping models")
    func twins() throws {
        try withTemporaryFolder { folder in
            let models = Self.models()
            let (bundle, _) = try Self.write(models, .everything, in: folder)
            func write(_ text: String, _ path: String) throws {
                let url = folder.appendingPathComponent("Resources.bundle/\(path)")
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: url)
            }
            // Two different entities of one name cannot be merged.
            try write("<model><entity name='Item'/></model>", "Shop.xcdatamodeld/Shop.xcdatamodel/contents")
            try write("<model><entity name='Lone'/></model>", "Lone.xcdatamodel/contents")
            try write("", "Step.xcmappingmodel/xcmapping.xml")
            try write("", "Step.cdm")
            try write("", "Alone.xcmappingmodel/xcmapping.xml")
            let merged = try #require(NSManagedObjectModel.mergedModel(from: [bundle]))
            #expect(merged.entitiesByName.keys.sorted() == ["Fixed", "Item", "Lone"])
            #expect(merged.entitiesByName["Item"]?.properties.count == Self.count)
            #expect(NSManagedObjectModel.listedVersions(in: [bundle]).count == Self.count + 1)
            let mappings = ModelResources.mappingModels(in: [bundle]).map(\.lastPathComponent)
            #expect(mappings == ["Step.cdm", "Alone.xcmappingmodel"])
        }
    }
}
