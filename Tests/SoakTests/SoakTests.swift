import CoreData
import Foundation
import TestSupport
import Testing

/// Processes that work on one store for a while, with everything that disturbs them.
///
/// They work for the minutes of `bin/test --soak MINUTES`, or for a few turns.
@Suite(.serialized)
struct SoakTests {
    private static let minutes = ProcessInfo.processInfo.environment["OPENCOREDATA_SOAK"].flatMap(Double.init)

    @Test("Processes that save, batch, read, purge and migrate lose nothing and grow by nothing")
    func files() throws {
        let run = try SoakRun(minutes: Self.minutes)
        try run.work()
        try run.end()
        try run.checkFiles()
    }

    #if PostgreSQL
    @Test(
        "Processes on a PostgreSQL server that save, batch, read, purge and migrate lose and leak nothing",
        .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
    func server() throws {
        let database = try TestDatabase()
        let run = try SoakRun(minutes: Self.minutes, database.url)
        try run.work()
        try run.end()
    }
    #endif
}
