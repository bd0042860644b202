import CoreData

extension MigrationTrial {
    /// Tries to migrate a store to the newest version in two processes at the same moment, from each older version.
    ///
    /// Each process must open the store, or end with an error that names the process at work, and every row must be
    /// there.
    ///
    /// - Parameter versions: The versions, the oldest first.
    /// - Returns: An entry for each older version. If the trial has no child program, one entry with this reason.
    /// - Throws: The error of making a temporary folder.
    public func twoProcesses(_ versions: [ModelVersion]) throws -> [MigrationTrialReport.Entry] {
        guard let newest = versions.last else { return [] }
        guard let child else {
            let names = versions.dropLast().map(\.name).joined(separator: ", ")
            var entry = MigrationTrialReport.Entry(
                name: "\(names) → \(newest.name), two processes", play: .twoProcesses)
            entry.reasonNotPlayed = Self.reasonWithoutChild
            return [entry]
        }
        return try versions.dropLast().map { try twoProcesses($0, newest, child) }
    }

    private func twoProcesses(
        _ older: ModelVersion, _ newest: ModelVersion, _ child: URL
    ) throws -> MigrationTrialReport.Entry {
        var entry = MigrationTrialReport.Entry(
            name: "\(older.name) → \(newest.name), two processes", play: .twoProcesses)
        entry.step = ExpectedRefusal(from: older.name, to: newest.name)
        try play([older, newest], &entry) { folder, url, entry in
            guard make(url, older, &entry) else { return }
            let before = try TrialContent(of: url, older, options: storeOptions)
            entry.rows = before.counts.values.reduce(0, +)
            let outcomes = try ChildRun.atOnce(2, program: child, store: url, arguments: childArguments)
            for outcome in outcomes where !outcome.isDone && outcome.failure == nil {
                entry.problems.append("one process ended without saying why: \(outcome.text)")
            }
            guard outcomes.contains(where: \.isDone) else {
                entry.refusal = outcomes.compactMap(\.failure).first { !$0.isEmpty }
                if (try? TrialContent(of: url, older, options: storeOptions))?.counts != before.counts {
                    entry.problems.append("both processes failed, and the store is not as it was")
                }
                return
            }
            for outcome in outcomes where outcome.failure != nil && !outcome.saysWhoIsAtWork {
                entry.problems.append(
                    "one process opened the store, the other failed without saying who is at work: "
                        + (outcome.failure ?? ""))
            }
            guard (try? TrialContent(of: url, newest, withValues: false, options: storeOptions)) != nil else {
                entry.problems.append("the child program opened the store, and it is not of “\(newest.name)”")
                return
            }
            let isSame = older.hasSameHashes(as: newest)
            let checks = checks(older, newest, before: before, built: isSame ? older : newest)
            entry.problems += try checks.problems(url, in: folder) + (opening?.inspect(url, newest.name) ?? [])
            entry.problems += try strays(in: folder, url).map { "left behind: \($0)" }
        }
        return entry
    }

    private func strays(in folder: URL, _ url: URL) throws -> [String] {
        let name = url.lastPathComponent
        let known = [name, "\(name)-wal", "\(name)-shm", ".\(url.deletingPathExtension().lastPathComponent)_SUPPORT"]
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !known.contains($0) }.sorted()
    }
}
