import CoreData
import Testing

@Test("import CoreData brings Foundation along")
func importBringsFoundation() {
    #expect(Date(timeIntervalSinceReferenceDate: 0) < Date())
}
