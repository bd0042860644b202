// Migrates a store until it is killed. Usage: migration-crash-child STORE [WAY]
//
// Opens the store with the newer model and both migration options, as a program does when it starts. The ways: "place" (the
// default), between the two models of CrashModels; "resources N", to a version of DepotModels with what lies beside the
// program, by the type that the store's name says; "stages" and "plain stages", through those of DepotModels; "pass", by a
// migration manager into a store beside it, whose name ends as the way does; "save" makes and saves objects in a store that is
// one file. With "destroy" it destroys the store instead; with "null" it uses `/dev/null` as a store, and the folder of STORE
// for files.
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
    let model: NSManagedObjectModel
    switch arguments.first {
    case "resources": model = DepotModels.model(Int(arguments.last ?? "") ?? 0)
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
        ofType: types[url.pathExtension] ?? NSSQLiteStoreType, configurationName: nil, at: url, options: options)
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
