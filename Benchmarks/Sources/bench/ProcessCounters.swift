import Foundation

/// What the kernel counts for another process.
struct ProcessCounters {
    let id: Int32

    private static let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))

    /// The first process of the server that PGHOST names, a folder of bin/postgresql-server.
    static func postgreSQLServer() throws -> ProcessCounters {
        let folder = ProcessInfo.processInfo.environment["PGHOST"] ?? ""
        let text = (try? String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)) ?? ""
        guard let id = text.split(separator: "\n").first.flatMap({ Int32($0) }) else {
            throw BenchmarkFailure(description: "no server of bin/postgresql-server is in '\(folder)'")
        }
        return ProcessCounters(id: id)
    }

    /// The fields of /proc/PID/stat behind the name of the program: the first one is the third of proc(5).
    private func fields() throws -> [Substring] {
        let text = (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)) ?? ""
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ").dropFirst()
        guard fields.count > 20 else { throw BenchmarkFailure(description: "the process \(id) has ended") }
        return Array(fields)
    }

    private static func seconds(_ ticks: some Sequence<Substring>) -> Double {
        ticks.reduce(0) { $0 + (Double($1) ?? 0) } / Self.ticks
    }

    /// Processor time of all its threads, also of those that have ended.
    var seconds: Double { get throws { try Self.seconds(fields()[11...12]) } }

    /// Processor time of it and of the processes that it has started.
    var familySeconds: Double {
        get throws {
            var ended = try endedSeconds
            while true {
                var sum = try seconds
                for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
                    guard let child = Int32(name).map(ProcessCounters.init), let fields = try? child.fields(),
                        fields[1] == "\(id)"
                    else { continue }
                    sum += Self.seconds(fields[11...12])
                }
                // A child that ended during the reading may be missing in both sums.
                let before = ended
                ended = try endedSeconds
                if ended == before { return sum + ended }
            }
        }
    }

    /// Processor time of the processes that it has started and that have ended.
    private var endedSeconds: Double { get throws { try Self.seconds(fields()[13...14]) } }

    var residentBytes: Int64 {
        get throws {
            guard let pages = try Int64(fields()[21]) else { return 0 }
            return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
        }
    }
}
