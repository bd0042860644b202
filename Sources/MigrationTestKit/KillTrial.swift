import CoreData

/// Kills a process that migrates a store, and checks the store that it leaves.
///
/// The store must open with the older or the newer version, with every row, and the next start must finish the
/// migration. Other trials fill the disk, write-protect the folder, or start the process twice.
///
/// The process is a program of yours (see ``MigrationChild``). The methods return when the trial is done. Each kill
/// takes two or three times as long as the program.
public struct KillTrial {
    /// The child program.
    public var program: URL
    /// The arguments of the program after the store's address.
    public var arguments: [String]
    /// A store of the older version that no process has open.
    ///
    /// Each trial copies it: a file into a folder, and a store in a database into another database on the same server.
    /// In that case the role must have the right to make databases.
    public var store: URL
    /// A function that makes the stores, in place of copies of ``store``.
    ///
    /// It calls its body with the address of a new store of the older version, and removes the store afterwards.
    public var copying: ((_ body: (_ store: URL) throws -> Void) throws -> Void)?
    /// The version of the store before the migration.
    public var older: ModelVersion
    /// The version to which the program migrates.
    public var newer: ModelVersion
    /// A check of your own of a migrated store. It returns every problem as a line. No process has the store open.
    public var inspect: ((_ store: URL) throws -> [String])?
    /// The options with which the trial reads the stores.
    package var storeOptions: [AnyHashable: Any] = [:]

    /// The content of an untouched and of a migrated store, and the time that the migration takes.
    private struct Reference {
        var older: [String: Int]
        var newer: [String: Int]
        var schema: StoreSchema
        var seconds: Double
        var moments: [String]
        /// The size of the largest file that the migration makes.
        var largest: Int
    }

    /// Makes a trial of a program's migration.
    ///
    /// - Parameters:
    ///   - program: The child program.
    ///   - arguments: The arguments of the program after the store's address.
    ///   - store: A store of the older version that no process has open.
    ///   - older: The version of the store.
    ///   - newer: The version to which the program migrates.
    public init(program: URL, arguments: [String] = [], store: URL, from older: ModelVersion, to newer: ModelVersion) {
        self.program = program
        self.arguments = arguments
        self.store = store
        self.older = older
        self.newer = newer
    }

    /// Makes a trial of a program for stores that a function makes.
    ///
    /// - Parameters:
    ///   - program: The child program.
    ///   - arguments: The arguments of the program after the store's address.
    ///   - older: The version of the stores.
    ///   - newer: The version to which the program migrates.
    ///   - copying: A function that calls its body with the address of a new store of the older version, and removes
    ///     the store afterwards. The program gets the address as its first argument.
    public init(
        program: URL, arguments: [String] = [], from older: ModelVersion, to newer: ModelVersion,
        copying: @escaping (_ body: (_ store: URL) throws -> Void) throws -> Void
    ) {
        self.init(
            program: program, arguments: arguments, store: URL(fileURLWithPath: "/dev/null"), from: older, to: newer)
        self.copying = copying
    }

    // MARK: Trials

    /// Kills the program at random moments, from its start to a tenth beyond the time that the migration takes.
    ///
    /// - Parameters:
    ///   - count: The number of kills.
    ///   - seed: The seed of the moments. The same seed gives the same moments.
    /// - Returns: A report with an entry for each kill.
    /// - Throws: An error if the program does not migrate the store without a kill, or if the store cannot be copied.
    public func killAtRandom(times count: Int, seed: UInt64 = 1) throws -> MigrationTrialReport {
        let reference = try reference()
        var random = SampleRandom(state: seed)
        var report = MigrationTrialReport()
        for round in 0..<count {
            let moment = Double.random(in: 0...1.1, using: &random) * reference.seconds
            let name = "killed after \(Int(moment * 1000)) ms"
            report.entries.append(
                try trial(name, reference, looks: round % 2 == 0) { url in
                    let child = try ChildRun(program, store: url, arguments: arguments)
                    child.kill(after: moment)
                    return child.wait()
                })
        }
        return report
    }

    /// Kills the program at every kind of step of the migration: at the first occurrence, the last, and some in
    /// between.
    ///
    /// - Parameter most: The maximum number of occurrences of a kind of step.
    /// - Returns: A report with an entry for each kill.
    /// - Throws: An error if the program does not migrate the store without a kill, or if the store cannot be copied.
    public func killAtEveryStep(most: Int = 3) throws -> MigrationTrialReport {
        try killAtSteps(most: most) { $0 }
    }

    /// A kill of the program when it reaches a step.
    package struct StepKill {
        package fileprivate(set) var step: String
        fileprivate var occurrence: Int
        fileprivate var count: Int
        /// Whether the trial checks the store after the kill, before it starts the program again.
        fileprivate var looks: Bool
    }

    /// Kills the program at some of the steps at which ``killAtEveryStep(most:)`` does.
    package func killAtSteps(most: Int, choosing choose: ([StepKill]) -> [StepKill]) throws -> MigrationTrialReport {
        let reference = try reference()
        var report = MigrationTrialReport()
        var kills: [StepKill] = []
        var counts: [String: Int] = [:]
        var order: [String] = []
        for moment in reference.moments {
            if counts[moment] == nil { order.append(moment) }
            counts[moment, default: 0] += 1
        }
        for moment in order {
            let count = counts[moment] ?? 1
            let occurrences = Set((0..<most).map { most == 1 ? 1 : 1 + (count - 1) * $0 / (most - 1) })
            for (place, occurrence) in occurrences.sorted().enumerated() {
                // A check of the store after a kill changes it, so half of the trials start the program again at once.
                for looks in count == 1 ? [true, false] : [place % 2 == 0] {
                    kills.append(StepKill(step: moment, occurrence: occurrence, count: count, looks: looks))
                }
            }
        }
        for kill in choose(kills) {
            let name =
                "killed at \(kill.step) \(kill.occurrence) of \(kill.count)\(kill.looks ? "" : ", started again at once")"
            report.entries.append(
                try trial(name, reference, looks: kill.looks) { url in
                    let environment = [MigrationChild.killVariable: "\(kill.step):\(kill.occurrence)"]
                    return try ChildRun(program, store: url, arguments: arguments, environment: environment).wait()
                })
        }
        return report
    }

    /// Sets a limit for the size of the program's files, as on a full disk, with limits from zero to enough.
    ///
    /// Whichever write fails, the program must report the error, and the store must be as it was. For a store in a
    /// database the limit concerns the program's temporary files, not the server's.
    ///
    /// - Parameter steps: The number of sizes.
    /// - Returns: A report with an entry for each size.
    /// - Throws: An error if the program does not migrate the store without a limit, or if the store cannot be copied.
    public func fullDisk(steps: Int = 24) throws -> MigrationTrialReport {
        let reference = try reference()
        var report = MigrationTrialReport()
        for step in 0...steps {
            // The last limit is beyond the size of every log and temporary file.
            let part = step == steps ? 16 : 1.5 * Double(step) / Double(steps)
            let limit = Int(Double(reference.largest) * part) / 512 * 512
            let name = "no file beyond \(limit) bytes"
            var entry = try trial(name, reference, looks: true) { url in
                try ChildRun(
                    program, store: url, arguments: arguments, environment: [MigrationChild.limitVariable: "\(limit)"]
                ).wait()
            }
            entry.isRefusalExpected = true
            if step == steps, entry.refusal != nil { entry.problems.append("not even this was enough") }
            report.entries.append(entry)
        }
        return report
    }

    /// Starts the program twice, so that both open the store at the same moment.
    ///
    /// One process must migrate, the other must wait, and both must end without an error.
    ///
    /// - Parameter count: The number of rounds.
    /// - Returns: A report with an entry for each round.
    /// - Throws: An error if the program does not migrate the store by itself, or if the store cannot be copied.
    public func twoProcesses(times count: Int = 5) throws -> MigrationTrialReport {
        let reference = try reference()
        var report = MigrationTrialReport()
        for round in 0..<count {
            var problems: [String] = []
            var entry = try trial("two processes, \(round + 1)", reference, looks: true) { url in
                let outcomes = try ChildRun.atOnce(
                    2, program: program, store: url, arguments: arguments,
                    environment: [MigrationChild.traceVariable: "1"])
                for outcome in outcomes where !outcome.isDone { problems.append("one ended with: \(outcome.text)") }
                let migrated = outcomes.filter { outcome in
                    outcome.moments.contains("exchanged")
                        || (outcome.moments.contains("committed") && !outcome.moments.contains("folderLocked"))
                }
                if migrated.count != 1 { problems.append("\(migrated.count) of them migrated") }
                return outcomes[0]
            }
            entry.problems += problems
            entry.play = .twoProcesses
            report.entries.append(entry)
        }
        return report
    }

    /// Starts the program while it cannot write its folder.
    ///
    /// If the trial runs as root, who may write everywhere, the program runs as another user. For a store in a database
    /// the report says that the trial did not take place.
    ///
    /// - Parameter user: The number of that user.
    /// - Returns: A report with an entry for the folder, and one for the folder with the store's file.
    /// - Throws: An error if the program does not migrate a store in an ordinary folder, or if the store cannot be
    ///   copied.
    public func readOnlyFolder(user: UInt32 = 65_534) throws -> MigrationTrialReport {
        if copying != nil || !store.isFileURL {
            var entry = MigrationTrialReport.Entry(name: "a folder that cannot be written", play: .kill)
            entry.reasonNotPlayed = "the store is no file"
            return MigrationTrialReport([entry])
        }
        let reference = try reference()
        var report = MigrationTrialReport()
        for isFileReadOnly in [true, false] {
            let name = "a folder\(isFileReadOnly ? " and a file" : "") that cannot be written"
            var entry = try trial(name, reference, looks: true) { url in
                let manager = FileManager.default
                let folder = url.deletingLastPathComponent()
                try manager.setAttributes([.posixPermissions: isFileReadOnly ? 0o444 : 0o666], ofItemAtPath: url.path)
                try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
                defer {
                    try? manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
                    try? manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: url.path)
                }
                let environment = geteuid() == 0 ? [MigrationChild.userVariable: "\(user)"] : [:]
                return try ChildRun(program, store: url, arguments: arguments, environment: environment).wait()
            }
            entry.isRefusalExpected = true
            if entry.refusal == nil { entry.problems.append("it was migrated all the same") }
            report.entries.append(entry)
        }
        return report
    }

    /// Runs the migration and lists its steps.
    ///
    /// - Returns: The kinds of steps in their order, each as often as it occurs.
    /// - Throws: An error if the program does not migrate the store, or if the store cannot be copied.
    public func steps() throws -> [String] { try reference().moments }

    /// Kills the program at a step, starts it again at once, and lists the steps of this second run.
    ///
    /// Steps that the second run did not have to repeat are missing.
    ///
    /// - Parameters:
    ///   - step: The kind of step, as ``steps()`` names it.
    ///   - occurrence: The occurrence of the step, from 1.
    /// - Returns: The kinds of steps of the second run in their order.
    /// - Throws: An error if the program does not start, or if the store cannot be copied.
    public func stepsAfterKill(at step: String, occurrence: Int = 1) throws -> [String] {
        try inFolder { url in
            let environment = [MigrationChild.killVariable: "\(step):\(occurrence)"]
            _ = try ChildRun(program, store: url, arguments: arguments, environment: environment).wait()
            return try ChildRun(
                program, store: url, arguments: arguments, environment: [MigrationChild.traceVariable: "1"]
            ).wait().moments
        }
    }

    // MARK: One trial

    func inFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
        if let copying {
            var result: Result?
            try copying { result = try body($0) }
            guard let result else { throw CocoaError(.fileNoSuchFile) }
            return result
        }
        if !store.isFileURL {
            return try TrialStore.engine(of: store).withDatabase(beside: store) { url in
                try NSPersistentStoreCoordinator(managedObjectModel: older.freshModel()).replacePersistentStore(
                    at: url, withPersistentStoreFrom: store, ofType: TrialStore.type(of: store))
                return try body(url)
            }
        }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("kill-trial-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent(store.lastPathComponent)
        for name in companions(of: store) {
            let source = store.deletingLastPathComponent().appendingPathComponent(name)
            guard FileManager.default.fileExists(atPath: source.path) else { continue }
            try FileManager.default.copyItem(at: source, to: folder.appendingPathComponent(name))
        }
        return try body(url)
    }

    /// The names of all files and folders that a store has.
    private func companions(of url: URL) -> [String] {
        let name = url.lastPathComponent
        let base = url.deletingPathExtension().lastPathComponent
        return [name, "\(name)-wal", "\(name)-shm", ".\(base)_SUPPORT"]
    }

    /// The names of files beside a store, and in its folder of external data, that belong to no store.
    private func strays(beside url: URL) throws -> [String] {
        let manager = FileManager.default
        let folder = url.deletingLastPathComponent()
        let strays = try manager.contentsOfDirectory(atPath: folder.path).filter { !companions(of: url).contains($0) }
        let support = companions(of: url).last ?? ""
        let inside = try? manager.subpathsOfDirectory(atPath: folder.appendingPathComponent(support).path)
        return strays
            + (inside ?? []).filter { path in
                let name = (path as NSString).lastPathComponent
                return path != "_EXTERNAL_DATA" && (path == name || UUID(uuidString: name) == nil)
            }.map { "\(support)/\($0)" }
    }

    private func reference() throws -> Reference {
        try inFolder { url in
            let before = try TrialContent(of: url, older, withValues: false, options: storeOptions).counts
            let child = try ChildRun(
                program, store: url, arguments: arguments, environment: [MigrationChild.traceVariable: "1"])
            child.waitForBeginning()
            let start = ContinuousClock.now
            let outcome = child.wait()
            let elapsed = ContinuousClock.now - start
            guard outcome.isDone else {
                throw CocoaError(
                    .executableLoad,
                    userInfo: [NSLocalizedDescriptionKey: "The program does not migrate the store: \(outcome.text)"])
            }
            let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
            return Reference(
                older: before, newer: try TrialContent(of: url, newer, withValues: false, options: storeOptions).counts,
                schema: try StoreSchema(of: url), seconds: seconds, moments: outcome.moments,
                largest: max(65_536, try Self.size(of: url)))
        }
    }

    /// The size of the largest file of a store, or of all tables of a store in a database.
    private static func size(of url: URL) throws -> Int {
        guard url.isFileURL else {
            let engine = try TrialStore.engine(of: url)
            return try engine.looking(at: url) { connection in
                Int(try engine.sizes(of: connection.tableNames(), on: connection).values.reduce(0, +))
            }
        }
        let folder = url.deletingLastPathComponent()
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path).map { name in
            let path = folder.appendingPathComponent(name).path
            return (try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.intValue ?? 0
        }.max() ?? 0
    }

    private func trial(
        _ name: String, _ reference: Reference, looks: Bool, _ run: (URL) throws -> ChildRun.Outcome
    ) throws -> MigrationTrialReport.Entry {
        try inFolder { url in
            var entry = MigrationTrialReport.Entry(name: name, play: .kill)
            entry.rows = reference.older.values.reduce(0, +)
            let outcome = try run(url)
            if !outcome.isDone, !outcome.wasKilled {
                entry.refusal = outcome.failure
                if outcome.failure == nil { entry.problems.append("it ended without saying why: \(outcome.text)") }
            }
            if looks {
                let (isNewer, problems) = inspect(url, reference)
                entry.problems += problems
                if outcome.isDone, !isNewer { entry.problems.append("it ended well without having migrated") }
            }
            let second = try ChildRun(program, store: url, arguments: arguments).wait()
            if !second.isDone { entry.problems.append("the next start ended with: \(second.text)") }
            let (isNewer, problems) = inspect(url, reference)
            entry.problems += problems.map { "in the end: \($0)" }
            if !isNewer { entry.problems.append("the next start did not end the migration") }
            let strays = try url.isFileURL ? strays(beside: url) : []
            if !strays.isEmpty { entry.problems.append("left behind: \(strays.joined(separator: ", "))") }
            return entry
        }
    }

    /// Opens the store as an older and as a newer program opens it. Returns whether it is of the newer version, and its
    /// faults.
    private func inspect(_ url: URL, _ reference: Reference) -> (isNewer: Bool, problems: [String]) {
        do {
            let found = try TrialContent(of: url, newer, withValues: false, options: storeOptions)
            var problems =
                found.counts == reference.newer ? [] : ["it has \(found.counts) instead of \(reference.newer)"]
            problems += try reference.schema.difference(from: StoreSchema(of: url)).map { "schema: \($0)" }
            problems += try damage(url) + (inspect?(url) ?? [])
            return (true, problems)
        } catch let error as NSError where error.code == NSPersistentStoreIncompatibleVersionHashError {
            do {
                let found = try TrialContent(of: url, older, withValues: false, options: storeOptions)
                var problems = try damage(url)
                if found.counts != reference.older {
                    problems.append("the older store has \(found.counts) instead of \(reference.older)")
                }
                return (false, problems)
            } catch {
                return (false, ["it opens with neither version: \(error)"])
            }
        } catch {
            return (false, ["it does not open: \(error)"])
        }
    }

    private func damage(_ url: URL) throws -> [String] {
        let damage = try TrialDatabase.damage(in: url)
        return damage.isEmpty ? [] : ["the file is damaged: \(damage.joined(separator: "; "))"]
    }
}
