import CoreData
import Foundation

/// What trials of migrations need of a plan. A version is known by its name.
package struct TrialPlan: Sendable {
    /// A version with the model of its classes.
    package struct Version {
        package let name: String
        package let model: NSManagedObjectModel
    }

    private let plan: any SchemaMigrationPlan.Type
    let types: [String: any VersionedSchema.Type]
    /// The names of the versions, the oldest first.
    let names: [String]
    private let places: [String: Int]

    /// - Throws: `SwiftDataError.loadIssueModelContainer` for a plan that contradicts itself, or wrong classes.
    package init(_ plan: any SchemaMigrationPlan.Type) throws {
        self.plan = plan
        let versions = try Self.versions(plan)
        try versions.requireDifferentVersions()
        let short = Dictionary(grouping: versions.versions) { "\($0.type)" }
        names = versions.versions.map { short["\($0.type)"]?.count == 1 ? "\($0.type)" : String(reflecting: $0.type) }
        types = Dictionary(zip(names, versions.versions.map(\.type))) { first, _ in first }
        places = Dictionary(zip(names, names.indices)) { first, _ in first }
    }

    private static func versions(_ plan: any SchemaMigrationPlan.Type) throws -> PlanVersions {
        guard let newest = plan.schemas.last else { return try PlanVersions(plan, for: Schema()) }
        return try PlanVersions(plan, for: Schema(versionedSchema: newest))
    }

    private func managed(_ name: String) throws -> ManagedSchema {
        guard let type = types[name] else { return try ManagedSchema.of(Schema()) }
        return try PlanVersion(type).managed()
    }

    /// The versions, the oldest first.
    ///
    /// - Throws: An error for classes that no store can keep.
    package func versions() throws -> [Version] {
        do {
            return try names.map { Version(name: $0, model: try managed($0).model) }
        } catch {
            throw SwiftDataError.loadIssueModelContainer.because(nil, error)
        }
    }

    // MARK: Stages

    private func way(_ older: String, _ newer: String) -> [(stage: MigrationStage, end: Int)]? {
        guard let versions = try? Self.versions(plan), let start = places[older], let end = places[newer] else {
            return nil
        }
        return versions.way(from: start, to: end)
    }

    /// Whether stages lead from one version to another. A store of each version has to come to the newest.
    package func offers(_ older: String, _ newer: String) -> Bool {
        newer == names.last || way(older, newer)?.isEmpty == false
    }

    /// Whether a stage with a handler lies between two versions.
    package func runsHandlers(_ older: String, _ newer: String) -> Bool {
        (way(older, newer) ?? []).contains { stage, _ in
            if case .custom(_, _, let willMigrate, let didMigrate) = stage {
                return willMigrate != nil || didMigrate != nil
            }
            return false
        }
    }

    /// The ways through all stages, from each version to which no stage leads.
    package func chains() -> [[String]] {
        guard let versions = try? Self.versions(plan) else { return [] }
        let ends = Set(plan.stages.map { ObjectIdentifier($0.to) })
        return versions.versions.indices.compactMap { start in
            if ends.contains(ObjectIdentifier(versions.versions[start].type)) { return nil }
            let way = versions.way(from: start, to: versions.end(of: start)) ?? []
            return way.isEmpty ? nil : ([start] + way.map(\.end)).map { names[$0] }
        }
    }

    // MARK: Stores

    private func container(_ store: URL, _ name: String) throws -> ModelContainer {
        let schema = types[name].map { Schema(versionedSchema: $0) } ?? Schema()
        return try ModelContainer(for: schema, migrationPlan: plan, configurations: [ModelConfiguration(url: store)])
    }

    /// Opens a store as a program of a version does, and closes it.
    ///
    /// - Throws: The error of the container.
    package func open(_ store: URL, _ name: String) throws { _ = try container(store, name) }

    /// Reads every model of a store, and says which properties have values that are none of their types.
    ///
    /// - Throws: The error of the container or of a fetch.
    package func unreadableValues(_ store: URL, _ name: String) throws -> [String] {
        let container = try container(store, name)
        var lines: Set<String> = []
        func read<Model: PersistentModel>(_ type: Model.Type) throws {
            for model in try ModelContext(container).fetch(FetchDescriptor<Model>()) {
                do { try model.validateStoredValues() } catch { lines.insert("\(error)") }
            }
        }
        for type in container.schema.types { try read(type) }
        return lines.sorted()
    }

    // MARK: Values

    /// The stored values of an attribute by number; nil if any values of its attribute type do.
    package func values(_ name: String, _ entity: String, _ attribute: String) -> ((Int) -> Any?)? {
        guard let managed = try? managed(name), let type = managed.schema.entitiesByName[entity]?.type,
            let property = managed.schema.entitiesByName[entity]?.attributesByName[attribute],
            let description = managed.model.entitiesByName[entity]?.attributesByName[attribute],
            let modelType = managed.types[ObjectIdentifier(type)], !property.isTransformable
        else { return nil }
        let declared = ModelBuilder.unwrapped(property.valueType)
        if case .scalar = ValueKind.of(declared) {
            guard let integer = declared as? any FixedWidthInteger.Type, integer.bitWidth < Int.bitWidth else {
                return nil
            }
            return { NSNumber(value: $0 % 100) }
        }
        func open<Value>(_ type: Value.Type) -> (Int) -> Any? {
            let plan = ValuePlans.plan(of: type, at: attribute, description)
            return { number in
                func made<Decoded: Decodable>(_ type: Decoded.Type) -> Any? { try? SampleDecoder.value(type, number) }
                let sample = (type as? any Decodable.Type).flatMap { made($0) } ?? property.defaultValue
                guard let value = sample as? Value else { return nil }
                let core = modelType.makeCore()
                plan.write(value, core)
                return core.primitiveValue(forKey: attribute)
            }
        }
        return _openExistential(declared, do: open)
    }
}
