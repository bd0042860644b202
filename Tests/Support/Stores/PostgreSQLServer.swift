#if PostgreSQL
import CoreData
import Foundation

/// A PostgreSQL server of this process's own, in a folder of its own, reached only by a socket there. It ends with
/// the process, however that ends, and its folder is removed.
public final class PostgreSQLServer: Sendable {
    /// The server, started at the first access; the reason where there is none.
    public static let shared = Result { try PostgreSQLServer(isCopy: true) }

    /// Why there can be no server; nil where there can be one. It is read while tests are listed, so it starts
    /// none.
    public static let reasonOfAbsence: String? =
        installedPrograms == nil ? "PostgreSQL's server is not installed: bin/setup --postgresql" : nil

    /// The folder of the server's programs.
    private static let installedPrograms: String? = {
        guard Toolchain.program("pg_config") != nil,
            let folder = output(of: "/usr/bin/env", ["pg_config", "--bindir"]),
            FileManager.default.isExecutableFile(atPath: "\(folder)/initdb")
        else { return nil }
        return folder
    }()

    /// A folder for a server's files and sockets, whose name begins so. It lies among the temporary files, unless
    /// their path is too long: the path of a socket has at most 107 bytes.
    static func folder(_ kind: String) -> String {
        let place = FileManager.default.temporaryDirectory.path
        return "\(place.utf8.count <= 60 ? place : "/tmp")/opencoredata-\(kind)-\(UUID().uuidString.prefix(8))"
    }

    struct Absence: Error, CustomStringConvertible {
        let description: String
    }

    /// Where its socket is, and its certificates where it has some.
    public let folder: String
    let programs: String
    let port: Int

    /// - Parameters:
    ///   - settings: further arguments of the server.
    ///   - rules: The lines of `pg_hba.conf` that let clients in; nil to let all in.
    ///   - preparation: The shell's commands in the server's folder, as its user, before it starts.
    ///   - isCopy: whether its first files may be copies, which have the system identifier of other servers.
    init(
        settings: String = "", rules: String? = nil, preparation: String = ":", port: Int = 5432,
        isCopy: Bool = false
    ) throws {
        guard let programs = Self.installedPrograms else {
            throw Absence(description: Self.reasonOfAbsence ?? "")
        }
        self.programs = programs
        self.port = port
        folder = Self.folder("pg")
        let arguments = ["-d", folder, "-o", settings, "-p", preparation] + (rules.map { ["-r", $0] } ?? [])
        guard
            try Self.start(
                program: Toolchain.package.appendingPathComponent("bin/postgresql-server"), arguments,
                environment: isCopy ? [:] : ["OPENCOREDATA_CLUSTERS": ""])
        else { throw Absence(description: "PostgreSQL's server did not start: \(folder)") }
    }

    private static let held = Locked<[Pipe]>([])

    /// Runs a script that prints `ready`, as a program of this kind does.
    static func start(_ script: String, _ arguments: [String]) throws -> Bool {
        try start(program: URL(fileURLWithPath: "/bin/sh"), ["-c", asOtherUser + script, "sh"] + arguments)
    }

    /// Runs a program that prints `ready`, and ends what it has started when its input ends: with this process.
    private static func start(
        program: URL, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> Bool {
        let process = AwaitedProcess()
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.executableURL = program
        process.arguments = arguments
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        held.withLock { $0.append(input) }
        var text = ""
        while !text.contains("ready") {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return false }
            text += String(decoding: data, as: UTF8.self)
        }
        return true
    }

    /// Runs a command as another user where this one is root: no server runs as root.
    private static let asOtherUser = """
        as() {
            if [ "$(id -u)" = 0 ]; then
                setpriv --reuid=postgres --regid="$(id -g postgres)" --clear-groups \\
                    env HOME=/tmp LC_ALL=C.UTF-8 "$@"
            else
                env LC_ALL=C.UTF-8 "$@"
            fi
        }

        """

    /// A server that no other test uses, and that may be ended. If a folder is given, to which every user may
    /// write, the server's log of changes lies there.
    public static func ownServer(logIn folder: URL? = nil) throws -> PostgreSQLServer {
        let move = folder.map { "mv data/pg_wal '\($0.path)/log'; ln -s '\($0.path)/log' data/pg_wal" }
        return try PostgreSQLServer(preparation: move ?? ":")
    }

    /// Starts a server of one's own again, also when it has ended itself.
    public func restart() {
        // A wait for this script would otherwise last as long as the server runs: the server inherits the
        // descriptor by which this process notices the end of the script.
        let script =
            """
            for file in /proc/$$/fd/*; do
                number=${file##*/}
                [ "$number" -gt 2 ] && [ "$number" != 255 ] && eval "exec $number>&-"
            done

            """ + Self.asOtherUser
            + "as \"$1/pg_ctl\" -D \"$2/data\" -w -l \"$2/server.log\" restart >/dev/null 2>&1 </dev/null"
        _ = Self.output(of: "/usr/bin/env", ["bash", "-c", script, "bash", programs, folder])
    }

    /// Ends all work of the server as a failure of its machine would: one of its own processes is killed, and it
    /// starts anew from what it has logged.
    public func crash() {
        let writer = psql("postgres", "SELECT pid FROM pg_stat_activity WHERE backend_type = 'background writer'")
        if let process = writer.flatMap({ Int32($0) }) { kill(process, SIGKILL) }
    }

    static func output(of program: String, _ arguments: [String]) -> String? {
        let process = AwaitedProcess()
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
            make(database: name)
        }
        return url(ofMadeDatabase: name)
    }

    /// The URL of a database that is there.
    public func url(ofMadeDatabase name: String) -> URL {
        URL(string: "postgresql:///\(name)?host=\(folder)&user=postgres")
            ?? URL(fileURLWithPath: "/dev/null")
    }

    /// Makes a folder that is the server's own.
    public func makeFolder(_ url: URL) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let owner = try FileManager.default.attributesOfItem(atPath: "\(folder)/data")[.ownerAccountName]
        try FileManager.default.setAttributes(
            [.ownerAccountName: owner ?? "postgres", .posixPermissions: 0o700], ofItemAtPath: url.path)
    }

    private static let databases = Locked<Set<String>>([])

    /// Drops a database, if one of this name was made: an empty one takes 8 MB.
    static func drop(database name: String) {
        let name = name.lowercased()
        guard databases.withLock({ $0.remove(name) }) != nil, let server = try? shared.get() else { return }
        // No test has to wait for it.
        DispatchQueue.global(qos: .utility).async {
            _ = server.psql("postgres", "DROP DATABASE IF EXISTS \"\(name)\" WITH (FORCE)")
        }
    }

    /// Lets a role do everything in a database and with what is in it.
    public func grant(_ database: String, to role: String) {
        let owner = psql(
            database, "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()")
        _ = psql(database, "GRANT \"\(owner ?? "")\" TO \"\(role)\"")
    }

    /// Waits until all history that is recorded can be read: older transactions of the database that still run hold
    /// it back.
    public func awaitHistory(of database: String) {
        let condition = """
            SELECT coalesce(max(id), 0) < coredata.history_bound() FROM coredata.transactions
            """
        wait(until: condition, in: database)
    }

    /// Waits until a store that was notified of commits has queried a number of times whether history has them.
    public func awaitLooksForHistory(in database: String, count: Int) {
        let look = """
            SELECT query_start FROM pg_stat_activity WHERE datname = current_database() \
            AND pid <> pg_backend_pid() AND query LIKE 'SELECT coredata.history_bound()::text%' ORDER BY 1 DESC LIMIT 1
            """
        var looks: Set<String> = []
        while looks.count < count {
            if let time = psql(database, look), !time.isEmpty { looks.insert(time) }
        }
    }

    /// Waits until a session waits for a lock in a database, and cancels its statement, as an administrator does.
    public func cancelWhoeverWaits(in database: String) {
        let cancel = """
            SELECT pg_cancel_backend(pid) FROM pg_stat_activity \
            WHERE datname = current_database() AND wait_event_type = 'Lock'
            """
        wait(until: cancel, in: database)
    }

    /// Puts another database, which is made of a dump of this one as it was, in its place, as an administrator does
    /// while programs have it open. The body runs between the dump and that.
    public func replace(_ database: String, withDumpBefore body: () throws -> Void) throws {
        let name = database.lowercased()
        let dump = "\(folder)-\(name).dump"
        defer { try? FileManager.default.removeItem(atPath: dump) }
        let place = ["-h", folder, "-p", "\(port)", "-U", "postgres"]
        func run(_ program: String, _ arguments: [String]) throws {
            guard Self.output(of: "\(programs)/\(program)", place + arguments) != nil else {
                throw Absence(description: "\(program) \(arguments) failed")
            }
        }
        try run("pg_dump", ["-f", dump, name])
        try body()
        try run("dropdb", ["--force", name])
        try run("createdb", [name])
        try run("psql", ["-X", "-v", "ON_ERROR_STOP=1", "-d", name, "-f", dump])
    }
}
#endif
