import TestSupport
import Testing

/// The table of the article 'Observing' in the mode of Swift 5. `ObservedChangesTests` plays it in that of Swift 6.
@Suite("Trackings of Observation see every change of an object in the language mode of Swift 5")
struct ObservedModeTests {
    @Test("Each way to change a value fires exactly the properties that differ, once")
    func ways() throws {
        #if swift(>=6)
        Issue.record("The target has the mode of Swift 6.")
        #endif
        try ObservedWay.playAll()
    }
}
