#if PostgreSQL
import CoreData
import Foundation

// Other programs that work beside the framework.
extension PostgreSQLServer {
    /// The Python that has SQLAlchemy; nil where it is not installed.
    private static let python: String? = {
        let environment = ProcessInfo.processInfo.environment
        let cache = environment["XDG_CACHE_HOME"] ?? "\(environment["HOME"] ?? "")/.cache"
        let python = "\(cache)/opencoredata/python/bin/python"
        return output(of: python, ["-c", "import sqlalchemy, psycopg2; print(1)"]) == nil ? nil : python
    }()

    /// Why there is no SQLAlchemy, or no server; nil where there are both.
    public static var reasonWithoutSQLAlchemy: String? {
        reasonOfAbsence ?? (python == nil ? "SQLAlchemy is not installed: bin/setup --postgresql" : nil)
    }

    /// The output of a program in Python: `session` is one of SQLAlchemy's, `Base` has a class for each table. Nil
    /// when it fails.
    public func sqlalchemy(_ database: String, _ program: String) -> String? {
        let start = """
            from sqlalchemy import create_engine, select, text, event
            from sqlalchemy.orm import Session
            from sqlalchemy.ext.automap import automap_base
            engine = create_engine("postgresql+psycopg2://postgres@/\(database.lowercased())?host=\(folder)")
            Base = automap_base()
            Base.prepare(autoload_with=engine)
            session = Session(engine)

            """
        return Self.python.flatMap { Self.output(of: $0, ["-c", start + program]) }
    }
}

/// A psql that listens to the framework's channel.
public final class ListeningPsql {
    private let process = AwaitedProcess()
    private let (input, output) = (Pipe(), Pipe())

    public init(_ server: PostgreSQLServer, _ database: String) throws {
        process.executableURL = URL(fileURLWithPath: "\(server.programs)/psql")
        process.arguments = ["-h", server.folder, "-U", "postgres", "-d", database.lowercased(), "-XAtq"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data("LISTEN coredata;\n\\echo listening\n".utf8))
        var text = ""
        while !text.contains("listening") {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            text += String(decoding: data, as: UTF8.self)
        }
    }

    /// Ends it. Returns its notifications, one payload for each.
    public func payloads() throws -> [String] {
        try input.fileHandleForWriting.write(contentsOf: Data("SELECT 1;\n\\q\n".utf8))
        try input.fileHandleForWriting.close()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").filter { $0.contains("\"coredata\"") }
            .map {
                $0.split(separator: "\"").dropFirst(3).first.map(String.init) ?? ""
            }
    }
}
#endif
