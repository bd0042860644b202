import Testing

@testable import CoreDataPort

@Suite("Porting private classes with @NSManaged")
struct PrivateClassTests {
    @Test("They become internal with the private types they name; a name that other files use is changed")
    func opened() throws {
        let ported = try Ported([
            "NoteTests.swift": """
            import CoreData
            private let request = NSFetchRequest<Data>(entityName: "Data"), other = Foundation.Data()
            private class Data: NSManagedObject {
                @NSManaged var kind: Kind
                private var text = "\\(Data.self)"
            }
            private enum Kind: Int { case a }
            private struct Other {}
            let cast = Data.fetchRequest() as! NSFetchRequest<Kit.Data>
            let made = NSFetchRequest<NSFetchRequestResult>(entityName: "D") as! NSFetchRequest<Data>
            fileprivate final class Plain {}
            """, "A.swift": "import Foundation\nlet a = Data()\n",
        ])
        #expect(
            ported.text("NoteTests.swift") == """
                import CoreData
                private let request = NSFetchRequest<NoteTestsData>(entityName: "Data"), other = Foundation.Data()
                class NoteTestsData: NSManagedObject {
                    @NSManaged var kind: Kind
                    private var text = "\\(NoteTestsData.self)"
                }
                enum Kind: Int { case a }
                private struct Other {}
                let cast = NSFetchRequest<Kit.Data>(entityName: NoteTestsData.entity().name ?? "")
                let made = NSFetchRequest<NoteTestsData>(entityName: "D")
                fileprivate final class Plain {}
                """)
        #expect(ported.text("A.swift") == nil)
        #expect(
            ported.byHand.isEmpty && ported.hints.count == 1 && ported.hints[0].hasPrefix("3:15: the private 'Data'"))
    }

    @Test("So does a private class whose name is asked for, which Foundation on Linux does not return")
    func named() throws {
        let ported = try Ported(
            """
            import CoreData
            private final class Note: NSManagedObject { static let name = NSStringFromClass(Note.self) }
            private final class Other: NSManagedObject { static let name = "Other" }
            """)
        #expect(
            ported.text == """
                import CoreData
                final class Note: NSManagedObject { static let name = NSStringFromClass(Note.self) }
                private final class Other: NSManagedObject { static let name = "Other" }
                """)
    }
}
