#if PostgreSQL
    import CoreData
    import Foundation

    /// A PostgreSQL server of this process's own, in a folder of its own, reached by a socket there and by nobody else. It
    /// ends, and its folder goes, with the process, however that ends.
    public final class PostgreSQLServer: Sendable {
        /// The server, started when it is first asked for; the reason where there is none.
        public static let shared = Result { try PostgreSQLServer() }

        /// Why there is no server; nil where there is one.
        public static var reasonOfAbsence: String? {
            if case .failure(let error) = shared { "\(error)" } else { nil }
        }

        private struct Absence: Error, CustomStringConvertible {
            let description: String
        }

        private let folder: String
        private let programs: String

        private init() throws {
            guard let programs = Self.output(of: "/usr/bin/env", ["pg_config", "--bindir"]),
                FileManager.default.isExecutableFile(atPath: "\(programs)/initdb")
            else { throw Absence(description: "PostgreSQL's server is not installed: bin/setup --postgresql") }
            self.programs = programs
            let process = Process()
            process.executableURL = Toolchain.package.appendingPathComponent("bin/postgresql-server")
            let (input, output) = (Pipe(), Pipe())
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            // The server's end is the end of this pipe: it is held as long as the process lives.
            Self.held.withLock { $0.append(input) }
            var text = ""
            while text.last != "\n" {
                let data = output.fileHandleForReading.availableData
                if data.isEmpty { throw Absence(description: "PostgreSQL's server did not start") }
                text += String(decoding: data, as: UTF8.self)
            }
            folder = String(text.dropLast())
        }

        private static let held = Locked<[Pipe]>([])

        private static func output(of program: String, _ arguments: [String]) -> String? {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = arguments
            let pipe = Pipe()
            process.standardOutput = pipe
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return nil }
            let data = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
            process.waitUntilExit()
            let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            return process.terminationStatus == 0 ? text : nil
        }

        /// The URL of a database, which is made where it is not there.
        public func url(ofDatabase name: String) -> URL {
            let name = name.lowercased()
            Self.databases.withLock { databases in
                guard databases.insert(name).inserted else { return }
                _ = Self.output(of: "\(programs)/createdb", ["-h", folder, "-U", "postgres", name])
            }
            return URL(string: "postgresql:///\(name)?host=\(folder)&user=postgres")
                ?? URL(fileURLWithPath: "/dev/null")
        }

        private static let databases = Locked<Set<String>>([])

        /// Drops a database, if one of this name was made: an empty one takes 8 MB.
        static func drop(database name: String) {
            let name = name.lowercased()
            guard databases.withLock({ $0.remove(name) }) != nil, let server = try? shared.get() else { return }
            // Nobody has to wait for it.
            DispatchQueue.global(qos: .utility).async {
                _ = output(
                    of: "\(server.programs)/dropdb",
                    ["-h", server.folder, "-U", "postgres", "--force", "--if-exists", name])
            }
        }

        /// What psql prints for a statement, without headings; nil when it fails.
        public func psql(_ database: String, _ statement: String) -> String? {
            Self.output(
                of: "\(programs)/psql",
                ["-h", folder, "-U", "postgres", "-d", database.lowercased(), "-XAtc", statement])
        }
    }
#endif
