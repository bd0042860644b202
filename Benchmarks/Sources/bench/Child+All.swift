import Dispatch
import Foundation

extension Child {
    /// Every measurement of this program.
    static let all: [Child] = [
        .workload { contender, work, store, data in
            switch contender {
            case .c: try PlainC.run(work, store: store, data: data)
            case .coreData: try Library.run(work, store: store, data: data)
            case .grdbRows, .grdbRecords:
                throw BenchmarkFailure(description: "\(contender.rawValue) works in a program of its own")
            }
        },
        Child(name: "child-readers", parameters: ["CONTENDER", "STORE", "AUTHORS", "BOOKS"]) { arguments in
            try ConcurrencyReport.readBooks(
                try contender(arguments[0]), store: arguments[1], data: try data(arguments[2], arguments[3]),
                besideWriter: true)
        },
        Child(name: "child-reader", parameters: ["CONTENDER", "STORE", "AUTHORS", "BOOKS"]) { arguments in
            try ConcurrencyReport.readBooks(
                try contender(arguments[0]), store: arguments[1], data: try data(arguments[2], arguments[3]),
                besideWriter: false)
        },
        Child(name: "child-threads", parameters: ["CONTENDER", "STORE", "THREADS", "BOOKS"]) { arguments in
            try ConcurrencyReport.readOnThreads(
                try contender(arguments[0]), store: arguments[1], threads: try number(arguments[2]),
                books: try number(arguments[3]))
        },
        Child(name: "child-migration", parameters: ["STEP", "STORE"]) { arguments in
            try MigrationReport.measure(arguments[0], store: arguments[1])
        },
        Child(name: "child-batch", parameters: ["STEP", "STORE", "COUNT"]) { arguments in
            try BatchReport.measure(arguments[0], store: arguments[1], count: try number(arguments[2]))
        },
        Child(name: "child-tool-store", parameters: ["STORE", "BOOKS"]) { arguments in
            try ToolReport.makeStore(at: arguments[0], books: try number(arguments[1]))
        },
        Child(name: "child-memory", parameters: ["STEP", "STORE", "COUNT"]) { arguments in
            try MemoryReport.measure(arguments[0], store: arguments[1], count: try number(arguments[2]))
        },
        Child(name: "child-mapping", parameters: ["STEP", "STORE", "COUNT"]) { arguments in
            try MappingReport.measure(arguments[0], store: arguments[1], count: try number(arguments[2]))
        },
        Child(name: "child-models", parameters: ["STEP", "BUNDLE", "STORE"]) { arguments in
            try ModelReport.measure(arguments[0], bundle: arguments[1], store: arguments[2])
        },
        Child(name: "child-postgresql", parameters: ["CONTENDER", "WORK", "DATABASE", "AUTHORS", "BOOKS"]) {
            arguments in
            guard let contender = PostgreSQLReport.Contender(rawValue: arguments[0]),
                let work = Work(rawValue: arguments[1])
            else { throw BenchmarkFailure(description: "no work \(arguments[1]) of \(arguments[0])") }
            return try PostgreSQLReport.measure(
                contender, work, database: arguments[2], data: try data(arguments[3], arguments[4]))
        },
        Child(name: "child-round-trips", parameters: ["KIND", "DATABASE", "COUNT"]) { arguments in
            guard let kind = PostgreSQLReport.Conversation(rawValue: arguments[0]) else {
                throw BenchmarkFailure(description: "no conversation \(arguments[0])")
            }
            return try PostgreSQLReport.roundTrips(
                of: kind, database: arguments[1], count: try number(arguments[2]))
        },
        Child(name: "child-launch", parameters: ["STORE", "START"]) { try launch("child-launch", $0) },
        Child(name: "child-save", parameters: ["STORE", "START"]) { try launch("child-save", $0) },
    ]

    /// The launch needs the main queue and prints figures of its own.
    private static func launch(_ name: String, _ arguments: [String]) throws -> Never {
        guard let start = UInt64(arguments[1]) else { throw BenchmarkFailure(description: "\(name) STORE START") }
        LaunchReport.runChild(name, store: arguments[0], start: DispatchTime(uptimeNanoseconds: start))
    }
}
