#if PostgreSQL
import CoreDataPostgreSQL
import Testing

@testable import CoreData

@Suite("Failures of servers")
struct PostgreSQLFailureTests {
    @Test("The framework and programs know one list of values")
    func values() {
        #expect(PostgreSQLFailure.allCases.map(\.rawValue) == ServerFailure.allCases.map(\.rawValue))
        #expect(NSPostgreSQLFailureKey == ServerFailure.userInfoKey)
    }
}
#endif
