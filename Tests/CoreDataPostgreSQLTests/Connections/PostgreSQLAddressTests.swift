#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

struct PostgreSQLAddressTests {
    private func address(_ text: String) throws -> PostgreSQLAddress {
        let url = try #require(URL(string: text))
        return try #require(PostgreSQLAddress(url))
    }

    private func setting(_ name: String, _ address: PostgreSQLAddress) -> String? {
        address.settings.last { $0.0 == name }?.1
    }

    @Test("Times stand in the URL or among the options; the URL's come first, and libpq sees neither")
    func times() throws {
        var address = try address("postgresql://h/d?statement_timeout=5s&sslmode=disable")
        address.take([
            NSPostgreSQLStatementTimeoutOption: 9, NSPostgreSQLLockTimeoutOption: 0.25,
            NSPostgreSQLConnectTimeoutOption: 3,
        ])
        #expect(setting("dbname", address) == "postgresql://h/d?sslmode=disable")
        #expect(setting("connect_timeout", address) == "3")
        let settings = Dictionary(uniqueKeysWithValues: address.sessionSettings.map { ($0.name, $0.value) })
        #expect(settings["statement_timeout"] == "5s")
        #expect(settings["lock_timeout"] == "250ms")
        #expect(settings["timezone"] == "UTC")
    }

    @Test("A second address leads to the server itself; options for the session are then set for each transaction")
    func direct() throws {
        let pooled = try address("postgresql://pooler:6432/d?direct=db.example.com:5433&options=-csearch_path%3Dx")
        #expect(pooled.isPooled && pooled.leadsToPooler && !pooled.direct.leadsToPooler)
        #expect(setting("host", pooled) == nil)
        #expect(setting("host", pooled.direct) == "db.example.com")
        #expect(setting("port", pooled.direct) == "5433")
        #expect(setting("dbname", pooled) == "postgresql://pooler:6432/d")
        #expect(pooled.sessionSettings.contains(.init(name: "search_path", value: "x")))
        let other = try address("postgresql:///d?host=/tmp/a&direct=%5B::1%5D:1")
        #expect(setting("host", other.direct) == "::1")
        #expect(try !address("postgresql://h/d?options=-csearch_path%3Dx").isPooled)
    }

    @Test("Options for the session may have blanks in them behind a backslash, as libpq has it")
    func blanks() throws {
        let options = #"-c search_path="My\ \\Shop" --lock-timeout=5s"#
        let text = try #require(options.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let pooled = try address("postgresql://pooler/d?direct=db&options=\(text)")
        #expect(pooled.sessionSettings.contains(.init(name: "search_path", value: #""My \Shop""#)))
        #expect(pooled.sessionSettings.contains(.init(name: "lock_timeout", value: "5s")))
    }

    @Test("The number of a pooler's host does not stand for the server's")
    func directHost() throws {
        let pooled = try address("postgresql://pooler/d?hostaddr=10.0.0.1&sslmode=disable&direct=db:5433")
        #expect(setting("dbname", pooled) == "postgresql://pooler/d?hostaddr=10.0.0.1&sslmode=disable")
        #expect(setting("dbname", pooled.direct) == "postgresql://pooler/d?sslmode=disable&hostaddr=")
        let port = try address("postgresql://pooler/d?hostaddr=10.0.0.1&direct=")
        #expect(setting("dbname", port.direct) == "postgresql://pooler/d?hostaddr=10.0.0.1")
    }

    @Test("A password under a name that is misspelt is shown nowhere, and a file of passwords is")
    func misspelt() throws {
        for key in ["pasword", "passwrod", "Password", "pwd", "sslpassphrase", "my_secret"] {
            #expect(try address("postgresql://h/d?\(key)=s3cr1&port=1").description == "postgresql://h/d?port=1")
        }
        #expect(try address("postgresql://h/d?passfile=/f").description == "postgresql://h/d?passfile=/f")
    }

    @Test("Passwords are shown nowhere, wherever they stand in the URL")
    func passwords() throws {
        let url = try #require(
            URL(string: "postgresql://me:s3cr1%40@h:1/d?password=s3cr2&sslmode=require&sslpassword=s3cr3"))
        let address = try #require(PostgreSQLAddress(url))
        #expect(address.description == "postgresql://me@h:1/d?sslmode=require")
        #expect(url.shown.absoluteString == address.description)
        #expect(address.withoutPassword("s3cr1@ s3cr1%40 s3cr2 s3cr3") == "… … … …")
        let rest = try #require(URL(string: "postgresql://h/d?password=s3&cr1&port=1&keepalives"))
        #expect(rest.shown.absoluteString == "postgresql://h/d?port=1&keepalives")
        let error = NSError.coreData(NSPersistentStoreOpenError, reason: "r", url: url)
        let description = NSPersistentStoreDescription(url: url)
        for text in ["\(error) \(error.userInfo)", description.description] {
            for secret in ["s3cr1", "s3cr2", "s3cr3"] { #expect(!text.contains(secret)) }
        }
    }
}
#endif
