import CoreData

extension MigrationTrial {
    /// Makes a store of each older version, and plays trials of killed processes with it.
    ///
    /// ```swift
    /// let report = try trial.killTrials { try $0.killAtEveryStep() }
    /// ```
    ///
    /// - Parameter play: Plays trials with ``child``, which migrates the store of one version to the newest.
    /// - Returns: A report with the entries of all versions. If the trial has no child program, one entry with this
    ///   reason.
    /// - Throws: The error of making a temporary folder.
    public func killTrials(
        _ play: (KillTrial) throws -> MigrationTrialReport
    ) throws -> MigrationTrialReport {
        var report = MigrationTrialReport()
        guard let newest = versions.last else { return report }
        guard let child else {
            var entry = MigrationTrialReport.Entry(name: "kills on the way to \(newest.name)", play: .kill)
            entry.reasonNotPlayed = Self.reasonWithoutChild
            return MigrationTrialReport([entry])
        }
        for older in versions.dropLast() {
            let way = "\(older.name) → \(newest.name)"
            var entry = MigrationTrialReport.Entry(name: way, play: .kill)
            try self.play([older, newest], &entry) { _, url, entry in
                guard make(url, older, &entry) else { return }
                var trial = KillTrial(program: child, arguments: childArguments, store: url, from: older, to: newest)
                trial.storeOptions = storeOptions
                if let opening { trial.inspect = { try opening.inspect($0, newest.name) } }
                for var played in try play(trial).entries {
                    played.name = "\(way), \(played.name)"
                    report.entries.append(played)
                }
            }
            if !entry.isClean { report.entries.append(entry) }
        }
        return report
    }
}
