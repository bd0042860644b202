import SwiftData
import Testing

/// The classes of the tests of SwiftData, with some of these tests, in the mode of Swift 5. `SwiftDataTests` has them
/// in that of Swift 6.
@Suite("SwiftData in the language mode of Swift 5")
struct SwiftDataModeTests {
    @Test("The target has the mode, and its classes make a schema")
    func mode() throws {
        #if swift(>=6)
        Issue.record("The target has the mode of Swift 6.")
        #endif
        #expect(Schema(CabinetStore.schema).entities.count == CabinetStore.schema.count)
    }
}
