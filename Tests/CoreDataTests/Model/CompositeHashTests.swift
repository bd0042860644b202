import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// The version hashes of composite attributes, and stores with those of older versions of this library.
@Suite("Version hashes of composite attributes", .leavesNothingBehind)
struct CompositeHashTests {
    private func hex(_ data: Data?) -> String {
        (data ?? Data()).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private func composite(
        _ name: String, _ elements: [NSAttributeDescription], formerly: String? = nil
    ) -> NSCompositeAttributeDescription {
        let attribute = NSCompositeAttributeDescription()
        attribute.name = name
        attribute.renamingIdentifier = formerly
        attribute.elements = elements
        return attribute
    }

    private func size(_ name: String = "size", formerly: String? = nil) -> NSCompositeAttributeDescription {
        composite(
            name,
            [
                SampleModels.attribute("width", .doubleAttributeType),
                SampleModels.attribute("height", .doubleAttributeType),
            ], formerly: formerly)
    }

    private func model(_ properties: [NSPropertyDescription]) -> NSManagedObjectModel {
        let box = SampleModels.entity("Box")
        box.properties = properties
        let model = NSManagedObjectModel()
        model.entities = [box]
        return model
    }

    @Test("a composite attribute is hashed as its elements are, by their names; its own name and flags do not count")
    func rule() throws {
        let size = size()
        #expect(hex(size.versionHash) == "db5f5fa19a859801841740485ba9a0efad559b7a32a15f288c2db44abe5ee0b6")
        size.name = "extent"
        size.isOptional = false
        size.elements.reverse()
        #expect(hex(size.versionHash) == "db5f5fa19a859801841740485ba9a0efad559b7a32a15f288c2db44abe5ee0b6")
        let box = try #require(model([self.size()]).entitiesByName["Box"])
        #expect(hex(box.versionHash) == "eab5b49677a16e933a8ed5b93e6605704103359c53db5721117a4bcdaf303a51")
        #expect(hex(box.formerVersionHash) == "9461c17794b1897d555401c44b9c4ccb4df9bbc043a36587c142d797e710f1a9")
        #expect(box.isVersionHashExact)
        size.elements[0].isOptional = false
        #expect(hex(size.versionHash) != "db5f5fa19a859801841740485ba9a0efad559b7a32a15f288c2db44abe5ee0b6")
    }

    @Test("a composite attribute within another, or with a modifier of its own, has a hash that no file shows")
    func inexact() throws {
        let inner = size()
        let outer = composite("outer", [inner, SampleModels.attribute("unit", .stringAttributeType)])
        #expect(outer.versionHash == SHA2.sha256(Array(inner.versionHash + outer.elements[1].versionHash)))
        #expect(model([outer]).entitiesByName["Box"]?.isVersionHashExact == false)
        let modified = size()
        modified.versionHashModifier = "2"
        #expect(model([modified]).entitiesByName["Box"]?.isVersionHashExact == false)
        let plain = try #require(model([SampleModels.attribute("a", .stringAttributeType)]).entitiesByName["Box"])
        #expect(plain.formerVersionHash == nil && plain.isVersionHashExact)
    }

    @Test("subentities of an entity with composite attributes have a former hash, too")
    func inherited() throws {
        let (box, crate) = (SampleModels.entity("Box"), SampleModels.entity("Crate"))
        box.properties = [size()]
        box.subentities = [crate]
        let model = NSManagedObjectModel()
        model.entities = [box, crate]
        let former = try #require(crate.formerVersionHash)
        #expect(former != crate.versionHash && former != box.formerVersionHash)
        #expect(crate.isVersionHashExact)
    }

    /// Gives a store the metadata of an older version of this library.
    private func age(_ url: URL, _ type: String, _ model: NSManagedObjectModel) throws {
        var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
        #expect(metadata[StoredVersion.notesKey] != nil)
        metadata[StoredVersion.notesKey] = nil
        metadata[NSStoreModelVersionHashesKey] = model.entitiesByName.mapValues {
            $0.formerVersionHash ?? $0.versionHash
        }
        guard type == NSSQLiteStoreType else {
            try NSPersistentStoreCoordinator.setMetadata(metadata, forPersistentStoreOfType: type, at: url)
            return
        }
        let connection = try SQLiteConnection(path: url.path, access: .readWrite)
        try SQLStoreMetadata.write(metadata, to: connection, url: url)
    }

    @Test(
        "a store with the former hash opens as it is, is not migrated, and gets the present hash by a migration",
        arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
    func olderStores(_ type: String) throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Store")
        let older = model([size()])
        try withStore(url, older, type: type) { context in
            context.make("Box", ["size": ["width": 1.0, "height": 2.0]])
            try context.save()
        }
        try age(url, type, older)
        let aged = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
        #expect(older.isConfiguration(withName: nil, compatibleWithStoreMetadata: aged))
        #expect(NSManagedObjectModel(byMerging: [model([size()])], forStoreMetadata: aged) != nil)
        func width(_ model: NSManagedObjectModel, _ options: [String: Any]? = nil, _ path: String) throws -> Double? {
            try withStore(url, model, type: type, options: options) { context in
                try context.all("Box").first?.value(forKeyPath: path) as? Double
            }
        }
        #expect(try width(model([size()]), nil, "size.width") == 1)
        let kept = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
        #expect(StoredVersion(kept) == StoredVersion(aged))

        let newer = model([size(), SampleModels.attribute("label", .stringAttributeType)])
        #expect(!newer.isConfiguration(withName: nil, compatibleWithStoreMetadata: aged))
        if type != NSSQLiteStoreType { return }
        let options: [String: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
        #expect(try width(newer, options, "size.width") == 1)
        let migrated = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
        #expect(StoredVersion(migrated).hashes == newer.entityVersionHashesByName)
    }

    @Test(
        "a composite attribute with a new name is another version, though the hash is the same",
        arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
    func renamed(_ type: String) throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Store")
        // Elements of both have the same names: which is the first changes with the new name.
        let older = model([size("inner"), size("outer")])
        let newer = model([size("outer"), size("within", formerly: "inner")])
        #expect(older.entityVersionHashesByName == newer.entityVersionHashesByName)
        #expect(older.layoutChecksum != newer.layoutChecksum)
        try withStore(url, older, type: type) { context in
            context.make(
                "Box", ["inner": ["width": 1.0, "height": 2.0], "outer": ["width": 3.0, "height": 4.0]])
            try context.save()
        }
        #expect(throws: NSError.self) { try withStore(url, newer, type: type) { _ in } }
        try withStore(url, older, type: type) { _ in }
        // A file of another kind holds no model that could be migrated from.
        if type != NSSQLiteStoreType { return }
        let options: [String: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
        try withStore(url, newer, type: type, options: options) { context in
            let box = try #require(try context.all("Box").first)
            #expect(box.value(forKeyPath: "within.width") as? Double == 1)
            #expect(box.value(forKeyPath: "outer.width") as? Double == 3)
        }
        try withStore(url, newer, type: type) { _ in }
        #expect(throws: NSError.self) { try withStore(url, older, type: type) { _ in } }
    }

    @Test("A store of Apple's framework notes no names: they are in its kept model")
    func withoutNotes() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Store")
        try withStore(url, model([size("inner"), size("outer")])) { _ in }
        do {
            let connection = try SQLiteConnection(path: url.path, access: .readWrite)
            var metadata = try SQLStoreMetadata.read(from: connection, url: url)
            metadata[StoredVersion.notesKey] = nil
            try SQLStoreMetadata.write(metadata, to: connection, url: url)
        }
        try withStore(url, model([size("inner"), size("outer")])) { _ in }
        #expect(throws: NSError.self) { try withStore(url, model([size("outer"), size("within")])) { _ in } }
    }
}
