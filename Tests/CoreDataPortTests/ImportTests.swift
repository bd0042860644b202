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

    @Test("The macro Observable needs an import, which Foundation or SwiftData brings along on a Mac")
    func observableMacro() throws {
        let body = "\n@Observable final class A {}\n"
        #expect(try Ported("import Foundation" + body).text == "import Foundation\nimport Observation" + body)
        for known in ["import SwiftData", "import Observation", "import SwiftData\nimport SwiftUI"] {
            #expect(try Ported(known + body).text?.contains("import Observation\n@") != true, "\(known)")
        }
        #expect(try Ported("import RxSwift\nlet a: Observable<Int>\n").porting.changed.isEmpty)
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
        let lines = ported.porting.changed.first?.diff.split(separator: "\n").dropFirst(2)
        #expect(
            lines.map(Array.init) == [
                "@@ -1,2 +1,5 @@", " import Foundation", "+#if canImport(FoundationNetworking)",
                "+import FoundationNetworking", "+#endif",
                " func load(_ url: URL) -> URLRequest { URLRequest(url: url) }",
                "\\ No newline at end of file",
            ])
    }

    @Test("The import of a header becomes one of the module")
    func headers() throws {
        let ported = try Ported(
            "import CoreData.NSFetchRequest\nimport Foundation.NSDate\nimport struct Foundation.Date\n")
        #expect(ported.text == "import CoreData\nimport Foundation\nimport struct Foundation.Date\n")
    }

    @Test("An import for the sake of parts that Foundation has on Linux becomes Foundation; all others get a note")
    func replaceable() throws {
        let ported = try Ported("import CoreData\nimport CoreGraphics\nlet a: CGFloat = 1\n")
        #expect(ported.text == "import CoreData\nimport Foundation\nlet a: CGFloat = 1\n")
        #expect(try Ported("import UIKit\nlet a = Date()\n").text == "import Foundation\nlet a = Date()\n")
        #expect(try Ported("import UIKit\nlet a: UIColor\nf(a)\n").hints.count == 1)
        #expect(try Ported(["A.swift": "import CoreGraphics\nlet a: CGColor\n", "B.swift": "f(a)"]).byHand.count == 1)
        #expect(
            try Ported("import ObjectiveC\nclass A: NSObject {}\n").text == "import Foundation\nclass A: NSObject {}\n")
        #expect(try Ported("import ObjectiveC\nlet a = class_getName(b)\n").byHand.count == 1)
        #expect(try Ported("import Security\nlet a = Date()\n").byHand.count == 1)
        #expect(try Ported("import Darwin\nlet a = sin(1)\n").text == "import Foundation\nlet a = sin(1)\n")
        #expect(try Ported("import Darwin\nlet a = mach_absolute_time()\n").byHand.count == 1)
        #expect(
            try Ported("import UniformTypeIdentifiers\nlet a = Date()\n").text == "import Foundation\nlet a = Date()\n")
        #expect(try Ported("import UniformTypeIdentifiers\nlet a = UTType.json\n").hints.count == 1)
        #expect(try Ported("import CoreLocation\nlet a = Date()\n").byHand.isEmpty)
        #expect(try Ported("import CoreLocation\nlet a: CLLocation\n").hints.count == 1)
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

    private func manifest(_ features: String...) -> String {
        let settings = features.map { ".enableUpcomingFeature(\"\($0)\")" }.joined(separator: ", ")
        return """
            // swift-tools-version: 6.0
            let package = Package(name: "Kit", targets: [.target(name: "Kit", dependencies: ["OpenCoreData"], \
            swiftSettings: [\(settings)], plugins: ["CoreDataModelPlugin"])])
            // OpenCoreData
            """
    }

    @Test("Imports are public where public declarations show what they bring, if an import without a word is not")
    func internalImports() throws {
        let files = [
            "Package.swift": manifest("InternalImportsByDefault"),
            "Sources/Kit/A.swift": "public import Foundation\nimport CoreData\npublic func f(_ a: UndoManager) {}",
            "Sources/Kit/B.swift": "import CoreData\nfunc f(_ a: UndoManager) {}\npublic func g() { f(UndoManager()) }",
            "Sources/Kit/C.swift": "import Foundation\npublic struct C {\n    public var a: URLRequest\n}",
            "Sources/Kit/D.swift": "import Foundation\npublic let a = 1\nlet b = URLSession.shared, c: NSExpression",
            "Sources/Kit/F.swift": "import CoreData\npublic protocol P {\n    func f() -> UndoManager\n}",
            "Sources/Kit/E.swift": "internal import Foundation\npublic let a = 1\nlet c: NSExpression",
        ]
        let ported = try Ported(files)
        #expect(ported.text("Sources/Kit/F.swift")?.hasPrefix("public import CoreData\n") == true)
        #expect(
            ["A", "B", "C", "D", "E"].map { ported.text("Sources/Kit/\($0).swift")?.split(separator: "\n").prefix(5) }
                == [
                    ["public import Foundation", "public import CoreData", "public func f(_ a: UndoManager) {}"], nil,
                    [
                        "import Foundation", "#if canImport(FoundationNetworking)",
                        "public import FoundationNetworking",
                        "#endif", "public struct C {",
                    ],
                    [
                        "import Foundation", "import CoreData", "#if canImport(FoundationNetworking)",
                        "import FoundationNetworking", "#endif",
                    ],
                    [
                        "internal import Foundation", "internal import CoreData", "public let a = 1",
                        "let c: NSExpression",
                    ],
                ])
    }

    @Test("Members that the framework adds to Foundation bring its import, where each file imports for itself")
    func memberImports() throws {
        let file = "import Foundation\nlet a = b.predicateFormat\n"
        let ported = try Ported(["Package.swift": manifest("MemberImportVisibility"), "Sources/Kit/A.swift": file])
        #expect(ported.text == "import Foundation\nimport CoreData\nlet a = b.predicateFormat\n")
        #expect(try Ported(["Package.swift": manifest("Other"), "Sources/Kit/A.swift": file]).porting.changed.isEmpty)
    }

    @Test("An import of Observation is opened for public declarations, as CoreData's is")
    func observation() throws {
        func ported(_ declaration: String) throws -> String? {
            try Ported([
                "Package.swift": """
                // swift-tools-version: 6.0
                let package = Package(name: "Kit", targets: [.target(name: "Kit",
                    swiftSettings: [.enableUpcomingFeature("InternalImportsByDefault")])])
                """,
                "Sources/Kit/A.swift": "import Observation\n\(declaration)\n",
            ]).text("Sources/Kit/A.swift")
        }
        let shown = "public typealias A = Observation.Observable"
        #expect(try ported(shown) == "public import Observation\n\(shown)\n")
        #expect(try ported("@Observable final class A {}") == nil)
    }

    @Test("Own types of another target that Foundation has too are named by their module")
    func ownNames() throws {
        let ported = try Ported([
            "Package.swift": """
            // swift-tools-version: 6.0
            let package = Package(name: "Kit", targets: [.target(name: "Kit"), .target(name: "Store"),
                .target(name: "Text", dependencies: ["Kit"])])
            """,
            "Sources/Kit/A.swift":
                "public struct Predicate<T> {}\nlet a: Predicate<Int>\npublic class SortDescriptor {}",
            "Sources/Store/Store.swift": "public class Store {}\npublic enum Expression {}",
            "Sources/Text/A.swift": """
            import Foundation
            import Kit
            func f(Predicate: Int, by order: [SortDescriptor]) -> Predicate<Int> { #Predicate<Int> { _ in true } }
            extension Predicate { enum SortDescriptor {}; var a: SortDescriptor? { Kit.SortDescriptor() } }
            """,
            "Sources/Text/B.swift": "import Store\nlet a: Expression",
            "Sources/Text/C.swift": "import Foundation\nlet a: Predicate<Int>",
            "Sources/Text/D.swift": "import Kit\nfunc f<Predicate>(_ a: Predicate) {}",
            "Sources/Text/E.swift": "import Kit\nenum E { case Predicate(Int) }",
        ])
        #expect(
            ported.text("Sources/Text/A.swift") == """
                import Foundation
                import Kit
                func f(Predicate: Int, by order: [Kit.SortDescriptor]) -> Kit.Predicate<Int> { #Predicate<Int> { _ in true } }
                extension Kit.Predicate { enum SortDescriptor {}; var a: SortDescriptor? { Kit.SortDescriptor() } }
                """)
        #expect(ported.text("Sources/Text/B.swift") == "import Store\nimport enum Store.Expression\nlet a: Expression")
        #expect(ported.porting.changed.count == 2)
        #expect(ported.byHand.isEmpty)
    }

    @Test("Types of a module that has the name of a type are imported one by one, each once")
    func ownNamesOfModuleNamedAsType() throws {
        let ported = try Ported([
            "Package.swift": """
            // swift-tools-version: 6.0
            let package = Package(name: "Graph", targets: [.target(name: "Graph"),
                .testTarget(name: "GraphTests", dependencies: ["Graph"])])
            """,
            "Sources/Graph/A.swift": "class Graph {}\nstruct Predicate {}\nclass SortDescriptor {}",
            "Tests/GraphTests/A.swift": """
            import XCTest
            @testable import Graph
            func f(_ a: Predicate, _ b: Predicate, _ c: SortDescriptor) -> String { "\\(Predicate.self)" }
            """,
        ])
        #expect(
            ported.text == """
                import XCTest
                @testable import Graph
                @testable import struct Graph.Predicate
                @testable import class Graph.SortDescriptor
                func f(_ a: Predicate, _ b: Predicate, _ c: SortDescriptor) -> String { "\\(Predicate.self)" }
                """)
        #expect(ported.porting.changed.count == 1)
        #expect(ported.byHand.isEmpty)
    }
}
