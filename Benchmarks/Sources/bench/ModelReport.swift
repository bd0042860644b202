import CBaseline
import CoreData

/// Measures the search for the source of an old store among many versions of a model, in a process that has read none
/// of them.
struct ModelReport {
    let versions: Int
    let rounds: Int

    static let entities = 100
    /// Seconds that the first search may take.
    static let bar = 0.05

    enum Step: String, CaseIterable {
        case first
        case again
        case current

        var title: String {
            switch self {
            case .first: "the source of a store, first time"
            case .again: "the source of a store, again"
            case .current: "the current version"
            }
        }
    }

    /// - Returns: whether the bar holds.
    func run() throws -> Bool {
        let templates = try TemplateStore()
        defer { templates.remove() }
        let bundle = templates.folder.appendingPathComponent("Models.bundle")
        try writeVersions(into: bundle, templates)
        var rows = [["\(versions) versions of \(Self.entities) entities", "ms", "CPU ms", "bar", "verdict"]]
        var holds = true
        for step in Step.allCases {
            let measured = try (1...rounds).map { _ in
                try ChildProcess.run(["child-models", step.rawValue, bundle.path, templates.oldStore.path])
            }
            let seconds = measured.map(\.seconds).median
            let cpu = measured.map(\.cpuSeconds).median
            // By processor time: a busy machine stretches the clock.
            let isUnder = cpu <= Self.bar
            if step == .first { holds = isUnder }
            rows.append(
                [step.title, (seconds * 1_000).printed(1), (cpu * 1_000).printed(1)]
                    + (step == .first ? [(Self.bar * 1_000).printed(0), isUnder ? "holds" : "BROKEN"] : ["", ""]))
        }
        printTable(rows)
        return holds
    }

    /// Every version has another attribute in every entity. A store keeps its model in the form of a compiled one.
    private func writeVersions(into bundle: URL, _ templates: TemplateStore) throws {
        let momd = bundle.appendingPathComponent("Shop.momd")
        try FileManager.default.createDirectory(at: momd, withIntermediateDirectories: true)
        var hashes: [String: [String: Data]] = [:]
        for number in 1...versions {
            let model = Self.model(number)
            hashes["Shop \(number)"] = model.entityVersionHashesByName
            let store = number == versions / 2 ? templates.oldStore : templates.folder.appendingPathComponent("version")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.remove(
                try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: nil, at: store,
                    options: [NSSQLitePragmasOption: ["synchronous": "OFF", "journal_mode": "DELETE"]]))
            try PlainC.measurement(
                of: baseline_write_model(store.path, momd.appendingPathComponent("Shop \(number).mom").path))
            if store != templates.oldStore { try FileManager.default.removeItem(at: store) }
        }
        let information: [String: Any] = [
            "NSManagedObjectModel_CurrentVersionName": "Shop \(versions)", "NSManagedObjectModel_VersionHashes": hashes,
        ]
        try PropertyListSerialization.data(fromPropertyList: information, format: .binary, options: 0)
            .write(to: momd.appendingPathComponent("VersionInfo.plist"))
    }

    private static func model(_ version: Int) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = (0..<entities).map { number in
            let entity = NSEntityDescription()
            entity.name = "Entity\(number)"
            entity.properties = ((0..<9).map { "attribute\($0)" } + ["since\(version)"]).map { name in
                let attribute = NSAttributeDescription()
                attribute.name = name
                attribute.attributeType = .stringAttributeType
                return attribute
            }
            return entity
        }
        return model
    }

    /// One step in a child process.
    static func measure(_ step: String, bundle: String, store: String) throws -> Measurement {
        guard let step = Step(rawValue: step), let bundle = Bundle(path: bundle) else {
            throw BenchmarkFailure(description: "no step \(step), or no bundle \(bundle)")
        }
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            type: .sqlite, at: URL(fileURLWithPath: store))
        func look() -> Int? {
            step == .current
                ? NSManagedObjectModel.mergedModel(from: [bundle])?.entities.count
                : NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata)?.entities.count
        }
        if step == .again { _ = look() }
        var measurement = Measurement()
        let start = Stopwatch()
        let count = look()
        start.stop(into: &measurement)
        guard count == entities else { throw BenchmarkFailure(description: "the model was not found") }
        measurement.count = entities
        return measurement
    }
}
