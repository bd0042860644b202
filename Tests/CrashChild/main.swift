// Migrates a store until it is killed. Usage: migration-crash-child STORE [WAY]
//
// Opens the store with the newer model and both migration options, as a program does when it starts. The ways: "place"
// (the default), between the two models of CrashModels; "resources N", to a version of DepotModels with the files
// beside the program, by the type in the store's name; "stages" and "plain stages", through those of DepotModels;
// "pass", by a migration manager into a store beside it, whose name ends as the way does; "save" makes and saves
// objects in a store that is one file. With "destroy" it destroys the store instead; with "null" it uses `/dev/null` as
// a store, and the folder of STORE for files.
//
// The first argument may be the URL of a PostgreSQL store, too. "given" migrates by the mapping model of DepotModels as
// the options name it; "hold" opens the store as the older version and prints "open", until it is killed; "move URL"
// moves the store there.
//
// With "contest" instead of a store it takes part in one (see `Contest`), each round in one of these ways.
import CoreData
import Foundation
import MigrationTestKit
import TestSupport

func work(_ url: URL, _ arguments: [String]) throws {
    let types = ["xml": NSXMLStoreType, "binary": NSBinaryStoreType]
    var options: [AnyHashable: Any] = [
        NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
    ]
    if arguments.first == "destroy" {
        return try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel()).destroyPersistentStore(
            at: url, ofType: NSSQLiteStoreType)
    }
    if arguments.first == "null" { return try useNullDevice(url) }
    if arguments.first == "hold" { try hold(url) }
    if arguments.first == "move" { return try move(url, to: arguments[1]) }
    let model: NSManagedObjectModel
    switch arguments.first {
    case "resources": model = DepotModels.model(Int(arguments.last ?? "") ?? 0)
    case "given":
        model = DepotModels.model(2)
        options[NSMigrationMappingModelOption] = DepotModels.mapping()
    case "stages":
        model = ModelText.model(DepotModels.stages[3])
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = DepotModels.manager()
    case "plain":
        model = ModelText.model(DepotModels.stages[3])
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = DepotModels.plainManager()
    case "pass":
        let suffix = arguments.last ?? ""
        let destination = url.deletingLastPathComponent().appendingPathComponent("Filled.\(suffix)")
        return try DepotModels.pass(from: url, into: destination, type: types[suffix] ?? NSSQLiteStoreType)
    case "save":
        return try DepotModels.fill(url, DepotModels.versions[0], items: 500, type: types[url.pathExtension] ?? "")
    default:
        model = ModelText.model(CrashModels.newer)
        options[NSMigrationAllowedLossesOption] = CrashModels.removed
    }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
        ofType: types[url.pathExtension] ?? type(of: url), configurationName: nil, at: url, options: options)
}

func type(of url: URL) -> String { url.scheme == "postgresql" ? "PostgreSQL" : NSSQLiteStoreType }

/// Has the store open as the older version until the process is killed.
func hold(_ url: URL) throws -> Never {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(CrashModels.older))
    try coordinator.addPersistentStore(ofType: type(of: url), configurationName: nil, at: url)
    print("open")
    fflush(nil)
    while true { pause() }
}

/// Moves a store of the older version to another address.
func move(_ url: URL, to address: String) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(CrashModels.older))
    let store = try coordinator.addPersistentStore(ofType: type(of: url), configurationName: nil, at: url)
    let target = URL(string: address).flatMap { $0.scheme == nil ? nil : $0 } ?? URL(fileURLWithPath: address)
    let moved = try coordinator.migratePersistentStore(store, to: target, options: nil, withType: type(of: target))
    try coordinator.remove(moved)
    // The most memory that the process has had.
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }?.split(separator: " ").dropFirst().first
    print("peak \(peak ?? "?") kB")
    fflush(nil)
}

if Contestant.isCalled {
    while let (way, store) = Contestant.next() {
        do {
            try work(store, way.split(separator: " ").map(String.init))
            Contestant.ended(nil)
        } catch {
            Contestant.ended(error)
        }
    }
    exit(0)
}
MigrationChild.main(work)
