import CoreData

extension GateComparison {
    /// Rules of stores that CloudKit mirrors, as far as the change breaks them.
    mutating func checkCloudKit(_ current: GateVersion) {
        guard let model = current.model, let source = current.source else { return }
        let use = CloudKitUse(in: source)
        let before = (fork ?? shipped).current
        let formerUse = before?.source.map { CloudKitUse(in: $0) } ?? CloudKitUse()
        let known = Set(
            before?.model.map { CloudKitRules.breaches(in: $0, formerUse).map(Self.key) } ?? [])
        for breach in CloudKitRules.breaches(in: model, use) where !known.contains(Self.key(of: breach)) {
            let place = breach.property.map { "\(breach.entity).\($0)" } ?? breach.entity
            add(
                at: breach.entity, breach.property, in: current,
                "'\(place)' breaks a rule of CloudKit: \(breach.message).")
        }
        guard let older = before?.model else { return }
        let mirrored = formerUse.entities(of: older)
        for change in MigrationVerdict.changes(from: older, to: model) {
            switch change {
            case .entityRenamed(let from, let to) where mirrored.contains(from):
                add(
                    at: to, nil, in: current,
                    "'\(from)' is renamed to '\(to)'. The types of records in CloudKit keep their names, so the records "
                        + "of other devices do not come to '\(to)'.")
            case .entityRemoved(let name) where mirrored.contains(name):
                add(
                    at: name, nil, in: current,
                    "'\(name)' is removed, and CloudKit keeps its records for older programs.")
            case .propertyRenamed(let entity, let from, let to) where mirrored.contains(entity):
                add(
                    at: entity, to, in: current,
                    "'\(entity).\(from)' is renamed to '\(to)'. Fields in CloudKit keep their names, so the values of "
                        + "other devices do not come to '\(to)'.")
            case .typeChanged(let entity, let name, let from, let to) where mirrored.contains(entity):
                add(
                    at: entity, name, in: current,
                    "The type of '\(entity).\(name)' changes from \(from) to \(to). A field in CloudKit keeps its type."
                )
            default: continue
            }
        }
    }

    private static func key(of breach: CloudKitRules.Breach) -> String {
        "\(breach.entity).\(breach.property ?? ""): \(breach.message)"
    }

    private mutating func add(
        at entity: String, _ property: String?, in current: GateVersion, _ message: String
    ) {
        findings.append(
            Finding(
                .cloudKit, file: current.path, line: current.line(entity: entity, property: property), entity: entity,
                property: property,
                message: "\(message) Stores that CloudKit mirrors are not migrated, or are not mirrored.",
                remedy: "Add what is new beside what is there, and keep what CloudKit has."))
    }
}
