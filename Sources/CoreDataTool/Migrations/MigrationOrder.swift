import CoreData
import CoreDataManager
import Foundation

/// What `forecast` and `migrate` are told: a store, the model that it is to be brought to, and how.
struct MigrationOrder {
    static let options: [Option] = [
        Option(
            "model", letter: "m", value: "PATH", completion: .file,
            "the model to reach (.xcdatamodeld, .xcdatamodel, .momd, .mom); its other versions are known, too"),
        Option("to", value: "NAME", "the version of the model to reach; by default the current one"),
        Option("configuration", value: "NAME", "the configuration of the model that the store belongs to"),
        Option(
            "mapping", value: "PATH", completion: .file,
            "migrate by this mapping model (.cdm, .xcmappingmodel) instead of an inferred one"),
        Option(
            "allow-loss", value: "NAME", repeats: true,
            "let these values go: ENTITY (its objects) or ENTITY.PROPERTY, as the store's version calls them"),
    ]

    private let storeText: String
    private let modelPath: String
    private let version: String?
    private let configuration: String?
    private let mappingPath: String?
    private let allowedLosses: [String]

    init(_ arguments: Arguments) throws {
        storeText = try arguments.required(0)
        guard let model = arguments.value("model") else { throw arguments.misuse("'--model' is missing") }
        modelPath = model
        version = arguments.value("to")
        configuration = arguments.value("configuration")
        mappingPath = arguments.value("mapping")
        allowedLosses = arguments.values("allow-loss")
    }

    /// The order with everything that it names found and read; nothing is opened.
    struct Opened {
        let store: StoreAddress
        let file: ModelFile
        let target: NSManagedObjectModel.Version
        let configuration: String?
        /// The store's options, without those that ask for a migration.
        let options: [AnyHashable: Any]

        /// The version that the store was written with; nil where the file does not have it.
        var source: NSManagedObjectModel.Version?

        func forecast() throws -> MigrationForecast {
            do {
                return try NSPersistentStoreCoordinator.migrationForecast(
                    forPersistentStoreAt: store.url, to: target.model, configuration: configuration,
                    through: file.versions.map(\.model), options: options)
            } catch {
                throw ToolError(error, at: store.shown)
            }
        }

        /// The migration, which waits for nobody.
        func job() -> MigrationJob {
            MigrationJob(
                storeURL: store.url, storeType: store.type, model: target.model, modelConfiguration: configuration,
                options: options.merging([NSPersistentStoreTimeoutOption: 0.0]) { $1 })
        }

        func isReached() throws -> Bool {
            target.model.isConfiguration(
                withName: configuration, compatibleWithStoreMetadata: try store.metadata())
        }
    }

    func open() throws -> Opened {
        let store = try StoreAddress(storeText)
        let metadata = try store.metadata()
        guard ModelFile.isModel(modelPath) else {
            _ = try ModelFile.url(modelPath)
            throw ToolError(.unreadable, "\(modelPath): this is no model")
        }
        let file = try ModelFile(modelPath)
        let target = try file.version(version)
        if let configuration, !target.model.configurations.contains(configuration) {
            let nearest = NearestName.of(configuration, among: target.model.configurations)
            throw ToolError(
                .usage,
                "the model has no configuration '\(configuration)'"
                    + (nearest.map { "; is '\($0)' meant?" } ?? ""))
        }
        let source = file.version(fitting: metadata)
        try checkLosses(
            in: source?.model
                ?? (try? NSPersistentStoreCoordinator.cachedModelForPersistentStore(
                    at: store.url, options: [NSReadOnlyPersistentStoreOption: true])))
        var options: [AnyHashable: Any] = [NSMigrationKnownVersionsOption: file.versions.map(\.model)]
        if !allowedLosses.isEmpty { options[NSMigrationAllowedLossesOption] = allowedLosses }
        if let mappingPath {
            guard let mapping = NSMappingModel(contentsOf: try ModelFile.url(mappingPath)) else {
                throw ToolError(.unreadable, "\(mappingPath): this is no mapping model")
            }
            options[NSMigrationMappingModelOption] = mapping
        }
        return Opened(
            store: store, file: file, target: target, configuration: configuration, options: options,
            source: source)
    }

    /// A name that the store's version does not have would allow nothing, and nobody would notice.
    private func checkLosses(in model: NSManagedObjectModel?) throws {
        guard let model else { return }
        for name in allowedLosses {
            let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            let entity = model.entitiesByName[parts[0]]
            if let entity, parts.count == 1 || entity.propertiesByName[parts[1]] != nil { continue }
            let names = model.entities.flatMap { entity in
                [entity.name ?? ""] + entity.properties.map { "\(entity.name ?? "").\($0.name)" }
            }
            let nearest = NearestName.of(name, among: names)
            throw ToolError(
                .usage, "'--allow-loss': the store has no '\(name)'" + (nearest.map { "; is '\($0)' meant?" } ?? ""))
        }
    }
}

/// What a forecast of a store says, for people.
struct ForecastReport {
    let order: MigrationOrder.Opened
    let forecast: MigrationForecast

    private var text: ForecastText { ForecastText(forecast, versions: order.file.versions) }
    var json: JSON { text.json }

    /// Whether nothing stands in the way.
    var isClear: Bool {
        !forecast.isMigrationRequired || (forecast.isPossible && losses.isEmpty && forecast.hasDiskSpace)
    }

    /// What would be lost although nobody has allowed it. A program that knows the older version may lose what it has no
    /// place for; whoever calls this one says so. A mapping says itself what goes.
    private var losses: [MigrationLoss] {
        if order.options[NSMigrationMappingModelOption] != nil { return forecast.losses.filter { !$0.isAllowed } }
        let allowed = order.options[NSMigrationAllowedLossesOption] as? [String] ?? []
        return forecast.losses.filter { $0.count > 0 && !allowed.contains($0.name) && !allowed.contains($0.entity) }
    }

    var target: String { "'\(order.target.name)'" }

    func write(_ console: Console) throws {
        let name = console.styled(Table.onOneLine(order.store.shown), .bold)
        guard forecast.isMigrationRequired else {
            return try console.line("\(name) \(Table.onOneLine("is of version \(target) and needs no migration"))")
        }
        let source = order.source.map { "version '\($0.name)'" } ?? "a version that the model does not have"
        try console.line("\(name) \(Table.onOneLine("is of \(source); the one to reach is \(target)"))")
        for loss in forecast.losses {
            let help = losses.contains(loss) ? "; --allow-loss \(loss.name) lets it go" : ""
            try console.line(console.styled(Table.onOneLine("loses \(loss)\(help)"), .yellow))
        }
        guard forecast.isPossible, losses.isEmpty else {
            try console.line(console.styled("It cannot be migrated:", .red))
            for obstacle in obstacles { try console.line(Table.onOneLine("  \(obstacle)")) }
            return
        }
        let time =
            forecast.isInstant
            ? "instant at any size"
            : "about \(Measure.seconds(forecast.estimatedSeconds)), \(forecast.rows) rows to go through"
        try console.line("time  \(time)")
        let free = forecast.diskSpaceAvailable.map { ", \(Measure.bytes($0)) are free" } ?? ""
        let disk = "disk  needs \(Measure.bytes(forecast.diskSpaceNeeded))\(free)"
        try console.line(forecast.hasDiskSpace ? disk : console.styled("\(disk): too little", .red))
        try console.line()
        try text.writeHops(console, figures: true)
        for lock in forecast.locks { try console.line(Table.onOneLine("\(lock)")) }
    }

    /// What stands in the way, a line each, in the words of this program.
    var obstacles: [String] {
        let refused = losses
        let others = forecast.obstacles.filter { obstacle in
            !refused.contains { $0.entity == obstacle.entity && $0.property == obstacle.property }
        }
        return refused.map { "It would lose \($0); --allow-loss \($0.name) lets it go." }
            + others.map(\.description)
    }

    /// The error of a migration that is not to be begun; nil where nothing stands in the way.
    var refusal: ToolError? {
        if !forecast.isPossible || !losses.isEmpty {
            return ToolError(
                .failed, "\(order.store.shown) cannot be migrated to \(target); nothing was changed",
                details: obstacles)
        }
        guard !forecast.hasDiskSpace else { return nil }
        let free = forecast.diskSpaceAvailable.map { Measure.bytes($0) } ?? "nothing"
        return ToolError(
            .failed, "\(order.store.shown) cannot be migrated: the disk is too full; nothing was changed",
            details: ["\(Measure.bytes(forecast.diskSpaceNeeded)) are needed, \(free) are free."])
    }
}
