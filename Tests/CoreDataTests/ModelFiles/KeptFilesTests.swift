import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("The content that is kept of files", .leavesNothingBehind)
struct KeptFilesTests {
    @Test("The content unused for the longest time goes when there is too much; content that fails to load is not kept")
    func limit() throws {
        try withTemporaryFolder { folder in
            let kept = KeptFiles<String>(limit: 20_000)
            var made: [String] = []
            func use(_ name: String) throws -> String {
                let url = folder.appendingPathComponent(name)
                return try kept.use(url, read: { try Data(contentsOf: $0) }) { data in
                    made.append(name)
                    if data.isEmpty { throw CocoaError(.fileReadCorruptFile) }
                    return (String(decoding: data, as: UTF8.self), 9_000)
                } _: {
                    $0
                }
            }
            for name in ["a", "b", "c", "d"] {
                try Data((name == "d" ? "" : name).utf8).write(to: folder.appendingPathComponent(name))
            }
            for name in ["a", "b", "a", "c", "a"] { #expect(try use(name) == name) }
            #expect(made == ["a", "b", "c"])
            #expect(try use("b") == "b")
            #expect(made == ["a", "b", "c", "b"])
            for _ in 0..<2 { #expect(throws: CocoaError.self) { try use("d") } }
            #expect(made.filter { $0 == "d" }.count == 2)
            #expect(throws: CocoaError.self) { try use("nowhere") }
        }
    }
}
