import Foundation

/// A service with its books, and the loads that wrk puts on it. Its process ends with this object.
final class ServedBooks {
    let contender: ServerReport.Contender
    private let process: Process
    private let address: String
    /// A file with the ids of its books, a line each.
    private let ids: URL
    /// The first process of its database's server; nil where there is none.
    private let database: ProcessCounters?

    private var counters: ProcessCounters { ProcessCounters(id: process.processIdentifier) }

    /// Starts it with an empty store, and waits until it is ready.
    init(_ contender: ServerReport.Contender, in folder: URL) throws {
        self.contender = contender
        ids = folder.appendingPathComponent("\(contender.rawValue).ids")
        database = contender.hasDatabase ? try ProcessCounters.postgreSQLServer() : nil
        let (process, output) = (Process(), Pipe())
        process.executableURL = ChildProcess.executable.deletingLastPathComponent()
            .appendingPathComponent(contender == contender.plain ? "c-service" : "web-service")
        if contender.hasDatabase {
            let name = contender.rawValue.replacing("-", with: "_")
            try PostgreSQLDatabases.create(name)
            process.arguments = ["postgresql:///\(name)"]
        } else {
            process.arguments = [folder.appendingPathComponent("\(contender.rawValue).sqlite").path]
        }
        process.standardOutput = output
        do {
            try process.run()
        } catch {
            throw BenchmarkFailure(description: "no \(contender.title) is there: bin/bench server builds it")
        }
        // The service prints one line, which is its address, as soon as it answers.
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        (self.process, address) = (process, line.trimmingCharacters(in: .whitespacesAndNewlines))
        repeat {
            guard !address.isEmpty, process.isRunning else {
                throw BenchmarkFailure(description: "\(contender.title) does not start")
            }
        } while try !get("/health").contains("\"ready\"")
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    // MARK: Requests

    private func get(_ path: String) throws -> String {
        try ChildProcess.output(
            of: ChildProcess.env, ["curl", "-s", "-S", "--noproxy", "*", "--max-time", "60", address + path])
    }

    /// What it answers to the list that is measured.
    func list() throws -> String { try get("/books?where=year%20%3E%201900&limit=20") }

    /// Makes so many books, the same ones in each service, and notes their ids.
    func fill(books: Int) throws { _ = try wrk(["fill", ids.path, String(books)], connections: 1) }

    /// Puts a load on it.
    ///
    /// - Parameter books: those that are changed, by their places among all. No other run may change these.
    func measure(
        _ load: ServerFigures.Load, connections: Int, seconds: Int, changing books: Range<Int>
    ) throws -> ServerFigures.Side {
        let arguments =
            switch load {
            case .list, .create: [load.rawValue]
            case .key: [load.rawValue, ids.path]
            case .change: [load.rawValue, ids.path, String(books.lowerBound), String(books.count)]
            }
        let before = try (own: counters.seconds, database: database?.familySeconds ?? 0)
        let text = try wrk(arguments, connections: connections, seconds: seconds)
        let after = try (own: counters.seconds, database: database?.familySeconds ?? 0)
        guard let answer = text.firstMatch(of: #/answered (\d+) errors (\d+) middle (\d+) high (\d+)/#),
            let requests = Int(answer.1), let errors = Int(answer.2), let middle = Double(answer.3),
            let high = Double(answer.4), requests > 0
        else { throw BenchmarkFailure(description: "wrk printed: \(text)") }
        guard errors == 0 else {
            throw BenchmarkFailure(
                description: "\(contender.title), \(load.rawValue): \(errors) of \(requests) requests have no answer")
        }
        let inDatabase = after.database - before.database
        return ServerFigures.Side(
            contender: contender, requests: requests, cpuSeconds: after.own - before.own + inDatabase,
            databaseSeconds: inDatabase, middleLatency: middle / 1e6, highLatency: high / 1e6)
    }

    /// Reads its memory before, amid and after so many requests by key.
    func memory(requests: Int) throws -> ServerMemory {
        let before = try counters.residentBytes
        _ = try wrk(["key", ids.path, String(requests / 2)], connections: 8)
        let half = try counters.residentBytes
        _ = try wrk(["key", ids.path, String(requests / 2)], connections: 8)
        return ServerMemory(
            contender: contender, requests: requests, bytesBefore: before, bytesAfterHalf: half,
            bytesAfter: try counters.residentBytes)
    }

    /// Runs wrk. Without a time it runs until the script ends it.
    private func wrk(_ arguments: [String], connections: Int, seconds: Int = 3_600) throws -> String {
        let options = ["-t1", "-c\(connections)", "-d\(seconds)", "--timeout", "30s", "-s", Self.script.path]
        do {
            return try ChildProcess.output(of: ChildProcess.env, ["wrk"] + options + [address, "--"] + arguments)
        } catch let failure as BenchmarkFailure {
            throw BenchmarkFailure(description: "\(contender.title): \(failure.description)")
        }
    }

    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("server.lua")
}
