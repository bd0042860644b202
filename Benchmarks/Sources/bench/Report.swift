/// One of the reports that the command line offers.
struct Report: Sendable {
    let name: String
    /// Whether files may stand among its options.
    var takesFiles = false
    /// Runs it; returns whether every bar holds.
    let run: @Sendable (Options) throws -> Bool

    /// Every report but the workloads, which run without a name.
    static let all = [
        Report(name: "migration") { options in
            let sizes = options.isQuick ? [1_000, 10_000] : [1_000, 100_000, 1_000_000]
            return try MigrationReport(sizes: sizes, rounds: options.rounds ?? 3).run()
        },
        Report(name: "mapping") { options in
            let sizes = options.isQuick ? [10_000, 50_000] : [100_000, 1_000_000]
            try MappingReport(sizes: sizes, rounds: options.rounds ?? 1).run()
            return true
        },
        Report(name: "plugin") { try PluginReport(classes: 100, rounds: $0.rounds ?? 5).run() },
        Report(name: "batch") { options in
            // The smaller size fills SQLite's page caches already.
            let sizes = options.isQuick ? [300_000, 600_000] : [300_000, 1_000_000]
            return try BatchReport(sizes: sizes, rounds: options.rounds ?? 1).run()
        },
        Report(name: "memory") { try MemoryReport(isQuick: $0.isQuick).run() },
        Report(name: "launch") { options in
            try LaunchReport(books: options.isQuick ? 100_000 : 1_000_000, rounds: options.rounds ?? 10).run()
        },
        Report(name: "models") { options in
            try ModelReport(versions: options.isQuick ? 20 : 100, rounds: options.rounds ?? 5).run()
        },
        Report(name: "nested") { options in
            try NestedReport(books: options.isQuick ? 5_000 : 50_000).run()
            return true
        },
        Report(name: "tool") { options in
            try ToolReport(books: options.isQuick ? 100_000 : 1_000_000, rounds: options.rounds ?? 5).run()
        },
        Report(name: "growth") { options in
            try GrowthReport(counts: options.sizes ?? (options.isQuick ? [1_000, 4_000] : GrowthReport.barredCounts))
                .run(renewing: options.isRenewal)
        },
        Report(name: "concurrency") { options in
            try ConcurrencyReport(books: options.isQuick ? 10_000 : 100_000, rounds: options.rounds ?? 5)
                .run(renewing: options.isRenewal, json: options.json)
        },
        Report(name: "postgresql") { options in
            try PostgreSQLReport(books: options.isQuick ? 10_000 : 100_000, rounds: options.rounds ?? 5)
                .run(json: options.json)
        },
        Report(name: "server") { options in
            try ServerReport(
                seconds: options.isQuick ? 2 : 10, connections: options.isQuick ? [1, 8] : [1, 8, 64],
                memoryRequests: options.isQuick ? 20_000 : 100_000
            ).run(json: options.json)
            return true
        },
        Report(name: "peers", takesFiles: true) { options in
            guard let program = options.files.first, options.files.count == 1, let peer = options.peer else {
                throw BenchmarkFailure(description: "bin/bench peers PATH builds what the peers need")
            }
            try PeersReport(
                peer: peer, program: program, books: options.isQuick ? 10_000 : 100_000,
                rounds: options.rounds ?? 5, works: options.works ?? Work.peers
            ).run(json: options.json)
            return true
        },
        Report(name: "chart", takesFiles: true) { options in
            guard let svg = options.svg, !options.files.isEmpty else {
                throw BenchmarkFailure(description: "bench chart FIGURES.json [FIGURES.json] --svg FILE")
            }
            try ChartReport(figures: options.files.map { try FiguresFile(contentsOf: $0) }).write(to: svg)
            return true
        },
        Report(name: "--instructions") { options in
            let report = InstructionsReport(works: options.works ?? Work.allCases)
            if options.measuresGrowth {
                return try report.runGrowth(sizes: options.sizes ?? InstructionsReport.growthSizes)
            }
            return try report.run(renewing: options.isRenewal)
        },
    ]

    /// The workloads, which run without a name.
    static let workloads = Report(name: "") { options in
        let sizes = options.sizes ?? (options.isQuick ? [10_000] : [100_000])
        return try WorkloadReport(
            sizes: sizes, rounds: options.rounds ?? 5, works: options.works ?? Work.allCases,
            measuresConcurrency: options.works == nil
        ).run(renewing: options.isRenewal, isCheck: options.isCheck, json: options.json)
    }

    static var usage: String {
        "usage: bench [\(all.map(\.name).joined(separator: " | "))] [--quick] [--check] [--renew] [--rounds N] "
            + "[--sizes N,N] [--works WORK,WORK] [--json FILE] [--svg FILE]"
    }
}
