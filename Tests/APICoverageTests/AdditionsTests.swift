import APICoverage
import Foundation
import Testing

@Suite("The list of additions")
struct AdditionsTests {
    /// Symbols with comments, as the compiler describes them.
    private static func graph(_ symbols: [(path: [String], kind: String, comment: [String])]) throws -> Data {
        let symbols = symbols.map { symbol -> [String: Any] in
            [
                "kind": ["identifier": symbol.kind], "pathComponents": symbol.path,
                "docComment": ["lines": symbol.comment.map { ["text": $0] }],
            ]
        }
        return try JSONSerialization.data(withJSONObject: ["symbols": symbols])
    }

    @Test("A row has the symbol and the first sentence; symbols of Apple's and cases have none")
    func table() throws {
        var additions = Additions()
        try additions.add(
            Self.graph([
                (
                    ["Shelf", "sort(by:)"], "swift.method",
                    ["Sorts by a | b, see ``Shelf/Board/width``.", "", "OpenCoreData only."]
                ),
                (
                    ["Board"], "swift.struct",
                    ["A board of", "a shelf. It is wide.", "", "OpenCoreData only. See below."]
                ),
                (["Shelf", "sort(by:)"], "swift.method", ["Sorts by a key path.", "", "OpenCoreData only."]),
                (["Shelf"], "swift.class", ["A shelf.", "", "Not in the list."]),
                (["Kind", "wide"], "swift.enum.case", ["A kind.", "", "OpenCoreData only."]),
            ]))
        #expect(
            additions.table == """
                | symbol | what it does | why | test |
                |---|---|---|---|
                | `Board` | A board of a shelf | | |
                | `Shelf.sort(by:)` | Sorts by a key path | | |
                | `Shelf.sort(by:)` | Sorts by a \\| b, see `width` | | |
                """)
    }
}
