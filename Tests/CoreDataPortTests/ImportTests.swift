import Testing

@testable import CoreDataPort

@Suite("Porting imports")
struct ImportTests {
    @Test("A file that names the framework's types gets its import, behind the first one that is always there")
    func missing() throws {
        let ported = try Ported(
            """
            // Notes.
            #if os(macOS)
            import AppKit
            #endif
            import Foundation // for Date
            import Kit
            struct Store { let context: NSManagedObjectContext }
            """)
        #expect(
            ported.text == """
                // Notes.
                #if os(macOS)
                import AppKit
                #endif
                import Foundation // for Date
                import CoreData
                import Kit
                struct Store { let context: NSManagedObjectContext }
                """)
        #expect(
            try Ported("let a: NSPredicate = NSPredicate(format: \"a = 1\")\n").text?.hasPrefix("import CoreData\nlet")
                == true)
    }

    @Test("The new import is public where the file's imports state their access")
    func access() throws {
        let ported = try Ported("public import Foundation\npublic let a: ValueTransformer\n")
        #expect(ported.text == "public import Foundation\npublic import CoreData\npublic let a: ValueTransformer\n")
    }

    @Test(
        "It is not added where nothing needs it",
        arguments: [
            "import CoreData\nlet a: NSManagedObject", "import class CoreData.NSManagedObject\nlet a: NSManagedObject",
            "let a: NSPredicate, b = NSPredicate(value: true)", "let a = \"NSManagedObject\" // NSManagedObject",
            "class NSExpression {}\nlet a = NSExpression()", "f(ValueTransformer: 1)",
            "#if canImport(UIKit)\nlet a: NSManagedObject\n#endif\nlet b = 1", "let a = Other.NSManagedObject.self",
        ])
    func present(source: String) throws {
        #expect(try Ported(source).porting.changed.isEmpty)
    }

    @Test("A part of Foundation that lies in another module on Linux gets an import where it is used")
    func foundation() throws {
        let ported = try Ported(
            """
            import Foundation
            func load(_ url: URL) -> URLRequest { URLRequest(url: url) }
            """)
        #expect(
            ported.text == """
                import Foundation
                #if canImport(FoundationNetworking)
                import FoundationNetworking
                #endif
                func load(_ url: URL) -> URLRequest { URLRequest(url: url) }
                """)
        #expect(
            try Ported("import Foundation\nextension URLRequest {}\n").text?.contains("FoundationNetworking") == true)
        #expect(try Ported("import FoundationXML\nlet a: XMLParser").porting.changed.isEmpty)
        #expect(try Ported(ported.text ?? "").porting.changed.isEmpty)
    }

    @Test("The import of a header becomes one of the module")
    func headers() throws {
        let ported = try Ported(
            "import CoreData.NSFetchRequest\nimport Foundation.NSDate\nimport struct Foundation.Date\n")
        #expect(ported.text == "import CoreData\nimport Foundation\nimport struct Foundation.Date\n")
    }

    @Test("An import for the sake of parts that Foundation has on Linux becomes Foundation; others get a note")
    func replaceable() throws {
        let ported = try Ported("import CoreData\nimport CoreGraphics\nlet a: CGFloat = 1\n")
        #expect(ported.text == "import CoreData\nimport Foundation\nlet a: CGFloat = 1\n")
        #expect(try Ported("import UIKit\nlet a = Date()\n").text == "import Foundation\nlet a = Date()\n")
        #expect(try Ported("import UIKit\nlet a: UIColor\n").byHand.count == 1)
        #expect(try Ported("import CoreGraphics\nlet a: CGColor\n").byHand.count == 1)
        #expect(
            try Ported("import ObjectiveC\nclass A: NSObject {}\n").text == "import Foundation\nclass A: NSObject {}\n")
        #expect(try Ported("import ObjectiveC\nlet a = objc_getClass(b)\n").byHand.count == 1)
        #expect(try Ported("import AppKit\nlet a = Date()\n").byHand.count == 1)
        #expect(
            try Ported("import UniformTypeIdentifiers\nlet a = Date()\n").text == "import Foundation\nlet a = Date()\n")
        #expect(try Ported("import UniformTypeIdentifiers\nlet a = UTType.json\n").byHand.count == 1)
        #expect(try Ported("import CoreLocation\nlet a = Date()\n").byHand.isEmpty)
        #expect(try Ported("import CoreLocation\nlet a: CLLocation\n").byHand.count == 1)
    }

    @Test("A name that is Foundation's on a Mac and the framework's here changes its module")
    func qualified() throws {
        let ported = try Ported(
            """
            import class Foundation.ValueTransformer
            let a = Foundation.UndoManager(), b = Foundation.Date(), c = x.Foundation.UndoManager
            """)
        #expect(
            ported.text == """
                import class CoreData.ValueTransformer
                let a = CoreData.UndoManager(), b = Foundation.Date(), c = x.Foundation.UndoManager
                """)
    }

    @Test("The framework's name for key paths brings its import")
    func keyPathNames() throws {
        let ported = try Ported("extension AnyKeyPath { var name: String? { _kvcKeyPathString } }")
        #expect(ported.text == "import CoreData\nextension AnyKeyPath { var name: String? { managedKeyPath } }")
    }
}
