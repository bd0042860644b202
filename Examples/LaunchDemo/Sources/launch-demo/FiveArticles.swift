import Foundation

/// The demonstration: the situations of five articles over one store, each the wrong way and the right way.
@MainActor
struct FiveArticles {
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

        var launches = [["launch", "first screen", "longest stall", "migration", "peak memory"]]
        title(
            "1. А вы точно инициализируете стек Core Data правильно?",
            "Are you sure that you initialise the Core Data stack correctly?", "a large store opened on the main thread"
        )
        launches.append(try blockingLaunch(on: mail))
        launches.append(try managedLaunch(on: mail))
        title(
            "2. マイグレーションを考慮した CoreDataManager パターン", "A CoreDataManager pattern that takes migrations into account",
            "ask first, migrate apart, open without options")
        try pattern(on: mail)
        title("3. Multithread-Kerndaten", "Multithreaded Core Data", "an import in the main context, or below it")
        let stalls = try imports(on: mail)
        title(
            "4. Mejores prácticas: Concurrencia en Core Data", "Best practices: concurrency in Core Data",
            "an object on a queue that is not its own")
        try crossing(on: mail)
        title("5. 起動時間が長いとアプリが強制終了する", "An app is forced to quit when its launch takes long", "twelve columns more")
        launches.append(try twelveColumnsOnMain(on: mail))
        launches.append(try twelveColumns(on: mail))
        print("")
        printTable(launches)
        print("")
        printTable(stalls)
    }

    private func title(_ article: String, _ translation: String, _ situation: String) {
        print("\n\(article)\n   “\(translation)”: \(situation)")
    }

    // MARK: - (a)

    private func blockingLaunch(on mail: MailStore) throws -> [String] {
        print("   wrong (a): folders become labels, a column goes, one is renamed, one must not be empty;")
        print("      migrated on the main thread, under a watchdog of \(watchdog.seconds) s.")
        let store = try mail.copy(named: "a.sqlite")
        defer { store.remove() }
        var outcome = try LaunchedChild(["blocking", store.url.path, "labels"], watchdog: watchdog).run()
        var name = "(a) main thread, watchdog \(watchdog.seconds) s"
        if outcome.killedAfter == nil, let took = outcome.firstScreen {
            // This machine is quicker than the watchdog. The same launch again, with the patience halved until it
            // bites: the proportion is what a phone would see, and the kill is real.
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
        print("   right (b): the same change through CoreDataManager.")
        let store = try mail.copy(named: "b.sqlite")
        defer { store.remove() }
        let bar = ProgressBar()
        let outcome = try LaunchedChild(
            ["managed", store.url.path, "labels"], watchdog: watchdog,
            onProgress: { fraction in MainActor.assumeIsolated { bar.show(fraction) } }
        ).run()
        bar.end()
        try check(store)
        return row("(b) CoreDataManager", outcome)
    }

    private func twelveColumnsOnMain(on mail: MailStore) throws -> [String] {
        print("   wrong (c): on the main thread. In 2011 it took 30 s for 200 rows; here columns are added in place,")
        print("      so that even the wrong way survives.")
        let store = try mail.copy(named: "c.sqlite")
        defer { store.remove() }
        let outcome = try LaunchedChild(["blocking", store.url.path, "twelveColumns"], watchdog: watchdog).run()
        return row("(c) twelve columns, main thread", outcome)
    }

    private func twelveColumns(on mail: MailStore) throws -> [String] {
        print("   right (d): through CoreDataManager.")
        let store = try mail.copy(named: "d.sqlite")
        defer { store.remove() }
        let outcome = try LaunchedChild(["managed", store.url.path, "twelveColumns"], watchdog: watchdog).run()
        try check(store)
        let row = row("(d) twelve columns, CoreDataManager", outcome)

        print("\nThe store in use: a main-queue context over a private root, background contexts as its children.")
        let work = try LaunchedChild(["work", store.url.path, "twelveColumns:\(imports)"]).run()
        let longest = work.stalls.map(\.seconds).max() ?? 0
        let verdict = longest < 0.016 ? "under the 16 ms of a frame" : "NOT under the 16 ms of a frame"
        print("   longest stall of the main thread \(longest.milliseconds) ms, \(verdict)")
        return row
    }

    // MARK: - Pattern, chain, rules

    private func pattern(on mail: MailStore) throws {
        let store = try mail.copy(named: "pattern.sqlite")
        defer { store.remove() }
        _ = try LaunchedChild(["pattern", store.url.path, "labels"]).run()
        try check(store)
    }

    private func imports(on mail: MailStore) throws -> [[String]] {
        let count = imports
        var rows = [["import of \(count) messages", "longest stall of the main thread"]]
        for (role, name) in [
            ("import-main", "wrong: in a main-queue context on the coordinator"),
            ("import-background", "right: in background contexts, saved down the chain"),
        ] {
            let store = try mail.copy(named: "\(role).sqlite")
            defer { store.remove() }
            let stall = try LaunchedChild([role, store.url.path, "first:\(count)"]).run().longestStall
            print("   \(name): the main thread stood still for \(stall.milliseconds) ms")
            rows.append([name, "\(stall.milliseconds) ms"])
        }
        return rows
    }

    private func crossing(on mail: MailStore) throws {
        let store = try mail.copy(named: "crossing.sqlite")
        defer { store.remove() }
        let outcome = try LaunchedChild(["crossing", store.url.path, "first"], mayStop: true).run()
        if outcome.wasStopped {
            print("   wrong: the program was stopped at the line that used the object, not somewhere later")
        }
        _ = try LaunchedChild(["reference", store.url.path, "first"]).run()
    }

    /// Checks a store by SQLite, and by the version of the program that it fits.
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
