import CoreData
import Foundation
import TestSupport
import Testing

/// Processes that work on one store for a while, with everything that disturbs them. The time is that of `bin/test
/// --soak MINUTES`, and some seconds otherwise.
@Suite(.serialized)
struct SoakTests {
    private static let minutes = ProcessInfo.processInfo.environment["OPENCOREDATA_SOAK"].flatMap(Double.init)

    @Test("Processes that save, batch, read, purge and migrate lose nothing and grow by nothing")
    func files() throws {
        let run = try SoakRun(processes: Self.minutes == nil ? 3 : 8, usesSmallDisk: Self.minutes != nil)
        try run.work(seconds: Self.minutes.map { $0 * 60 } ?? 6)
        try run.end()
        try run.checkFiles()
    }

    #if PostgreSQL
        @Test(
            "The same on a PostgreSQL server",
            .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
        func server() throws {
            let database = try TestDatabase()
            let run = try SoakRun(processes: Self.minutes == nil ? 3 : 8, usesSmallDisk: false, database.url)
            try run.work(seconds: Self.minutes.map { $0 * 60 } ?? 6)
            try run.end()
        }
    #endif
}
