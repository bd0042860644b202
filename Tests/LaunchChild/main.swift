// One launch of a program in a process of its own, for tests that kill it or time its main thread. Each thing that
// happens is a line on the standard output. The store is of `CrashModels.older`, the program's model is the newer one.
//
//   launch-child launch STORE                 prints each state; at the end the numbers of rows
//   launch-child mapping STORE                launches by a migration manager, object by object into a copy
//   launch-child stages STORE                 launches through the stages of DepotModels; each prints its beginning
//   launch-child blocking STORE LIMIT DELAY   opens on the main thread, under a watchdog of LIMIT seconds
//   launch-child managed STORE LIMIT DELAY    opens through the manager, under such a watchdog
//   launch-child contest                      takes part in a contest (see `Contest`), each round by one adapter
//
// DELAY is how many seconds longer a migration takes, as on a phone of 2011.
import CoreData
import CoreDataManager
import Foundation
import TestSupport

func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

/// A migration that takes longer than it would here.
struct SlowAdapter: MigrationAdapter {
    let delay: Double
    let real = CoreDataManager.Configuration().adapter

    func forecast(_ job: MigrationJob) throws -> LaunchForecast { try real.forecast(job) }

    func migrate(_ job: MigrationJob, begun: (any MigrationProgressReporting) -> Void) throws {
        try real.migrate(job) { migration in
            begun(migration)
            Thread.sleep(forTimeInterval: delay)
        }
    }
}

@MainActor
func launch(_ manager: CoreDataManager) async throws {
    let states = manager.states
    let watching = Task.detached {
        var last = ""
        for await state in states {
            let name = state.description.prefix { $0 != " " }
            if name != last { say(String(name)) }
            last = String(name)
        }
    }
    try await manager.launch()
    await watching.value
    let counts = try await manager.performBackground(saving: false) { context in
        try countedRows.map { entity, condition in
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = NSPredicate(format: condition)
            return try context.count(for: request)
        }
    }
    say("rows " + counts.map(String.init).joined(separator: " "))
}

/// The stages of DepotModels, saying their number when they begin.
func sayingStages() -> NSStagedMigrationManager {
    let stages = DepotModels.manager()
    for (number, stage) in stages.stages.enumerated() {
        guard let stage = stage as? NSCustomMigrationStage else { continue }
        let handler = stage.willMigrateHandler
        stage.willMigrateHandler = { manager, current in
            say("stage \(number)")
            try handler?(manager, current)
        }
    }
    return stages
}

@MainActor
func underWatch(_ role: String, _ manager: CoreDataManager, limit: Double) async throws {
    let probe = LaunchProbe()
    probe.start()
    let dog = Watchdog(probe, limit: limit)
    if role == "blocking" {
        try manager.configuration.adapter.migrate(
            MigrationJob(
                storeURL: manager.storeURL, storeType: NSSQLiteStoreType, model: ModelText.model(CrashModels.newer),
                modelConfiguration: nil, options: [NSMigrationAllowedLossesOption: CrashModels.removed]),
            begun: { _ in })
        probe.markFirstScreen()
        probe.markReady()
    } else {
        let outcome = await withCheckedContinuation { continuation in
            manager.launch(
                progressScreen: { _ in
                    probe.markFirstScreen()
                    say("screen")
                },
                completion: { continuation.resume(returning: $0) })
        }
        try outcome.get()
        probe.markFirstScreen()
        probe.markReady()
    }
    dog.stop()
    let report = probe.stop()
    say("ready \(report.timeToReady ?? -1)")
    say("first \(report.timeToFirstScreen ?? -1)")
    say("stall \(report.longestStall)")
}

/// One launch of a contest: the platform's adapter, the inferred one, or the one for mapping models, of which one leads
/// from the second version of DepotModels to the third; or the platform's through the stages.
@MainActor
func takePart(_ way: String, _ store: URL) async throws {
    var configuration = CoreDataManager.Configuration()
    configuration.minimumScreenTime = 0
    configuration.allowedLosses = CrashModels.removed
    var model = ModelText.model(CrashModels.newer)
    switch way {
    case "inferred": configuration.adapter = InferredMigrationAdapter()
    case "stages":
        configuration.storeOptions[NSPersistentStoreStagedMigrationManagerOptionKey] = DepotModels.manager()
        model = ModelText.model(DepotModels.stages[3])
    case "mapping", "mapping xml", "mapping binary":
        configuration.adapter = MappingModelAdapter(
            sourceModel: { _ in DepotModels.model(1) }, mappingModel: { _, _ in DepotModels.mapping() })
        model = DepotModels.model(2)
        let types = ["mapping xml": NSXMLStoreType, "mapping binary": NSBinaryStoreType]
        configuration.storeType = types[way] ?? NSSQLiteStoreType
    default: break
    }
    try await CoreDataManager(model: model, storeURL: store, configuration: configuration).launch()
}

if Contestant.isCalled {
    while let (way, store) = Contestant.next() {
        do {
            try await takePart(way, store)
            Contestant.ended(nil)
        } catch {
            Contestant.ended(error)
        }
    }
    exit(0)
}

let arguments = CommandLine.arguments
let isStaged = arguments[1] == "stages"
/// Entities, and which of their rows to count.
let countedRows: [(String, String)] =
    isStaged
    ? [
        ("Item", "number != nil AND note BEGINSWITH 'number '"), ("Shelf", "items.@count > 0"),
        ("Tag", "TRUEPREDICATE"),
    ]
    : [("Volume", "TRUEPREDICATE"), ("Rack", "TRUEPREDICATE"), ("Label", "TRUEPREDICATE")]
var configuration = CoreDataManager.Configuration()
configuration.minimumScreenTime = 0
configuration.allowedLosses = CrashModels.removed
if arguments.count > 4 {
    configuration.graceDelay = 0.05
    configuration.adapter = SlowAdapter(delay: Double(arguments[4]) ?? 0)
}
if isStaged {
    configuration.storeOptions[NSPersistentStoreStagedMigrationManagerOptionKey] = sayingStages()
}
if arguments[1] == "mapping" {
    configuration.adapter = MappingModelAdapter(
        sourceModel: { _ in ModelText.model(CrashModels.older) },
        mappingModel: { try? NSMappingModel.inferredMappingModel(forSourceModel: $0, destinationModel: $1) })
}
let manager = CoreDataManager(
    model: ModelText.model(isStaged ? DepotModels.stages[3] : CrashModels.newer),
    storeURL: URL(fileURLWithPath: arguments[2]),
    configuration: configuration)
say("begin")
do {
    if ["launch", "stages", "mapping"].contains(arguments[1]) {
        try await launch(manager)
    } else {
        try await underWatch(arguments[1], manager, limit: Double(arguments[3]) ?? 0)
    }
    say("done")
} catch {
    say("\(error)")
    exit(1)
}
