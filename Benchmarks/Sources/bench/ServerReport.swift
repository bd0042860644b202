import Foundation

/// Measures the web service of the examples under wrk, beside a service in plain C over the same libraries: how many
/// requests are answered in a second of the server's processor time, and how much memory the server takes.
struct ServerReport {
    /// How long each load lasts.
    let seconds: Int
    let connections: [Int]
    /// The requests by key after which memory is read for the second time.
    let memoryRequests: Int

    /// The service that answers. The processor time of a database's server counts, too.
    enum Contender: String, CaseIterable, Codable {
        case c
        case coreData = "core-data"
        case cPostgreSQL = "c-postgresql"
        case postgreSQL = "core-data-postgresql"

        var title: String {
            switch self {
            case .c: "plain C, SQLite"
            case .coreData: "WebService, SQLite"
            case .cPostgreSQL: "plain C, PostgreSQL"
            case .postgreSQL: "WebService, PostgreSQL"
            }
        }

        /// The service in plain C over a store of the same kind.
        var plain: Contender { hasDatabase ? .cPostgreSQL : .c }
        var hasDatabase: Bool { self == .cPostgreSQL || self == .postgreSQL }
    }

    private static let books = 10_000
    /// The books that one run changes: none is changed by two connections at a time.
    private static let changedBooks = 500

    func run(json: URL?) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("opencoredata-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let services = try start(in: folder)
        for service in services { try service.fill(books: Self.books) }
        try compare(services)
        var file = FiguresFile(rounds: 1)
        file.servers = try measure(services)
        print(file.servers)
        file.serverMemory = try services.map { try $0.memory(requests: memoryRequests) }
        print(file.serverMemory)
        if let json { try file.write(to: json) }
    }

    private func start(in folder: URL) throws -> [ServedBooks] {
        #if PostgreSQL
        let hasServer = ProcessInfo.processInfo.environment["PGHOST"] != nil
        #else
        let hasServer = false
        #endif
        if !hasServer { Swift.print("Without PostgreSQL, which bin/setup --postgresql installs.\n") }
        return try Contender.allCases.filter { hasServer || !$0.hasDatabase }.map { try ServedBooks($0, in: folder) }
    }

    /// Services that disagree do not do the same work.
    private func compare(_ services: [ServedBooks]) throws {
        let lists = try services.map { try $0.list().replacing(#/"id":"[^"]*"/#, with: "") }
        for (service, list) in zip(services, lists) where list != lists[0] {
            throw BenchmarkFailure(description: "\(service.contender.title) answers \(list) instead of \(lists[0])")
        }
    }

    /// Puts each load on one service after the other. All have their books for themselves, and wait for their turns.
    private func measure(_ services: [ServedBooks]) throws -> [ServerFigures] {
        var (figures, run) = ([ServerFigures](), 0)
        // New books come last: a list of more books takes longer.
        for load in ServerFigures.Load.allCases {
            for count in connections {
                let part = run * Self.changedBooks..<(run + 1) * Self.changedBooks
                if load == .change { run += 1 }
                var measured: [Contender: ServerFigures.Side] = [:]
                for service in services.shuffled() {
                    measured[service.contender] = try service.measure(
                        load, connections: count, seconds: seconds, changing: part)
                }
                figures.append(
                    ServerFigures(
                        load: load, connections: count, sides: services.compactMap { measured[$0.contender] }))
            }
        }
        return figures
    }

    // MARK: Tables

    private func print(_ figures: [ServerFigures]) {
        Swift.print(
            """
            \(Self.books) books, each load for \(seconds) s by wrk on this machine. Requests per second of processor time, \
            as the kernel counted it
            (/proc/PID/stat), and in relation to plain C's over a store of the same kind. A database's server counts as a \
            part of the service.
            Latencies are by the clock. An answer that is no success ends the benchmark.

            """)
        var rows = [
            ["load", "connections", "service", "per CPU s", "× C", "database", "requests", "p50 ms", "p99 ms"]
        ]
        for figure in figures {
            for side in figure.sides {
                rows.append([
                    side.contender == .c ? figure.load.title : "",
                    side.contender == .c ? String(figure.connections) : "", side.contender.title,
                    side.requestsPerCPUSecond.printed(0), figure.ratio(of: side).printed(3),
                    side.contender.hasDatabase
                        ? "\((side.databaseSeconds / side.cpuSeconds * 100).printed(0)) %" : "",
                    String(side.requests), (side.middleLatency * 1_000).printed(2),
                    (side.highLatency * 1_000).printed(2),
                ])
            }
        }
        printTable(rows)
    }

    private func print(_ memory: [ServerMemory]) {
        Swift.print("\nResident memory of the services after all loads, and after requests by key, MB\n")
        printTable(
            [["service", "requests", "after the loads", "after half", "at the end", "growth of the last half"]]
                + memory.map { service in
                    let megabytes = [
                        service.bytesBefore, service.bytesAfterHalf, service.bytesAfter,
                        service.bytesAfter - service.bytesAfterHalf,
                    ]
                    return [service.contender.title, String(service.requests)]
                        + megabytes.map { (Double($0) / 1e6).printed(1) }
                })
    }
}

/// What services did under one load.
struct ServerFigures: Codable {
    enum Load: String, CaseIterable, Codable {
        case list, key, change, create

        var title: String {
            switch self {
            case .list: "GET /books?where=year > 1900&limit=20"
            case .key: "GET /books/ID"
            case .change: "PATCH /books/ID"
            case .create: "POST /books"
            }
        }
    }

    struct Side: Codable {
        var contender: ServerReport.Contender
        var requests: Int
        /// Of the service, and of the server of its database where there is one.
        var cpuSeconds: Double
        /// The part of the database's server.
        var databaseSeconds: Double
        /// The middle and the 99th of a hundred latencies, in seconds.
        var middleLatency: Double
        var highLatency: Double

        var requestsPerCPUSecond: Double { Double(requests) / max(cpuSeconds, 1e-9) }
    }

    var load: Load
    var connections: Int
    var sides: [Side]

    /// The requests for a second of processor time in relation to plain C's over a store of the same kind.
    func ratio(of side: Side) -> Double {
        let plain = sides.first { $0.contender == side.contender.plain }
        return side.requestsPerCPUSecond / max(plain?.requestsPerCPUSecond ?? 0, 1e-9)
    }
}

/// The resident memory of a service in bytes: after all loads, after half of some requests by key, and after all.
struct ServerMemory: Codable {
    var contender: ServerReport.Contender
    var requests: Int
    var bytesBefore: Int64
    var bytesAfterHalf: Int64
    var bytesAfter: Int64
}
