import CoreData
import Foundation

/// A version of a plan.
struct PlanVersion {
    let type: any VersionedSchema.Type
    let schema: Schema
    /// The schema of a part of the classes, whose store has a configuration of its own.
    private var part: ManagedSchema?

    init(_ type: any VersionedSchema.Type) {
        self.type = type
        schema = Schema(versionedSchema: type)
    }

    /// The part of a version with some entities.
    init(_ version: PlanVersion, restrictedTo names: Set<String>, of configuration: String) throws {
        type = version.type
        let types = version.schema.types.filter { names.contains(String(describing: $0)) }
        schema = Schema(types, version: version.schema.version)
        let model = try ModelBuilder(schema: schema).model()
        model.setEntities(model.entities, forConfigurationName: configuration)
        part = ManagedSchema(schema, model)
    }

    /// The name for messages.
    var name: String { Self.name(of: type) }

    static func name(of type: any VersionedSchema.Type) -> String { "\(type) (\(type.versionIdentifier))" }

    func managed() throws -> ManagedSchema { try part ?? ManagedSchema.of(schema) }
}

/// The versions and stages of a plan for a container's schema.
struct PlanVersions {
    let plan: any SchemaMigrationPlan.Type
    /// The oldest first.
    let versions: [PlanVersion]
    /// The place of the container's version.
    let target: Int
    private let stages: [ObjectIdentifier: MigrationStage]

    /// - Throws: `SwiftDataError.loadIssueModelContainer` for a plan that contradicts itself, or that does not have the
    ///   schema.
    init(_ plan: any SchemaMigrationPlan.Type, for schema: Schema) throws {
        self.plan = plan
        let (all, list) = (plan.schemas, plan.stages)
        if all.isEmpty { throw Self.fault(plan, "has no schemas") }
        for (place, type) in all.enumerated() where all[..<place].contains(where: { $0 == type }) {
            throw Self.fault(plan, "lists \(PlanVersion.name(of: type)) twice")
        }
        // Versions that only stages name are taken for older ones.
        var types: [any VersionedSchema.Type] = []
        for type in list.flatMap({ [$0.from, $0.to] })
        where !(all + types).contains(where: { $0 == type }) {
            types.append(type)
        }
        stages = try Self.stagesByBeginning(list, plan)
        versions = (types + all).map { PlanVersion($0) }
        target = try Self.target(schema, versions, plan)
    }

    private init(_ other: PlanVersions, _ versions: [PlanVersion]) {
        (plan, target, stages) = (other.plan, other.target, other.stages)
        self.versions = versions
    }

    /// The versions of a store that holds some entities, in a configuration of its own.
    func restricted(to names: Set<String>, of configuration: String) throws -> PlanVersions {
        PlanVersions(self, try versions.map { try PlanVersion($0, restrictedTo: names, of: configuration) })
    }

    private static func fault(_ plan: any SchemaMigrationPlan.Type, _ text: String) -> SwiftDataError {
        .loadIssueModelContainer.because("The plan \(plan) \(text).")
    }

    private static func stagesByBeginning(
        _ stages: [MigrationStage], _ plan: any SchemaMigrationPlan.Type
    ) throws -> [ObjectIdentifier: MigrationStage] {
        var result: [ObjectIdentifier: MigrationStage] = [:]
        for stage in stages {
            guard let other = result.updateValue(stage, forKey: ObjectIdentifier(stage.from)) else { continue }
            let (from, to) = (PlanVersion.name(of: stage.from), PlanVersion.name(of: stage.to))
            throw fault(
                plan,
                other.to == stage.to
                    ? "has two stages from \(from) to \(to)"
                    : "has two stages that begin at \(from): one leads to \(PlanVersion.name(of: other.to)), one to \(to)"
            )
        }
        for stage in stages {
            var passed: [any VersionedSchema.Type] = []
            var next: MigrationStage? = stage
            while let present = next {
                passed.append(present.from)
                if passed.contains(where: { $0 == present.to }) {
                    let circle = (passed + [present.to]).map { PlanVersion.name(of: $0) }.joined(separator: ", ")
                    throw fault(plan, "leads in a circle: \(circle)")
                }
                next = result[ObjectIdentifier(present.to)]
            }
        }
        return result
    }

    /// The version of a schema: the one with the schema's classes, or with equal hashes.
    private static func target(
        _ schema: Schema, _ versions: [PlanVersion], _ plan: any SchemaMigrationPlan.Type
    ) throws -> Int {
        let same = versions.indices.filter { versions[$0].schema.typeSet == schema.typeSet }
        if let place = same.last(where: { versions[$0].schema.version == schema.version }) ?? same.last { return place }
        let own = try ManagedSchema.of(schema).model
        for place in versions.indices.reversed() {
            let other = try versions[place].managed().model
            if other.entityVersionHashesByName == own.entityVersionHashesByName { return place }
        }
        let last = versions[versions.count - 1]
        let difference = VersionDifference(try last.managed().model, from: own, named: "\(plan)", "the container")
        throw fault(plan, "does not have the container’s schema. Its last one, \(last.name), differs: \(difference)")
    }

    /// The stages from one version to another; nil if none lead there.
    func way(from start: Int, to end: Int) -> [(stage: MigrationStage, end: Int)]? {
        var result: [(stage: MigrationStage, end: Int)] = []
        var place = start
        while place != end {
            guard let stage = stages[ObjectIdentifier(versions[place].type)],
                let next = versions.firstIndex(where: { $0.type == stage.to })
            else { return nil }
            result.append((stage, next))
            place = next
        }
        return result
    }

    /// The last version to which stages lead from one.
    func end(of start: Int) -> Int {
        var place = start
        while let stage = stages[ObjectIdentifier(versions[place].type)],
            let next = versions.firstIndex(where: { $0.type == stage.to })
        {
            place = next
        }
        return place
    }

    // MARK: Equal versions

    private static let checked = Locked<Set<ObjectIdentifier>>([])

    /// Throws if no store could show which of two versions it has.
    func requireDifferentVersions() throws {
        if Self.checked.withLock({ $0.contains(ObjectIdentifier(plan)) }) { return }
        for (place, version) in versions.enumerated() {
            let hashes = try version.managed().model.entityVersionHashesByName
            for other in versions[..<place] where other.schema.version == version.schema.version {
                guard try other.managed().model.entityVersionHashesByName == hashes else { continue }
                let shared = version.schema.types.filter { type in other.schema.types.contains { $0 == type } }
                let names = shared.map { String(reflecting: $0) }.sorted().joined(separator: ", ")
                throw Self.fault(
                    plan,
                    "has two versions that no store can tell apart: \(other.name) and \(version.name) have equal "
                        + "classes and equal version identifiers. "
                        + (shared.isEmpty ? "They share no class" : "Both list \(names): a version has its own classes")
                        + ". Versions that differ in their data alone need different version identifiers")
            }
        }
        Self.checked.withLock { _ = $0.insert(ObjectIdentifier(plan)) }
    }
}
