// The copy stages of a migration's hops.
extension CopyingMigration.CopyStage {
    /// A copy stage for each mapping model, one for each migration stage with handlers, and one for all inferred hops
    /// between them. The rows that a mapping model makes take ten times as long as those that SQLite moves.
    static func stages(
        for hops: [MigrationHop], of request: MigrationRequest, _ lossGuard: LossGuard?
    ) -> [CopyingMigration.CopyStage] {
        var stages: [CopyingMigration.CopyStage] = []
        var inferred: [MigrationHop] = []
        func guarding(_ hops: [MigrationHop]) -> LossGuard? {
            var own = lossGuard
            own?.hops = hops
            return own
        }
        func endInferred() {
            if let stage = Self.inferred(inferred, of: request, guarding(inferred)) { stages.append(stage) }
            inferred = []
        }
        for hop in hops {
            let request = request.to(hop.target)
            if case .mapping(let mapping) = hop.means {
                endInferred()
                let migration = MappedMigration(request: request, source: hop.source, mapping: mapping)
                stages.append(
                    .init(name: Self.name(hop, hop), weight: 10, isKept: migration.isKept, model: hop.target) {
                        try migration.make($0, into: $1, $2)
                    })
            } else if let stage = hop.stage, let manager = request.stagedManager {
                endInferred()
                // The stage's code has run by the time at which losses are counted.
                var own = hop
                own.stage = nil
                let migration = StageMigration(
                    request: request, source: hop.source, stage: stage, manager: manager, lossGuard: guarding([own]))
                stages.append(
                    .init(name: "\(stage.label ?? "stage"): \(Self.name(hop, hop))", weight: 2, model: hop.target) {
                        try migration.make($0, into: $1, $2)
                    })
            } else {
                inferred.append(hop)
            }
        }
        endInferred()
        return stages
    }

    private static func name(_ first: MigrationHop, _ last: MigrationHop) -> String {
        "\(first.source.versionChecksum) → \(last.target.versionChecksum), \(last.name)"
    }

    /// A copy stage of inferred hops, through any number of versions at once; nil if there are none.
    private static func inferred(
        _ hops: [MigrationHop], of request: MigrationRequest, _ lossGuard: LossGuard?
    ) -> CopyingMigration.CopyStage? {
        guard let first = hops.first, let last = hops.last else { return nil }
        let versions = hops.dropLast().map(\.target)
        let name = Self.name(first, last)
        return .init(name: name, weight: Double(hops.count), model: last.target) { from, into, progress in
            let parts = MigrationParts(progress, weights: [1, 2 * Double(hops.count)])
            try parts.run(0) { part in
                MigrationFeed.of(part)?.begin(.copying)
                try FollowedWork(progress: part).copy(from, to: into)
            }
            MigrationMoment.reach(.copied)
            let before = try EntityCounts(of: into, first.source, following: FollowedWork(progress: progress))
            try parts.run(1) { part in
                let copy = request.to(last.target).at(into.main)
                try LightweightMigrator(copy, isDiscardable: true, lossGuard: lossGuard)
                    .apply(through: versions, from: first.source, part)
            }
            return try before.after(through: versions + [last.target], configuration: request.configuration)
        }
    }
}
