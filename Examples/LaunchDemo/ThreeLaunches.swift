import Foundation

/// The demonstration: one store, three ways to launch on it after an update of the program, then the daily work.
struct ThreeLaunches {
    let messages: Int
    let imports: Int
    /// Seconds that the watchdog gives a launch to show something.
    let watchdog: Double

    func run() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("opencoredata-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        let mail = MailStore(url: folder.appendingPathComponent("mail.sqlite"))
        let start = DispatchTime.now()
        print(
            "A mail program's store: an account, \(MailStore.folderCount) folders, \(messages) messages, attachments.")
        _ = try LaunchedChild(["build", mail.url.path, String(messages)]).run()
        print("   built in \(seconds(since: start).seconds) s, \(mail.byteCount / 1_000_000) MB")

        var rows = [["launch", "first screen", "longest stall", "migration", "peak memory"]]
        rows.append(try blockingLaunch(on: mail))
        rows.append(try managedLaunch(on: mail))
        rows.append(try twelveColumns(on: mail))
        print("")
        printTable(rows)
    }

    // MARK: - (a)

    private func blockingLaunch(on mail: MailStore) throws -> [String] {
        print("\n(a) Folders become labels, a column goes, one is renamed, one must not be empty;")
        print("    migrated on the main thread, under a watchdog of \(watchdog.seconds) s.")
        let store = try mail.copy(named: "a.sqlite")
        defer { store.remove() }
        var outcome = try LaunchedChild(["blocking", store.url.path, "labels"], watchdog: watchdog).run()
        var name = "(a) main thread, watchdog \(watchdog.seconds) s"
        if outcome.killedAfter == nil, let took = outcome.firstScreen {
            // This machine is quicker than the watchdog. The same launch again, with the patience halved until it bites:
            // the proportion is what a phone would see, and the kill is real.
            print("   it took \(took.seconds) s here, less than the watchdog allows; again with half of that.")
            store.remove()
            _ = try mail.copy(named: "a.sqlite")
            let impatience = took / 2
            outcome = try LaunchedChild(["blocking", store.url.path, "labels"], watchdog: impatience).run()
            name = "(a) main thread, watchdog \(impatience.seconds) s"
        }
        if let killed = outcome.killedAfter {
            print("   killed after \(killed.seconds) s without a screen. What it left behind:")
        } else {
            print("   it was not killed. The store:")
        }
        try check(store)
        return row(name, outcome)
    }

    // MARK: - (b) and (c)

    private func managedLaunch(on mail: MailStore) throws -> [String] {
        print("\n(b) The same change through CoreDataManager.")
        let store = try mail.copy(named: "b.sqlite")
        defer { store.remove() }
        let bar = ProgressBar()
        let outcome = try LaunchedChild(
            ["managed", store.url.path, "labels"], watchdog: watchdog, onProgress: bar.show
        ).run()
        bar.end()
        try check(store)
        return row("(b) CoreDataManager", outcome)
    }

    private func twelveColumns(on mail: MailStore) throws -> [String] {
        print("\n(c) Twelve added columns, through CoreDataManager.")
        let store = try mail.copy(named: "c.sqlite")
        defer { store.remove() }
        let outcome = try LaunchedChild(["managed", store.url.path, "twelveColumns"], watchdog: watchdog).run()
        try check(store)
        let row = row("(c) twelve columns", outcome)

        print("\nThe store in use: a main-queue context over a private root, background contexts as its children.")
        let work = try LaunchedChild(["work", store.url.path, "twelveColumns:\(imports)"]).run()
        let longest = work.stalls.map(\.seconds).max() ?? 0
        let verdict = longest < 0.016 ? "under the 16 ms of a frame" : "NOT under the 16 ms of a frame"
        print("   longest stall of the main thread \(longest.milliseconds) ms, \(verdict)")
        return row
    }

    /// Lets SQLite and whichever version of the program it fits look at a store.
    private func check(_ store: MailStore) throws {
        _ = try LaunchedChild(["check", store.url.path, "first,labels,twelveColumns"]).run()
    }

    private func row(_ name: String, _ outcome: LaunchedChild.Outcome) -> [String] {
        let migration = outcome.migration.map { "\($0.seconds) s" }
        return [
            name,
            outcome.firstScreen.map { "\($0.milliseconds) ms" } ?? "never, killed",
            "\(outcome.longestStall.milliseconds) ms",
            migration ?? (outcome.killedAfter == nil ? "none" : "cut off"),
            "\(Int(outcome.peakMegabytes)) MB",
        ]
    }

    private func seconds(since start: DispatchTime) -> Double {
        Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
    }
}

extension Double {
    /// Seconds with two decimals.
    var seconds: String { String(format: "%.2f", self) }
}
