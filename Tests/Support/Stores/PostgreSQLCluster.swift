#if PostgreSQL
import CoreData
import Foundation

/// A primary and standbys of this process's own, in a folder of its own (`bin/postgresql-cluster`). They end, and
/// their folder goes, with this or with the process, however that ends.
// @unchecked Sendable: the pipes are used under the lock.
public final class PostgreSQLCluster: @unchecked Sendable {
    /// Where the sockets of all servers are.
    public let folder: String
    /// The ports of the servers, by their numbers.
    public let ports: [Int]
    private let process = AwaitedProcess()
    private let (input, output) = (Pipe(), Pipe())
    private let lock = NSLock()
    private var read = ""

    public struct Refusal: Error, CustomStringConvertible {
        public let description: String
    }

    /// - Parameters:
    ///   - isSynchronous: whether a commit waits until a standby has it.
    ///   - settings: further arguments of the servers.
    public init(standbys: Int = 2, isSynchronous: Bool, settings: String = "") throws {
        if let reason = PostgreSQLServer.reasonOfAbsence { throw PostgreSQLServer.Absence(description: reason) }
        // Short: the path of a socket has at most 107 bytes.
        folder = PostgreSQLServer.folder("pc")
        ports = (0...standbys).map { 5432 + $0 }
        process.executableURL = Toolchain.package.appendingPathComponent("bin/postgresql-cluster")
        process.arguments =
            ["-d", folder, "-n", "\(standbys)", "-o", settings] + (isSynchronous ? ["-s"] : [])
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = answer()
        guard line.hasPrefix("ready ") else { throw Refusal(description: "The cluster did not start: \(line)") }
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private func answer() -> String {
        while true {
            if let end = read.firstIndex(of: "\n") {
                defer { read = String(read[read.index(after: end)...]) }
                return String(read[..<end])
            }
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return "" }
            read += String(decoding: data, as: UTF8.self)
        }
    }

    /// Gives the cluster a command, and waits until it has followed it. Returns the rest of its answer.
    @discardableResult
    public func tell(_ command: String) throws -> String {
        try lock.withLock {
            try input.fileHandleForWriting.write(contentsOf: Data("\(command)\n".utf8))
            let line = answer()
            guard line.hasPrefix("ok") else { throw Refusal(description: "\(command): \(line)") }
            return line.dropFirst(2).trimmingCharacters(in: .whitespaces)
        }
    }

    /// The number of the primary.
    public func primary() throws -> Int { Int(try tell("primary")) ?? -1 }

    /// Kills a server with all its processes.
    public func kill(_ number: Int) throws { try tell("kill \(number)") }

    /// Makes a standby the primary: the one that has received most, if none is named. Its number.
    @discardableResult
    public func promote(_ number: Int? = nil) throws -> Int {
        Int(try tell("promote \(number.map { "\($0)" } ?? "")")) ?? -1
    }

    /// Makes a server anew as a standby of the primary.
    public func rejoin(_ number: Int) throws { try tell("rejoin \(number)") }

    /// Waits until a standby shows what the primary has now.
    public func wait(for number: Int) throws { try tell("wait \(number)") }

    /// The numbers of all servers but one.
    public func others(than number: Int) -> [Int] { ports.indices.filter { $0 != number } }

    /// The URL of a database by way of all servers, or of some of them in an order.
    public func url(ofDatabase name: String, servers: [Int]? = nil, options: String = "") -> URL {
        let ports = (servers ?? Array(ports.indices)).map { self.ports[$0] }
        let hosts = ports.map { _ in folder }.joined(separator: ",")
        let list = ports.map { "\($0)" }.joined(separator: ",")
        return URL(string: "postgresql:///\(name)?host=\(hosts)&port=\(list)&user=postgres\(options)")
            ?? URL(fileURLWithPath: "/dev/null")
    }

    /// Makes a database on the primary.
    public func make(database name: String) throws {
        _ = try tell("psql \(primary()) CREATE DATABASE \"\(name)\"")
    }

    /// The output of psql for a statement in a database of a server, without headings; nil when it fails.
    public func psql(_ number: Int, _ database: String, _ statement: String) -> String? {
        guard let programs = try? PostgreSQLServer.shared.get().programs else { return nil }
        return PostgreSQLServer.output(
            of: "\(programs)/psql",
            ["-h", folder, "-p", "\(ports[number])", "-U", "postgres", "-d", database, "-XAtc", statement])
    }
}
#endif
