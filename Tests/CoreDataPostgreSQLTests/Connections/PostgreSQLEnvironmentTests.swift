#if PostgreSQL
import CPostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

// libpq's variables and files, in processes of their own: the environment is a whole process's.
extension PostgreSQLSecurityTests {
    /// The word of a process that opens the store at a URL and saves something, with variables beside usual
    /// ones.
    private func outcome(_ url: String, _ environment: [String: String]) throws -> String {
        let child = try ChildProgram("postgresql-child", [url, "open", "tag"], environment: environment)
        let output = child.wait().output
        #expect(!output.contains("cret"), "\(output)")
        return output.split(separator: ":").first.map(String.init)?.trimmingCharacters(in: .newlines) ?? ""
    }

    private func refusal(_ failure: PostgreSQLFailure) -> String { "failed \(failure.rawValue)" }

    /// All variables for the server, with another password or without one.
    private func variables(password: String? = SecuredServer.password) -> [String: String] {
        var variables = [
            "PGHOST": "127.0.0.1", "PGPORT": "\(secured.port)", "PGUSER": "me", "PGDATABASE": database,
            // A home folder and a password file that do not exist.
            "HOME": "/nowhere", "PGPASSFILE": "/nowhere",
        ]
        variables["PGPASSWORD"] = password
        return variables
    }

    @Test("The PG… variables supply the parts that the URL leaves out, and the URL comes before them")
    func pgVariables() throws {
        secured.make(database)
        #expect(try outcome("postgresql:///", variables()) == "saved tag")
        #expect(try outcome("postgresql:///", variables(password: "wrong-secret")) == refusal(.passwordRefused))
        #expect(try outcome("postgresql:///", variables(password: nil)) == refusal(.passwordRefused))
        let elsewhere = ["PGHOST": "nowhere.invalid", "PGPORT": "1", "PGUSER": "plain", "PGDATABASE": "nowhere"]
        #expect(
            try outcome(
                secured.url(database).absoluteString,
                variables(password: "wrong-secret").merging(elsewhere) { $1 }) == "saved tag")
        #expect(try outcome("postgresql:///", variables().merging(elsewhere) { $1 }) == refusal(.unreachable))
    }

    @Test("A variable, or the name of a service, that cannot be used is reported by the option's name")
    func wrongVariables() throws {
        secured.make(database)
        for (variable, option) in [
            ("PGSSLMODE", "sslmode"), ("PGCONNECT_TIMEOUT", "connect_timeout"), ("PGPORT", "port"),
            ("PGSERVICE", "service"), ("PGOPTIONS", "none"),
        ] {
            let child = try ChildProgram(
                "postgresql-child", ["postgresql:///", "open", "tag"],
                environment: variables().merging([variable: "none"]) { $1 })
            let output = child.wait().output
            #expect(output.hasPrefix("failed optionRefused") && output.contains(option), "\(output)")
            #expect(!output.contains("cret"), "\(output)")
        }
    }

    @Test("The variables of encryption set a mode, a CA, a certificate of the client's own and its key")
    func variablesOfEncryption() throws {
        secured.make(database)
        func opened(_ more: [String: String]) throws -> String {
            try outcome("postgresql:///", variables().merging(more) { $1 })
        }
        let folder = secured.server.folder
        #expect(try opened(["PGSSLMODE": "disable"]) == refusal(.passwordRefused))
        #expect(try opened(["PGSSLMODE": "verify-full"]) == refusal(.certificateNotTrusted))
        let verifying = ["PGSSLMODE": "verify-full", "PGSSLROOTCERT": "\(folder)/ca.crt"]
        #expect(try opened(verifying) == "saved tag")
        #expect(
            try opened(["PGSSLMODE": "verify-full", "PGSSLROOTCERT": "\(folder)/other.crt"])
                == refusal(.certificateNotTrusted))
        secured.server.grant(database, to: "certified")
        let certificate = [
            "PGUSER": "certified", "PGSSLCERT": "\(folder)/certified.crt", "PGSSLKEY": "\(folder)/certified.key",
        ]
        #expect(try opened(verifying.merging(certificate) { $1 }) == "saved tag")
    }

    @Test("A password comes from the file that PGPASSFILE names, or from ~/.pgpass, if no other user may read it")
    func passwordFiles() throws {
        secured.make(database)
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent(".pgpass")
            let password = SecuredServer.password.replacingOccurrences(of: ":", with: "\\:")
            try Data("127.0.0.1:\(secured.port):*:me:\(password)\n".utf8).write(to: file)
            func set(_ permissions: Int) throws {
                try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
            }
            try set(0o600)
            var variables = variables(password: nil)
            variables["PGPASSFILE"] = file.path
            #expect(try outcome("postgresql:///", variables) == "saved tag")
            try set(0o644)
            #expect(try outcome("postgresql:///", variables) == refusal(.passwordRefused))
            try set(0o600)
            variables["PGPASSFILE"] = nil
            // Before version 15, libpq takes the folder from the list of users.
            if PQlibVersion() >= 150_000 {
                variables["HOME"] = folder.path
                #expect(try outcome("postgresql:///", variables) == "saved tag")
            }
        }
    }

    @Test("A service's name stands for the entries of its file, in the URL or as a variable")
    func services() throws {
        secured.make(database)
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("services")
            let text = """
                [shop]
                host=127.0.0.1
                port=\(secured.port)
                dbname=\(database)
                user=me
                """
            try Data(text.utf8).write(to: file)
            let variables = [
                "PGSERVICEFILE": file.path, "PGPASSWORD": SecuredServer.password, "HOME": "/nowhere",
            ]
            #expect(try outcome("postgresql:///", variables.merging(["PGSERVICE": "shop"]) { $1 }) == "saved tag")
            #expect(try outcome("postgresql:///?service=shop", variables) == "saved tag")
        }
    }

    @Test("The URL sets the time to wait for a connection, else the variable does")
    func connectTimeout() throws {
        let deaf = try DeafServer()
        func message(_ query: String) throws -> String {
            let child = try ChildProgram(
                "postgresql-child", ["postgresql://me@127.0.0.1:\(deaf.port)/d?\(query)", "open", "tag"],
                environment: ["PGCONNECT_TIMEOUT": "2"])
            return child.wait().output
        }
        for (query, seconds) in [("", 2), ("connect_timeout=3", 3)] {
            let message = try message(query)
            #expect(message.hasPrefix(refusal(.unreachable)))
            #expect(message.contains("did not answer within \(seconds) seconds"), "\(message)")
        }
    }
}
#endif
