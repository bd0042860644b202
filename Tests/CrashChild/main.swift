// Migrates a store until it is killed. Usage: migration-crash-child STORE [WAY]
//
// Opens the store with the newer model and both migration options, as a program does when it starts. The ways: "place" (the
// default), between the two models of CrashModels; "resources N", to a version of DepotModels with what lies beside the
// program, by the type that the store's name says; "stages", through those of DepotModels. With "destroy" it destroys the
// store instead; with "null" it uses `/dev/null` as a store, and the folder of STORE for files.
import CoreData
import Foundation
import MigrationTestKit
import TestSupport

MigrationChild.main { url, arguments in
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
    default:
        model = ModelText.model(CrashModels.newer)
        options[NSMigrationAllowedLossesOption] = CrashModels.removed
    }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let types = ["xml": NSXMLStoreType, "binary": NSBinaryStoreType]
    try coordinator.addPersistentStore(
        ofType: types[url.pathExtension] ?? NSSQLiteStoreType, configurationName: nil, at: url, options: options)
}
