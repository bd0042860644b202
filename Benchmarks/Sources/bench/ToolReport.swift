import Foundation

/// Measures the program `coredata` beside SQLite's own `sqlite3`: all rows of an entity as JSON, `info` of a small
/// store, and how soon the studio's page has what another process saves. Each run is a process of its own, whose output
/// is discarded.
struct ToolReport {
    let books: Int
    let rounds: Int

    /// How many times the processor time of `sqlite3 -json` a fetch may take.
    static let ratioBar = 2.5
    /// Megabytes of memory that a fetch may take.
    static let memoryBar = 60.0
    /// Seconds that `info` of a small store may take.
    static let infoBar = 0.05
    /// Seconds in which a page of the studio must be notified of another process's save, and have the saved values.
    static let liveBar = 0.5

    private static let saves = 20
    private static let columns = ["title", "isbn", "pages", "price", "published", "rating", "note"]

    /// - Returns: whether the bars hold.
    func run() throws -> Bool {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("opencoredata-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func store(_ count: Int) throws -> URL {
            let file = folder.appendingPathComponent("\(count).sqlite")
            // In a process of its own: a child counts what its parent has in memory when it is started.
            _ = try ChildProcess.run(["child-tool-store", file.path, "\(count)"])
            return file
        }
        let program = ChildProcess.executable.deletingLastPathComponent().appendingPathComponent("coredata")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw BenchmarkFailure(description: "no \(program.path): bin/bench tool builds it")
        }
        let (large, small) = (try store(books), try store(100))
        let select = "SELECT Z_PK, \(Self.columns.map { "Z\($0.uppercased())" }.joined(separator: ", ")) FROM ZBOOK"
        var (fetches, baselines, infos): ([Run], [Run], [Run]) = ([], [], [])
        for _ in 1...rounds {
            baselines.append(try Run(ChildProcess.env, ["sqlite3", "-json", large.path, select]))
            fetches.append(
                try Run(
                    program,
                    [
                        "fetch", large.path, "Book", "-f", "ndjson", "-c",
                        (["@id"] + Self.columns).joined(separator: ","),
                    ]))
            infos.append(try Run(program, ["info", small.path]))
        }
        let ratio = fetches.map(\.cpuSeconds).median / baselines.map(\.cpuSeconds).median
        let megabytes = fetches.map(\.megabytes).max() ?? 0
        let info = infos.map(\.cpuSeconds).median
        let waits = try StudioLatency(program: program, store: small).seconds(of: Self.saves)
        let live = waits.map { $0.max() ?? 0 }
        let verdicts = [
            ratio <= Self.ratioBar, megabytes < Self.memoryBar, info <= Self.infoBar,
            live.map { $0 <= Self.liveBar } ?? true,
        ]
        func verdict(_ place: Int) -> String { verdicts[place] ? "holds" : "BROKEN" }
        printTable([
            ["\(books) books, \(Self.columns.count) columns", "CPU s", "s", "MB", "", "bar", "verdict"],
            row("sqlite3 -json", baselines) + ["", "", ""],
            row("coredata fetch -f ndjson", fetches)
                + ["× \(ratio.printed(2))", "× \(Self.ratioBar.printed(1))", verdict(0)],
            ["its memory", "", "", megabytes.printed(1), "", "\(Self.memoryBar.printed(0)) MB", verdict(1)],
            row("coredata info of a small store", infos)
                + ["\((info * 1_000).printed(1)) ms", "\((Self.infoBar * 1_000).printed(0)) ms", verdict(2)],
            live.map { live in
                [
                    "another process's save on the page", "", (waits?.median ?? 0).printed(3), "",
                    "\((live * 1_000).printed(0)) ms", "\((Self.liveBar * 1_000).printed(0)) ms", verdict(3),
                ]
            } ?? ["another process's save on the page", "", "", "", "", "", "not built"],
        ])
        return verdicts.allSatisfy { $0 }
    }

    private func row(_ title: String, _ runs: [Run]) -> [String] {
        [
            title, runs.map(\.cpuSeconds).median.printed(3), runs.map(\.seconds).median.printed(3),
            runs.map(\.megabytes).median.printed(1),
        ]
    }

    /// Makes a store with so many books, in a child process.
    static func makeStore(at path: String, books: Int) throws -> Measurement {
        let templates = try TemplateStore()
        defer { templates.remove() }
        let data = SourceData(authors: max(books / 100, 1), books: books)
        try FileManager.default.moveItem(
            at: try templates.filled(with: data, name: "filled"), to: URL(fileURLWithPath: path))
        var measurement = Measurement()
        measurement.count = books
        return measurement
    }

    /// One run of a program: what it took of the clock, of the processors and of memory.
    private struct Run {
        let seconds: Double
        let cpuSeconds: Double
        let megabytes: Double

        init(_ program: URL, _ arguments: [String]) throws {
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
            var words = ([program.path] + arguments).map { strdup($0) } + [nil]
            defer { for word in words { free(word) } }
            var child: pid_t = 0
            let start = ContinuousClock.now
            guard posix_spawn(&child, program.path, &actions, nil, &words, environ) == 0 else {
                throw BenchmarkFailure(description: "\(program.path) cannot be started")
            }
            var (status, usage): (Int32, rusage) = (0, rusage())
            while wait4(child, &status, 0, &usage) < 0, errno == EINTR {}
            let elapsed = ContinuousClock.now - start
            guard status == 0 else {
                throw BenchmarkFailure(description: "\(arguments.joined(separator: " ")) failed: \(status)")
            }
            seconds = elapsed / .seconds(1)
            func time(_ value: timeval) -> Double { Double(value.tv_sec) + Double(value.tv_usec) / 1_000_000 }
            cpuSeconds = time(usage.ru_utime) + time(usage.ru_stime)
            megabytes = Double(usage.ru_maxrss) / 1_024
        }
    }
}
