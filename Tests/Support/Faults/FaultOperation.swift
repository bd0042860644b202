import CoreData
import Foundation

/// An operation on a small store while the machine fails: one of everything that writes a store's files.
public enum FaultOperation: String, CaseIterable, Sendable, CustomStringConvertible {
    case save, batchInsert, batchUpdate, batchDelete, purge
    case lightweight, plainStages, mapping, stages
    case copy, exchange, destroy
    case toXML, toBinary, fromXML
    case xmlSave, binarySave, pass

    public var description: String { rawValue }

    /// Whether it brings its changes to the disk before it reports its end. Saves of a SQLite store do not: their
    /// `synchronous` is NORMAL, and a loss of power may take the last ones.
    public var isDurable: Bool {
        switch self {
        case .save, .batchInsert, .batchUpdate, .batchDelete, .purge: false
        default: true
        }
    }

    /// Whether an error can come after all was done: a store that was migrated or moved is opened at the end.
    public var opensAtTheEnd: Bool {
        switch self {
        case .lightweight, .plainStages, .mapping, .stages, .pass, .copy, .toXML, .toBinary, .fromXML: true
        case .save, .batchInsert, .batchUpdate, .batchDelete, .purge, .exchange, .destroy, .xmlSave, .binarySave: false
        }
    }

    /// Whether a program repeats the operation if its outcome is unknown.
    public var isRepeatable: Bool { opensAtTheEnd || self == .exchange || self == .destroy }

    // MARK: The store

    /// The type of the store that the operation is about.
    public var type: String {
        switch self {
        case .fromXML, .xmlSave: NSXMLStoreType
        case .binarySave: NSBinaryStoreType
        default: NSSQLiteStoreType
        }
    }

    private var olderText: String {
        switch self {
        case .mapping, .pass: DepotModels.versions[1]
        default: DepotModels.versions[0]
        }
    }

    private var newerText: String {
        switch self {
        case .lightweight: DepotModels.versions[1]
        case .mapping, .pass: DepotModels.versions[2]
        case .stages, .plainStages: DepotModels.stages[3]
        default: olderText
        }
    }

    /// The versions that the store can have, the newer one first.
    public var versions: [NSManagedObjectModel] {
        (olderText == newerText ? [newerText] : [newerText, olderText]).map { ModelText.model($0) }
    }

    /// Where the store lies.
    public func store(in folder: URL) -> URL { Self.file("Store", type, folder) }

    private static func file(_ name: String, _ type: String, _ folder: URL) -> URL {
        let suffixes = [NSXMLStoreType: "xml", NSBinaryStoreType: "binary"]
        return folder.appendingPathComponent("\(name).\(suffixes[type] ?? "sqlite")")
    }

    /// The files that can hold a store, with their types.
    static func files(in folder: URL) -> [(url: URL, type: String)] {
        ["Store", "Other", "Copy"].flatMap { name in
            [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType].map { (file(name, $0, folder), $0) }
        }
    }

    /// Options with which the stores of a type are opened.
    static func options(_ type: String) -> [AnyHashable: Any] {
        type == NSSQLiteStoreType ? [NSPersistentHistoryTrackingKey: true, NSPersistentStoreTimeoutOption: 5] : [:]
    }

    /// Makes the store, and another one where the operation takes two.
    public func prepare(in folder: URL) throws {
        try Self.fill(store(in: folder), olderText, type, items: 30)
        if self == .exchange {
            try Self.fill(Self.file("Other", type, folder), olderText, type, items: 12)
        }
    }

    /// Every item has a shelf and two tags; two of them have a large cover. Some transactions make some history.
    private static func fill(_ url: URL, _ text: String, _ type: String, items: Int) throws {
        let title = text.contains("name string\n") ? "name" : "title"
        try withStore(url, ModelText.model(text), type: type, options: options(type)) { context in
            let shelves = (0..<3).map { context.make("Shelf", ["room": "room \($0)"]) }
            let tags = (0..<4).map { context.make("Tag", ["label": "tag \($0)"]) }
            try context.save()
            for number in 0..<items {
                context.make(
                    "Item",
                    [
                        title: "item \(number)", "size": "\(number * 3)", "shelf": shelves[number % 3],
                        "tags": NSSet(array: [tags[number % 4], tags[(number + 1) % 4]]),
                        "cover": cover(number, isLarge: number < 2),
                    ])
                if number % 10 == 9 { try context.save() }
            }
            try context.save()
        }
    }

    private static func cover(_ number: Int, isLarge: Bool) -> Data {
        Data((0..<(isLarge ? 130_000 : 40)).map { UInt8(truncatingIfNeeded: $0 * 7 + number) })
    }

    // MARK: Running

    /// Runs the operation. `told` is called as soon as its end is reported; the store is closed after that.
    public func run(in folder: URL, told: () -> Void = {}) throws {
        let url = store(in: folder)
        switch self {
        case .save, .xmlSave, .binarySave: try change(url, told) { try Self.edit($0) }
        case .batchInsert:
            try change(url, told) { context in
                let objects = (0..<40).map { ["name": "batch \($0)", "cover": Self.cover($0, isLarge: $0 == 0)] }
                _ = try context.execute(NSBatchInsertRequest(entityName: "Item", objects: objects))
            }
        case .batchUpdate:
            try change(url, told) { context in
                let request = NSBatchUpdateRequest(entityName: "Item")
                request.propertiesToUpdate = ["size": "changed", "cover": Self.cover(9, isLarge: true)]
                request.predicate = NSPredicate(format: "name IN %@", ["item 0", "item 3", "item 4"])
                _ = try context.execute(request)
            }
        case .batchDelete:
            try change(url, told) { context in
                let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Item")
                request.predicate = NSPredicate(format: "name != %@", "item 1")
                _ = try context.execute(NSBatchDeleteRequest(fetchRequest: request))
            }
        case .purge:
            try change(url, told) { context in
                _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
            }
        case .lightweight: try migrate(url, told, [NSInferMappingModelAutomaticallyOption: true])
        case .mapping: try migrate(url, told, [NSMigrationMappingModelOption: DepotModels.mapping()])
        case .pass:
            // Its destination gets its name when it is whole. An XML store would be there from the beginning.
            try DepotModels.pass(from: url, into: Self.file("Copy", type, folder), type: type)
            told()
        case .stages:
            try migrate(url, told, [NSPersistentStoreStagedMigrationManagerOptionKey: DepotModels.manager()])
        case .plainStages:
            try migrate(
                url, told,
                [
                    NSPersistentStoreStagedMigrationManagerOptionKey: DepotModels.plainManager(),
                    NSMigrationAllowedLossesOption: ["Item.size"],
                ])
        case .copy: try move(url, to: NSSQLiteStoreType, told)
        case .toXML: try move(url, to: NSXMLStoreType, told)
        case .toBinary: try move(url, to: NSBinaryStoreType, told)
        case .fromXML: try move(url, to: NSSQLiteStoreType, told)
        case .exchange:
            try coordinator().replacePersistentStore(
                at: url, withPersistentStoreFrom: Self.file("Other", type, folder), ofType: type)
            told()
        case .destroy:
            try coordinator().destroyPersistentStore(at: url, ofType: type)
            told()
        }
    }

    private func coordinator() -> NSPersistentStoreCoordinator {
        NSPersistentStoreCoordinator(managedObjectModel: versions[0])
    }

    private func change(_ url: URL, _ told: () -> Void, _ body: (NSManagedObjectContext) throws -> Void) throws {
        try withStore(url, versions[0], type: type, options: Self.options(type)) { context in
            context.transactionAuthor = "tester"
            try body(context)
            told()
        }
    }

    /// Makes, changes and deletes objects with large values, and ties.
    private static func edit(_ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let items = try context.fetch(request)
        let shelf = context.make("Shelf", ["room": "new"])
        context.make("Item", ["name": "new", "size": "1", "shelf": shelf, "cover": cover(5, isLarge: true)])
        for item in items {
            switch item.value(forKey: "name") as? String {
            case "item 0": item.setValue(cover(6, isLarge: true), forKey: "cover")
            case "item 1", "item 5": context.delete(item)
            case "item 2", "item 7": item.setValue(shelf, forKey: "shelf")
            default: item.setValue("changed", forKey: "size")
            }
        }
        try context.save()
    }

    private func migrate(_ url: URL, _ told: () -> Void, _ options: [AnyHashable: Any]) throws {
        let all = Self.options(type).merging(options) { $1 }
            .merging([NSMigratePersistentStoresAutomaticallyOption: true]) { $1 }
        try withStore(url, versions[0], type: type, options: all) { _ in told() }
    }

    private func move(_ url: URL, to newType: String, _ told: () -> Void) throws {
        let coordinator = coordinator()
        let store = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url, options: Self.options(type))
        let moved = try coordinator.migratePersistentStore(
            store, to: Self.file("Copy", newType, url.deletingLastPathComponent()), options: Self.options(newType),
            withType: newType)
        told()
        try? coordinator.remove(moved)
    }
}
