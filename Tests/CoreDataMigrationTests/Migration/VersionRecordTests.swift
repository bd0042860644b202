import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("The versions that a store has passed through", .leavesNothingBehind)
struct VersionRecordTests {
    @Test("a store notes the versions that it leaves; going back to one of them is guarded although its model is given")
    func recorded() throws {
        try withTemporaryFolder { folder in
            let all = [NoteShelf.first, NoteShelf.second, NoteShelf.third]
            let checksums = all.map { ModelText.model($0).versionChecksum }
            let shelf = NoteShelf(folder)
            try shelf.open(NoteShelf.first)
            try shelf.open(NoteShelf.second, knowing: all)
            #expect(shelf.record == [checksums[0]])
            try shelf.open(NoteShelf.third, knowing: all, NoteShelf.fill)
            #expect(shelf.record == Array(checksums.prefix(2)))
            for (older, count) in [(NoteShelf.second, 2), (NoteShelf.first, 4)] {
                #expect(NoteShelf.losses(try shelf.refusal(older, knowing: all)).count == count)
            }
            // Forth again after an allowed downgrade is none back; one step back of two leaves the first one noted.
            try shelf.open(NoteShelf.second, allowing: ["Tag", "Note.tags"], knowing: all)
            #expect(shelf.record == [checksums[0]])
            try shelf.open(NoteShelf.first, allowing: ["Note.size", "Note.text"], knowing: all)
            #expect(shelf.record.isEmpty)
            try shelf.open(NoteShelf.third, knowing: all, NoteShelf.fill)
            #expect(NoteShelf.losses(try shelf.refusal(NoteShelf.first, knowing: all)).count == 4)
        }
    }

    @Test("the record stays when a program sets its own metadata, and goes with copies and moved stores")
    func copies() throws {
        try withTemporaryFolder { folder in
            let shelf = NoteShelf(folder)
            try shelf.open(NoteShelf.first)
            try shelf.open(NoteShelf.second)
            let record = shelf.record
            #expect(record.count == 1)
            try NSPersistentStoreCoordinator.setMetadata(
                ["mine": 1], forPersistentStoreOfType: NSSQLiteStoreType, at: shelf.url)
            #expect(shelf.record == record)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(NoteShelf.second))
            let copy = folder.appendingPathComponent("copy.sqlite")
            try coordinator.replacePersistentStore(
                at: copy, withPersistentStoreFrom: shelf.url, ofType: NSSQLiteStoreType)
            let moved = folder.appendingPathComponent("moved.sqlite")
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: shelf.url)
            coordinator.setMetadata(["mine": 2], for: store)
            try coordinator.remove(
                coordinator.migratePersistentStore(store, to: moved, withType: NSSQLiteStoreType))
            for url in [copy, moved] {
                let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: NSSQLiteStoreType, at: url)
                #expect(VersionRecord(metadata).checksums == record, "\(url.lastPathComponent)")
            }
            // A manager's new store has it, too.
            let manager = NSMigrationManager(
                sourceModel: ModelText.model(NoteShelf.second), destinationModel: ModelText.model(NoteShelf.third))
            manager.usesStoreSpecificMigrationManager = false
            let target = folder.appendingPathComponent("target.sqlite")
            try manager.migrateStore(
                from: shelf.url, sourceType: NSSQLiteStoreType,
                with: .inferredMappingModel(
                    forSourceModel: ModelText.model(NoteShelf.second),
                    destinationModel: ModelText.model(NoteShelf.third)),
                toDestinationURL: target, destinationType: NSSQLiteStoreType)
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: target)
            #expect(VersionRecord(metadata).checksums == record + [ModelText.model(NoteShelf.second).versionChecksum])
        }
    }

    @Test("an older version with a derived attribute is not taken for the newer one of the store")
    func derived() throws {
        func model(_ text: String) -> NSManagedObjectModel {
            let model = ModelText.model(text)
            let attribute = NSDerivedAttributeDescription()
            attribute.name = "low"
            attribute.attributeType = .stringAttributeType
            attribute.isOptional = true
            attribute.derivationExpression = NSExpression(format: "lowercase:(name)")
            model.entities[0].properties.append(attribute)
            return model
        }
        try withTemporaryFolder { folder in
            let shelf = NoteShelf(folder)
            let (older, newer) = ("entity Item\n  name string", "entity Item\n  name string\n  data string")
            try shelf.open(model(newer)) { $0.make("Item", ["name": "N", "data": "value"]) }
            let error = try #require(throws: NSError.self) {
                try shelf.open(model(older), [NSMigrationKnownVersionsOption: [model(older)]])
            }
            #expect(NoteShelf.losses(error).map(\.name) == ["Item.data"])
            // The newer version itself is one that the program has.
            try shelf.open(model(older), [NSMigrationKnownVersionsOption: [model(newer)]])
        }
    }

    @Test("values that an older version derives anew are lost, and asked for")
    func derivedAgain() throws {
        try withTemporaryFolder { folder in
            let shelf = NoteShelf(folder)
            let older = ModelText.model(NoteShelf.first)
            let derived = NSDerivedAttributeDescription()
            derived.name = "size"
            derived.attributeType = .stringAttributeType
            derived.derivationExpression = NSExpression(format: "uppercase:(name)")
            older.entitiesByName["Note"]?.properties.append(derived)
            try shelf.open(older) { $0.make("Note", ["name": "a"]) }
            let newer = ModelText.model("entity Note\n  name string\n  color string\n  size string")
            try shelf.open(newer) { try $0.all("Note").first?.setValue("mine", forKey: "size") }
            let before = shelf.bytes
            let error = try #require(throws: NSError.self) { try shelf.open(older) }
            #expect(NoteShelf.losses(error).map(\.name) == ["Note.size"])
            #expect(shelf.bytes == before)
        }
    }
}
