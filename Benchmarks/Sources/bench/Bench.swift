import Foundation

/// The command line: the workloads, the migration, a root that saves, and the child processes that both start.
@main
enum Bench {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        var arguments = arguments
        switch arguments.first {
        case "child":
            print(try measure(Array(arguments.dropFirst())).line)
            return
        case "child-migration":
            guard arguments.count == 3 else { throw BenchmarkFailure(description: "child-migration STEP STORE") }
            print(try MigrationReport.measure(arguments[1], store: arguments[2]).line)
            return
        case "child-batch":
            guard arguments.count == 4, let count = Int(arguments[3]) else {
                throw BenchmarkFailure(description: "child-batch STEP STORE COUNT")
            }
            print(try BatchReport.measure(arguments[1], store: arguments[2], count: count).line)
            return
        case "child-mapping":
            guard arguments.count == 4, let count = Int(arguments[3]) else {
                throw BenchmarkFailure(description: "child-mapping STEP STORE COUNT")
            }
            print(try MappingReport.measure(arguments[1], store: arguments[2], count: count).line)
            return
        case "child-models":
            guard arguments.count == 4 else { throw BenchmarkFailure(description: "child-models STEP BUNDLE STORE") }
            print(try ModelReport.measure(arguments[1], bundle: arguments[2], store: arguments[3]).line)
            return
        case "child-launch", "child-save":
            guard arguments.count == 3, let start = UInt64(arguments[2]) else {
                throw BenchmarkFailure(description: "\(arguments[0]) STORE START")
            }
            LaunchReport.runChild(arguments[0], store: arguments[1], start: DispatchTime(uptimeNanoseconds: start))
        default:
            break
        }

        if arguments.first == "nested" {
            try NestedReport(books: arguments.contains("--quick") ? 5_000 : 50_000).run()
            return
        }
        let isMapping = arguments.first == "mapping"
        let isMigration = arguments.first == "migration"
        let isPlugin = arguments.first == "plugin"
        let isBatch = arguments.first == "batch"
        let isLaunch = arguments.first == "launch"
        let isModels = arguments.first == "models"
        if isMigration || isPlugin || isBatch || isMapping || isLaunch || isModels {
            arguments.removeFirst()
        }
        var isQuick = false
        var isCheck = false
        var rounds: Int?
        while !arguments.isEmpty {
            switch arguments.removeFirst() {
            case "--quick": isQuick = true
            case "--check": isCheck = true
            case "--rounds":
                guard !arguments.isEmpty, let count = Int(arguments.removeFirst()), count > 0 else {
                    throw BenchmarkFailure(description: "--rounds wants a positive number")
                }
                rounds = count
            case let other:
                throw BenchmarkFailure(
                    description:
                        "unknown argument \(other); "
                        + "usage: bench [migration | mapping | plugin | batch | launch | models | nested] [--quick] [--check] [--rounds N]"
                )
            }
        }
        if isMigration {
            let sizes = isQuick ? [1_000, 10_000] : [1_000, 100_000, 1_000_000]
            let holds = try MigrationReport(sizes: sizes, rounds: rounds ?? 3).run()
            if isCheck && !holds {
                exit(1)
            }
        } else if isLaunch {
            let holds = try LaunchReport(books: isQuick ? 100_000 : 1_000_000, rounds: rounds ?? 10).run()
            if isCheck && !holds {
                exit(1)
            }
        } else if isModels {
            let holds = try ModelReport(versions: isQuick ? 20 : 100, rounds: rounds ?? 5).run()
            if isCheck && !holds {
                exit(1)
            }
        } else if isMapping {
            try MappingReport(sizes: isQuick ? [10_000, 50_000] : [100_000, 1_000_000], rounds: rounds ?? 1).run()
        } else if isPlugin {
            let holds = try PluginReport(classes: 100, rounds: rounds ?? 5).run()
            if isCheck && !holds {
                exit(1)
            }
        } else if isBatch {
            // The smaller size fills SQLite's page caches already.
            let sizes = isQuick ? [300_000, 600_000] : [300_000, 1_000_000]
            let holds = try BatchReport(sizes: sizes, rounds: rounds ?? 1).run()
            if isCheck && !holds {
                exit(1)
            }
        } else {
            let books = isQuick ? 10_000 : 100_000
            let holds = try WorkloadReport(authors: books / 100, books: books, rounds: rounds ?? 5).run()
            if isCheck && !holds {
                exit(1)
            }
        }
    }

    private static func measure(_ arguments: [String]) throws -> Measurement {
        guard arguments.count == 5, let contender = Contender(rawValue: arguments[0]),
            let work = Work(rawValue: arguments[1]), let authors = Int(arguments[3]), let books = Int(arguments[4])
        else { throw BenchmarkFailure(description: "child CONTENDER WORK STORE AUTHORS BOOKS") }
        let data = SourceData(authors: authors, books: books)
        switch contender {
        case .c: return try PlainC.run(work, store: arguments[2], data: data)
        case .coreData: return try Library.run(work, store: arguments[2], data: data)
        }
    }
}
