#if PostgreSQL
import Foundation

/// A primary server with two standbys, in a folder of its own: `bin/postgresql-cluster`, which takes commands.
final class Cluster {
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())
    private var read = Data()
    /// The folder of the servers' sockets, and their ports.
    private let folder: String
    private let ports: [String]

    /// - Parameter program: `bin/postgresql-cluster`.
    init(_ program: String) throws {
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["-d", "/tmp/opencoredata-demo-\(getpid())", "-n", "2", "-s"]
        process.standardInput = input
        process.standardOutput = output
        folder = process.arguments?[1] ?? ""
        ports = ["5432", "5433", "5434"]
        try process.run()
        let line = answer()
        guard line.hasPrefix("ready") else { throw DemoFailure("the cluster did not start: \(line)") }
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// The URL of a database, with all servers in it.
    func url(ofDatabase name: String) -> String {
        let hosts = ports.map { _ in folder }.joined(separator: ",")
        return "postgresql:///\(name)?host=\(hosts)&port=\(ports.joined(separator: ","))&user=postgres"
    }

    private func answer() -> String {
        while true {
            if let end = read.firstIndex(of: UInt8(ascii: "\n")) {
                defer { read.removeSubrange(read.startIndex...end) }
                return String(decoding: read[read.startIndex..<end], as: UTF8.self)
            }
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return "" }
            read.append(data)
        }
    }

    /// Gives the cluster a command, and waits until it has followed it.
    @discardableResult
    func tell(_ command: String) throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data("\(command)\n".utf8))
        let line = answer()
        guard line.hasPrefix("ok") else { throw DemoFailure("\(command): \(line)") }
        return line.dropFirst(2).trimmingCharacters(in: .whitespaces)
    }
}
#endif
