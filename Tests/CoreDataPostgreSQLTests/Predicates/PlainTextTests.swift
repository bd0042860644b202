#if PostgreSQL
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Conditions on texts that the program decides, and their part that the server can decide.
@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PlainTextTests {
    @Test("The server refuses plain texts before the program reads them, except for LIKE and MATCHES")
    func refused() throws {
        let library = try Library(.postgreSQL)
        #expect(try library.psql("INSERT INTO tag (name) VALUES ('abc'), ('bcd'), ('ä')") != nil)
        let store = try #require(library.store as? SQLStore)
        #expect(store.types?.narrowsTexts == true)
        /// The texts that the program reads for a condition; nil if these are all texts.
        func read(_ function: SQLExpression.Function, _ argument: String) throws -> [String]? {
            let condition = SQLExpression.function(
                function, [.column("name"), .value(.string(argument)), .value(.int(0))])
            guard let narrowed = TextCondition.narrowing(condition) else { return nil }
            var texts: [String] = []
            try store.database.readOnce { connection in
                let select = SQLSelect([.column("name")], of: "tag", where: narrowed)
                try connection.prepare(.select(select)).rows { texts.append($0.string(0)) }
            }
            return texts.sorted()
        }
        #expect(try read(.equalText, "abc") == ["abc", "ä"])
        #expect(try read(.contains, "cd") == ["bcd", "ä"])
        #expect(try read(.beginsWith, "b") == ["bcd", "ä"])
        #expect(try read(.endsWith, "c") == ["abc", "ä"])
        #expect(try read(.like, "a*") == nil)
        #expect(try read(.matches, "a.*") == nil)
    }
}
#endif
