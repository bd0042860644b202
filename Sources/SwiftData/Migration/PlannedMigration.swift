// Implementation notes: Migration.
//
// - A plan becomes an `NSStagedMigrationManager` with the stages from the store's version to the container's, and no
//   more. So the store's version is read first (`StoreVersion`). If another process has changed it by the time at which
//   the store is locked, opening fails with 134504, and `StorePlan` begins again.
// - Classes tell versions apart, never their names. Each handler gets a context over a container of its version's
//   schema, on the coordinator that the manager opens over the copy.
// - A stage without handlers is a custom stage, too: that is how models in code get into a staged migration.
// - `DefaultFilling` adds a stage of ours before a version whose new properties need more than a constant.
// - Two versions with equal hashes have a data stage between them, which CoreData's stages know by the identifiers.

import CoreData
import Foundation

/// Finds how a store comes to a container's schema before it is opened.
struct PlannedMigration {
    let configuration: ModelConfiguration
    /// The plan; nil if changes are inferred.
    let versions: PlanVersions?
    /// The container's schema, in the store's form.
    let managed: ManagedSchema
    /// The part of the schema that the store holds, if it has a configuration of its own.
    let part: Schema?

    init(_ configuration: ModelConfiguration, _ versions: PlanVersions?, _ managed: ManagedSchema, part: Schema?) {
        (self.configuration, self.versions, self.managed, self.part) = (configuration, versions, managed, part)
    }

    /// The model of what the store holds at the end.
    private func target() throws -> NSManagedObjectModel {
        guard let part else { return managed.model }
        return try ManagedSchema.of(Schema(part.types, version: managed.schema.version)).model
    }

    /// The stages; nil if the store needs none: it is new, of the version, or changes that SQL infers lead there.
    func manager() throws -> NSStagedMigrationManager? {
        guard let store = StoreVersion(of: configuration) else {
            try versions?.requireDifferentVersions()
            return nil
        }
        let hashes = try self.target().entityVersionHashesByName
        guard var versions else {
            if store.hashes == hashes { return nil }
            guard store.isNewer(than: managed.schema.version) else { return try fillingStages(of: store) }
            return try backward(store, "")
        }
        if let part {
            let names = part.entities.map(\.name) + store.hashes.keys
            versions = try versions.restricted(to: Set(names), of: configuration.name)
        }
        let target = versions.versions[versions.target]
        if store.hashes == hashes, store.hasIdentifier(of: target) { return nil }
        try versions.requireDifferentVersions()
        guard let (place, stored) = try store.place(in: versions) else { return try stages(ofUnknown: store, versions) }
        if let way = versions.way(from: place, to: versions.target) {
            return way.isEmpty ? nil : try manager(of: stored, way, versions)
        }
        let isLater = place > versions.target && store.isNewer(than: target.schema.version)
        guard !isLater, versions.way(from: versions.target, to: place) == nil else {
            return try backward(store, "It is \(versions.versions[place].name) of the plan \(versions.plan). ")
        }
        let end = versions.versions[versions.end(of: place)]
        throw unknown(
            "It is of \(versions.versions[place].name), from which the plan \(versions.plan) has "
                + (end.type == versions.versions[place].type ? "no stage" : "stages to \(end.name) only, and none on")
                + " to \(target.name).")
    }

    // MARK: Errors

    private var name: String {
        configuration.url.isFileURL ? configuration.url.lastPathComponent : "\(configuration.url.host ?? "")"
    }

    private func unknown(_ text: String) -> SwiftDataError {
        let reason =
            "Cannot use staged migration with an unknown model version. The store “\(name)” is unchanged. \(text)"
        return .loadIssueModelContainer.because(
            reason,
            NSError(
                domain: NSCocoaErrorDomain, code: NSManagedObjectModelReferenceNotFoundError,
                userInfo: [NSLocalizedDescriptionKey: reason, NSURLErrorKey: configuration.url]))
    }

    /// A store of a later version: the losses that the program has allowed by name decide.
    private func backward(_ store: StoreVersion, _ text: String) throws -> NSStagedMigrationManager? {
        let forecast = try self.forecast(to: managed.model)
        let losses = forecast.losses.map(\.name).sorted()
        let mayGo = !configuration.allowedLosses.isEmpty || configuration.unknownVersions == .inferToNearest
        if mayGo, forecast.isPossible, configuration.allowedLosses.isSuperset(of: losses) { return nil }
        let list = losses.map { "\"\($0)\"" }.joined(separator: ", ")
        let help =
            losses.isEmpty
            ? "Nothing would be lost on the way back: unknownVersions = .inferToNearest of the configuration goes it."
            : "The way back would lose \(forecast.losses.map(\.description).joined(separator: ", ")). To go it all the "
                + "same: configuration.allowedLosses = [\(list)]"
        throw SwiftDataError.backwardMigration.because(
            "The store “\(name)” is unchanged: it has version \(store.identifiers.joined(separator: ", ")), and the "
                + "schema has version \(managed.schema.version). \(text)Open it with the version of the program that "
                + "wrote it, or with a newer one. \(help)")
    }

    // MARK: Unknown versions

    private func stages(ofUnknown store: StoreVersion, _ versions: PlanVersions) throws -> NSStagedMigrationManager? {
        let (all, model) = (versions.versions, store.model)
        let target = all[versions.target]
        let candidates = try all.indices.filter { versions.way(from: $0, to: versions.target) != nil }
            .map { (place: $0, difference: try store.difference(of: all[$0], model)) }
            .sorted { ($0.difference.count, $1.place) < ($1.difference.count, $0.place) }
        let nearest = candidates[0]
        let text =
            "The nearest version of the plan \(versions.plan) is \(all[nearest.place].name): \(nearest.difference)."
        if store.isNewer(than: target.schema.version) { return try backward(store, text + " ") }
        guard configuration.unknownVersions == .inferToNearest else {
            throw unknown(
                "\(text) To let inferred changes lead there: configuration.unknownVersions = .inferToNearest")
        }
        guard let model else { throw unknown("\(text) The store keeps no model, so no changes can be inferred.") }
        var obstacles: [String] = []
        for (place, _) in candidates {
            let found = try all[place].managed()
            let next = place == versions.target ? managed : found
            let filling = try DefaultFilling(from: model, to: next)
            let forecast = try self.forecast(to: filling?.relaxed.model ?? next.model)
            let losses = forecast.losses.filter { !configuration.allowedLosses.contains($0.name) }
            if forecast.isPossible, losses.isEmpty {
                let way = versions.way(from: place, to: versions.target) ?? []
                let first = try hop("\(name) → \(all[place].type)", from: model, to: next, filling)
                return NSStagedMigrationManager(first + (try stages(of: next, way, versions)))
            }
            let why =
                losses.isEmpty ? forecast.obstacles.map(\.reason) : losses.map { "it has no place for \($0)" }
            obstacles.append("\(all[place].name): \(why.joined(separator: ", "))")
        }
        let names = obstacles.joined(separator: "; ")
        throw unknown("\(text) No version can be reached without a loss: \(names).")
    }

    private func forecast(to model: NSManagedObjectModel) throws -> MigrationForecast {
        try NSPersistentStoreCoordinator.migrationForecast(
            forPersistentStoreAt: configuration.url, to: model, configuration: part.map { _ in configuration.name },
            options: [NSMigrationAllowedLossesOption: Array(configuration.allowedLosses)])
    }

    // MARK: Stages

    private func manager(
        of stored: ManagedSchema, _ way: [(stage: MigrationStage, end: Int)], _ versions: PlanVersions
    ) throws -> NSStagedMigrationManager { NSStagedMigrationManager(try stages(of: stored, way, versions)) }

    private func stages(
        of first: ManagedSchema, _ way: [(stage: MigrationStage, end: Int)], _ versions: PlanVersions
    ) throws -> [NSMigrationStage] {
        var (older, result) = (first, [] as [NSMigrationStage])
        for (stage, end) in way {
            let newer = end == versions.target ? managed : try later(versions.versions[end], after: older)
            let filling = try DefaultFilling(from: older.model, to: newer)
            let stages = try hop("\(stage.from) → \(stage.to)", from: older.model, to: newer, filling)
            if case .custom(_, _, let willMigrate, let didMigrate) = stage {
                if let willMigrate { stages[0].willMigrateHandler = handler(of: older, willMigrate) }
                if let didMigrate {
                    let (last, filled) = (stages[stages.count - 1], stages[stages.count - 1].didMigrateHandler)
                    let own = handler(of: newer, didMigrate)
                    last.didMigrateHandler = {
                        try filled?($0, $1)
                        try own($0, $1)
                    }
                }
            }
            result += stages
            older = newer
        }
        return result
    }

    /// A version with the forms that an older one has taken from the store.
    private func later(_ version: PlanVersion, after older: ManagedSchema) throws -> ManagedSchema {
        part == nil ? try StoreAdoption.managedSchema(version.schema, after: older) : try version.managed()
    }

    /// The stages of a hop: two if new properties get values before the version checks them.
    private func hop(
        _ label: String, from older: NSManagedObjectModel, to newer: ManagedSchema, _ filling: DefaultFilling?
    ) throws -> [NSCustomMigrationStage] {
        // The last version of a part is named by what the store holds of it.
        let end = newer === managed ? try target() : newer.model
        func stage(_ from: NSManagedObjectModel, _ to: NSManagedObjectModel) -> NSCustomMigrationStage {
            let stage = NSCustomMigrationStage(
                migratingFrom: NSManagedObjectModelReference(model: from, versionChecksum: from.versionChecksum),
                to: NSManagedObjectModelReference(model: to, versionChecksum: to.versionChecksum))
            stage.label = label
            return stage
        }
        guard let filling else { return [stage(older, end)] }
        let isVersion = filling.isVersion(beside: newer)
        let first = stage(older, isVersion ? filling.relaxed.model : end)
        first.didMigrateHandler = handler(of: isVersion ? filling.relaxed : newer) { context in
            try filling.fill(context.managed)
        }
        return isVersion ? [first, stage(filling.relaxed.model, end)] : [first]
    }

    private func handler(
        of schema: ManagedSchema, _ body: @escaping (ModelContext) throws -> Void
    ) -> (NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void {
        { manager, _ in
            guard let coordinator = manager.container?.persistentStoreCoordinator else { return }
            ModelType.use(schema)
            let parts = ModelContainer.Parts(
                schema: schema.schema, migrationPlan: versions?.plan, configurations: [configuration], managed: schema,
                coordinator: coordinator, remoteCommits: nil)
            try body(ModelContext(ModelContainer(parts, mainContext: nil)))
        }
    }

    /// The stages of an inferred change without a plan, if new properties need more than constants. A change that is
    /// impossible, or that would lose something, is left to the migration, which says why.
    private func fillingStages(of store: StoreVersion) throws -> NSStagedMigrationManager? {
        guard let model = store.model, let filling = try DefaultFilling(from: model, to: managed) else { return nil }
        let forecasts = try [filling.relaxed.model, managed.model].map { try forecast(to: $0) }
        guard forecasts[0].isPossible, forecasts.allSatisfy({ $0.losses.allSatisfy(\.isAllowed) }) else { return nil }
        return NSStagedMigrationManager(try hop("new properties", from: model, to: managed, filling))
    }
}
