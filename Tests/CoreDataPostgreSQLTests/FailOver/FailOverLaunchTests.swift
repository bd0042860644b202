#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

// Programs that start while a store is migrated, and a primary that dies then.
@Suite(
    .serialized, .waiting,
    .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct FailOverLaunchTests {
    /// A coordinator that migrates, and the launch library.
    private static let programs = [["migration-crash-child"], ["postgresql-child", "launch"]]
    private static let (processes, books) = Sample.isWhole ? (8, 1_000) : (4, 300)

    @Test(
        "Processes begin to migrate, and the primary dies: one migrates, and all open the store",
        arguments: Sample.slice(programs, oneIn: 2, "launching"))
    func launching(program: [String]) throws {
        let cluster = try PostgreSQLCluster(isSynchronous: true)
        try cluster.make(database: "launch")
        let url = cluster.url(ofDatabase: "launch")
        try PostgreSQLLaunchTests.fill(url, books: Self.books)
        let outputs = Locked<[String]>([])
        let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for _ in 0..<Self.processes {
            Thread.detachNewThread {
                var isDone = false
                // A program whose migration fails is started again.
                while !isDone {
                    guard
                        let child = try? ChildProgram(
                            program[0], [url.absoluteString] + program.dropFirst(),
                            environment: ["OPENCOREDATA_TRIAL_TRACE": "1"])
                    else { break }
                    while let line = child.line() {
                        outputs.withLock { $0.append(String(line)) }
                        if line.hasPrefix("moment") || line == "migrating" { begun.signal() }
                        if line == "done" { isDone = true }
                    }
                    child.waitForEnd()
                }
                ended.signal()
            }
        }
        begun.wait()
        try cluster.kill(0)
        try cluster.promote()
        for _ in 0..<Self.processes { ended.wait() }
        let lines = outputs.withLock { $0 }
        #expect(lines.filter { $0 == "done" }.count == Self.processes)
        // None where the server died behind the commit, and before its answer.
        #expect(lines.filter { $0 == "moment committed" }.count <= 1, "\(lines)")
        try withStore(url, ModelText.model(CrashModels.newer), type: NSPostgreSQLStoreType) { context in
            let count = try context.all("Volume").count
            #expect(count == Self.books)
        }
    }
}
#endif
