import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// `migrateStore` into a destination that exists: passes by several mapping models, repeated ones, killed ones.
@Suite("Passes of mapping models into one destination", .leavesNothingBehind)
struct MigrationPassTests {
    private static let items = 300

    private static func type(_ suffix: String) -> String {
        ["xml": NSXMLStoreType, "binary": NSBinaryStoreType][suffix] ?? NSSQLiteStoreType
    }

    /// A store of the second version of DepotModels, and the address of a destination.
    private func withSource(_ suffix: String, items: Int = 20, _ body: (URL, URL) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let source = folder.appendingPathComponent("Depot.sqlite")
            try DepotModels.fill(source, DepotModels.versions[1], items: items)
            try body(source, folder.appendingPathComponent("Filled.\(suffix)"))
        }
    }

    private func count(_ entity: String, _ url: URL, _ suffix: String) throws -> Int {
        try withStore(url, DepotModels.model(2), type: Self.type(suffix)) {
            try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
        }
    }

    @Test(
        "the same mapping model from the same store a second time is refused, and adds nothing",
        arguments: ["sqlite", "xml", "binary"])
    func repeated(_ suffix: String) throws {
        try withSource(suffix) { source, destination in
            try DepotModels.pass(from: source, into: destination, type: Self.type(suffix))
            let before = try StoreText.lines(destination, DepotModels.model(2), type: Self.type(suffix))
            let error = #expect(throws: NSError.self) {
                try DepotModels.pass(from: source, into: destination, type: Self.type(suffix))
            }
            #expect(error?.code == NSMigrationManagerDestinationStoreError)
            #expect(error?.localizedDescription.contains("Filled.\(suffix)") == true)
            #expect(try StoreText.lines(destination, DepotModels.model(2), type: Self.type(suffix)) == before)
            #expect(try count("Item", destination, suffix) == 20)
        }
    }

    @Test("a copy of a source store counts as that store, and its pass is refused")
    func copiedSource() throws {
        try withSource("sqlite") { source, destination in
            try DepotModels.pass(from: source, into: destination)
            let copy = source.deletingLastPathComponent().appendingPathComponent("Copy.sqlite")
            try FileManager.default.copyItem(at: source, to: copy)
            let error = #expect(throws: NSError.self) { try DepotModels.pass(from: copy, into: destination) }
            #expect(error?.code == NSMigrationManagerDestinationStoreError)
            #expect(try count("Item", destination, "sqlite") == 20)
        }
    }

    @Test("other openers of the destination wait as long as a pass fills it", arguments: ["sqlite", "xml", "binary"])
    func waiting(_ suffix: String) throws {
        try withSource(suffix) { source, destination in
            let code = Locked<Int?>(nil)
            let opening: () -> Void = {
                do {
                    try Thread.onAnother {
                        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: DepotModels.model(2))
                        try coordinator.addPersistentStore(
                            ofType: Self.type(suffix), configurationName: nil, at: destination,
                            options: [NSPersistentStoreTimeoutOption: 0])
                    }
                } catch {
                    code.withLock { $0 = (error as NSError).code }
                }
            }
            let manager = NSMigrationManager(sourceModel: DepotModels.model(1), destinationModel: DepotModels.model(2))
            manager.userInfo = ["opening": opening]
            #expect(throws: NSError.self) {
                try manager.migrateStore(
                    from: source, sourceType: NSSQLiteStoreType, options: nil,
                    with: DepotModels.mapping(policy: OpeningDepotPolicy.self), toDestinationURL: destination,
                    destinationType: Self.type(suffix), destinationOptions: nil)
            }
            #expect(code.withLock { $0 } == NSPersistentStoreTimeoutError)
        }
    }

    @Test(
        "a program that sets the destination's metadata does not make the pass a new one",
        arguments: ["sqlite", "xml", "binary"])
    func repeatedAfterMetadata(_ suffix: String) throws {
        try withSource(suffix) { source, destination in
            let type = Self.type(suffix)
            try DepotModels.pass(from: source, into: destination, type: type)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: DepotModels.model(2))
            let store = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: destination)
            coordinator.setMetadata(["mine": 1], for: store)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            try context.performAndWait {
                context.persistentStoreCoordinator = coordinator
                NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context).setValue("m", forKey: "label")
                try context.save()
            }
            try coordinator.remove(store)
            try NSPersistentStoreCoordinator.setMetadata(
                ["mine": 2], forPersistentStoreOfType: type, at: destination)
            #expect(throws: NSError.self) { try DepotModels.pass(from: source, into: destination, type: type) }
            #expect(try count("Item", destination, suffix) == 20)
        }
    }

    @Test(
        "mapping models that each fill a part of it, and another source, are passes of their own",
        arguments: ["sqlite", "xml", "binary"])
    func severalPasses(_ suffix: String) throws {
        try withSource(suffix) { source, destination in
            func pass(_ entities: Set<String>, from source: URL) throws {
                let mapping = DepotModels.mapping()
                mapping.entityMappings = mapping.entityMappings.filter { entities.contains($0.sourceEntityName ?? "") }
                for entity in mapping.entityMappings { entity.relationshipMappings = [] }
                let manager = NSMigrationManager(
                    sourceModel: DepotModels.model(1), destinationModel: DepotModels.model(2))
                try manager.migrateStore(
                    from: source, sourceType: NSSQLiteStoreType, options: nil, with: mapping,
                    toDestinationURL: destination, destinationType: Self.type(suffix), destinationOptions: nil)
            }
            try pass(["Item"], from: source)
            try pass(["Shelf", "Tag"], from: source)
            #expect(throws: NSError.self) { try pass(["Item"], from: source) }
            let other = source.deletingLastPathComponent().appendingPathComponent("Other.sqlite")
            try DepotModels.fill(other, DepotModels.versions[1], items: 5)
            try pass(["Item"], from: other)
            #expect(try count("Item", destination, suffix) == 25)
            #expect(try count("Shelf", destination, suffix) == 10)
            #expect(try count("Tag", destination, suffix) == 7)
        }
    }

    @Test("A pass that fails leaves the destination as it was", arguments: ["sqlite", "xml", "binary"])
    func failing(_ suffix: String) throws {
        try withSource(suffix, items: Self.items) { source, destination in
            try withStore(destination, DepotModels.model(2), type: Self.type(suffix)) { context in
                NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context).setValue(
                    "mine", forKey: "label")
                try context.save()
            }
            let before = try StoreText.lines(destination, DepotModels.model(2), type: Self.type(suffix))
            let mapping = DepotModels.mapping(policy: FailingDepotPolicy.self)
            let manager = NSMigrationManager(sourceModel: DepotModels.model(1), destinationModel: DepotModels.model(2))
            #expect(throws: NSError.self) {
                try manager.migrateStore(
                    from: source, sourceType: NSSQLiteStoreType, options: nil, with: mapping,
                    toDestinationURL: destination, destinationType: Self.type(suffix), destinationOptions: nil)
            }
            #expect(try StoreText.lines(destination, DepotModels.model(2), type: Self.type(suffix)) == before)
            try DepotModels.pass(from: source, into: destination, type: Self.type(suffix))
            #expect(try count("Item", destination, suffix) == Self.items)
            #expect(try count("Tag", destination, suffix) == 8)
        }
    }

    @Test(
        "A pass into a destination with another process at a pass is refused and names it",
        arguments: ["sqlite", "xml", "binary"])
    func atWork(_ suffix: String) throws {
        try withSource(suffix) { source, destination in
            let lock = try #require(
                try MigrationFolder.lock(SQLiteStoreFiles(destination).main, creating: true, timeout: 0))
            let error = #expect(throws: NSError.self) {
                try Thread.onAnother { try DepotModels.pass(from: source, into: destination, type: Self.type(suffix)) }
            }
            #expect(error?.code == NSMigrationManagerDestinationStoreError)
            #expect(error?.localizedDescription.contains("\(getpid())") == true)
            try lock.remove()
            try DepotModels.pass(from: source, into: destination, type: Self.type(suffix))
            #expect(try count("Item", destination, suffix) == 20)
        }
    }

    @Test(
        "a killed pass leaves nothing that the next one adds to, or that stays beside the stores",
        arguments: ["sqlite", "xml", "binary"], [false, true])
    func killed(_ suffix: String, isThere: Bool) throws {
        let moments = ["batchSaved:1", "batchSaved:4", "batchSaved:8"]
        for moment in Sample.slice(moments, oneIn: 3, "\(suffix) \(isThere)") {
            try withSource(suffix, items: Self.items) { source, destination in
                if isThere { try withStore(destination, DepotModels.model(2), type: Self.type(suffix)) { _ in } }
                let program = try DepotProgram.install(in: source.deletingLastPathComponent())
                func run(_ environment: [String: String]) throws -> Process {
                    let process = AwaitedProcess()
                    process.executableURL = program
                    process.arguments = [source.path, "pass", suffix]
                    process.standardOutput = FileHandle.nullDevice
                    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
                    try process.run()
                    process.waitUntilExit()
                    return process
                }
                let killed = try run(["OPENCOREDATA_TRIAL_KILL": moment])
                #expect(killed.terminationReason == .uncaughtSignal, "\(moment)")
                let done = try run([:])
                #expect(done.terminationStatus == 0, "\(moment)")
                #expect(try count("Item", destination, suffix) == Self.items, "\(moment)")
                #expect(try count("Shelf", destination, suffix) == 10, "\(moment)")
                let names = try FileManager.default.contentsOfDirectory(atPath: source.deletingLastPathComponent().path)
                let known = [source.lastPathComponent, destination.lastPathComponent, program.lastPathComponent]
                #expect(
                    names.allSatisfy { name in
                        known.contains { name.hasPrefix($0) } || [".Depot_SUPPORT", ".Filled_SUPPORT"].contains(name)
                    }, "\(names)")
            }
        }
    }

    @Test("opening the destination removes the remains of a killed pass", arguments: ["sqlite", "xml", "binary"])
    func sweptAtOpening(_ suffix: String) throws {
        try withSource(suffix, items: Self.items) { source, destination in
            let folder = source.deletingLastPathComponent()
            let program = try DepotProgram.install(in: folder)
            let process = AwaitedProcess()
            process.executableURL = program
            process.arguments = [source.path, "pass", suffix]
            process.standardOutput = FileHandle.nullDevice
            process.environment = ProcessInfo.processInfo.environment.merging([
                "OPENCOREDATA_TRIAL_KILL": "batchSaved:2"
            ]) { $1 }
            try process.run()
            process.waitUntilExit()
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).contains(".Filled.\(suffix).migration")
            )
            #expect(try count("Item", destination, suffix) == 0)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(
                !names.contains { $0.contains("migration") && $0.hasPrefix(".") || $0.contains("associations") },
                "\(names)")
        }
    }
}

/// Calls a closure before the first item, and then fails.
final class OpeningDepotPolicy: NSEntityMigrationPolicy {
    override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        (manager.userInfo?["opening"] as? () -> Void)?()
        throw CocoaError(.featureUnsupported)
    }
}

/// Fails at the last of many items.
final class FailingDepotPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        if sInstance.value(forKey: "title") as? String == "Item 299" { throw CocoaError(.featureUnsupported) }
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    }
}

extension Thread {
    /// Runs a body on another thread, and waits for it.
    fileprivate static func onAnother(_ body: @escaping () throws -> Void) throws {
        let (work, outcome) = (Held(body), Held(NSMutableArray()))
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do { try work.value() } catch { outcome.value.add(error) }
            done.signal()
        }
        done.wait()
        if let error = outcome.value.firstObject as? any Error { throw error }
    }
}
