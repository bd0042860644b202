// Migrates a store until it is killed. Usage: migration-crash-child STORE
//
// Opens the store with the newer model and both migration options, as a program does when it starts. "begin" and "done" are
// written to the standard output around it; on an error the error is written and the exit status is 1.
import CoreData
import Foundation
import TestSupport

func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

let url = URL(fileURLWithPath: CommandLine.arguments[1])
let model = ModelText.model(CrashModels.newer)
say("begin")
do {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url,
        options: [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true])
    say("done")
} catch {
    say("\(error)")
    exit(1)
}
