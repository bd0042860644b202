import Foundation
import TestSupport
import Testing

@Suite(
    "The studio on stores that CloudKit mirrors", .enabled(if: StudioBuild.isPresent, "\(StudioBuild.absence)"))
struct MirroredStudioTests {
    @Test("The page and the standard error say it with the numbers, and a save leaves CloudKit's tables as they are")
    func mirrored() throws {
        try withTemporaryFolder { folder in
            let store = try StudioLibrary.make(in: folder, history: true)
            let before = try withStudio(store) { try $0.read("store") }
            #expect(before["mirror"].isNull)
            let numbers = try MirroredStore.mirror(store)
            let account = try MirroredStore.account(of: store)
            let words =
                "\(numbers.records) records, \(numbers.uploads) pending uploads, \(numbers.deletions) pending deletions"
            let process = try StudioProcess(store, ["--write"])
            let client = try StudioClient(process)
            let overview = try client.read("store")
            #expect(overview["mirror"].text == words)
            _ = try client.write("edit/set", #"{"id":"Book/1","key":"title","value":"other"}"#)
            _ = try client.write("edit/save")
            #expect(process.end() == 0)
            #expect(
                process.errors.contains("CloudKit mirrors the store: \(words); a device uploads"), "\(process.errors)")
            #expect(try MirroredStore.account(of: store) == account)
            #expect(try RawDatabase(store).column("SELECT ZTITLE FROM ZBOOK WHERE Z_PK = 1") == [.text("other")])
        }
    }
}
