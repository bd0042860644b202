import Testing

@testable import CoreDataPort

@Suite("Files for modules that Linux does not have")
struct GuardedFileTests {
    private static func guarded(_ ported: Ported) -> [String] {
        ported.porting.changed.filter { String(decoding: $0.bytes, as: UTF8.self).contains("#if canImport") }
            .map(\.file.path)
    }

    @Test("Files of no target need nothing of the targets: no package compiles them")
    func strays() throws {
        let files = [
            "Sources/Kit/Screen.swift": "import SwiftUI\nstruct Screen: View {}\n",
            "Sources/Kit/Kit.swift": "let a = 1\n",
            "App/App.swift": "import Kit\nlet screen = Screen()\n",
        ]
        func manifest(_ targets: String) -> String {
            "// swift-tools-version: 6.0\nlet package = Package(name: \"K\", targets: \(targets))\n"
        }
        let ported = try Ported(files.merging(["Package.swift": manifest("[.target(name: \"Kit\")]")]) { $1 })
        #expect(Self.guarded(ported) == ["Sources/Kit/Screen.swift"])
        // Without a manifest, and with one whose targets are not written out, each file counts.
        #expect(try Self.guarded(Ported(files)) == [])
        #expect(try Self.guarded(Ported(files.merging(["Package.swift": manifest("make()")]) { $1 })) == [])
    }

    @Test("A file that no other code needs goes behind a condition as it is, below its first comment")
    func whole() throws {
        let ported = try Ported(
            """
            // A screen.

            import MapKit
            import SwiftUI
            import CoreData
            import class UIKit.UIImage

            @objc(Screen) class Screen: View { let map: MKMapView; let key = #keyPath(Note.title) }
            """, model: notes)
        #expect(
            ported.text == """
                // A screen.

                #if canImport(MapKit) && canImport(SwiftUI) && canImport(UIKit)
                import MapKit
                import SwiftUI
                import CoreData
                import class UIKit.UIImage

                @objc(Screen) class Screen: View { let map: MKMapView; let key = #keyPath(Note.title) }
                #endif

                """)
        #expect(ported.byHand.isEmpty)
        #expect(ported.hints == ["3:1: the file is for MapKit, SwiftUI, UIKit alone, and is left out on Linux"])
    }

    @Test("So do files that need each other, and types by whose name alone something can be used")
    func together() throws {
        let ported = try Ported([
            "A.swift": "import UIKit\nclass A: UIView { var title = B.make() }\nextension A { func save() {} }\n",
            "B.swift":
                "import UIKit\nenum B { static func make() -> UIColor { .red } }\nextension UIColor { init(a: Int) {} }\n",
            "C.swift": "import Foundation\nstruct C { var title = 1; func save() {}; func make() {} }\n",
            "Tests/AT.swift":
                "import UIKit\nimport XCTest\nfinal class AT: XCTestCase { func testA() { _ = A() as UIView } }\n",
        ])
        #expect(Self.guarded(ported).sorted() == ["A.swift", "B.swift", "Tests/AT.swift"])
        #expect(ported.byHand.isEmpty)
    }

    @Test(
        "A file stays, and its import is reported, if other code needs it",
        arguments: [
            ("class A: UIView {}", "let a = A()"),
            ("func paint() -> UIColor { .red }", "paint()"),
            ("let shade = UIColor.red", "f(shade)"),
            ("let shade = UIColor.red", "f(\"\\(shade)\")"),
            ("extension Note { var shade: UIColor { .red } }", "f(note.shade)"),
            ("extension Note: Shaded { func a(_ b: UIColor) {} }", "class Note {}"),
            ("extension Note { convenience init(_ a: UIColor) {} }", "class Note {}\nlet a = Note(b)"),
            ("extension Box { init(a: UIColor, b: Int) {} }", "class Box<B> {}\nlet a = Box<[Int]>(a: b, b: 1)"),
            ("extension Box { init(a: UIColor = .red, b: Int) {} }", "class Box {}\nlet a = Box(b: 1)"),
            ("extension Box { init() { f(UIColor.red) } }", "class Box {}\nlet a = Box()"),
            ("extension Box { init?<T>(a b: UIColor) {} }", "class Box {}\nlet a: Box = .init(a: b)"),
            ("extension Note { subscript(_ a: UIColor) -> Int { 1 } }", "class Note {}"),
            ("enum A { case b(UIColor) }\nextension Int { func a() {} }", "1.a()"),
        ])
    func needed(file: String, user: String) throws {
        let ported = try Ported(["A.swift": "import UIKit\n\(file)\n", "B.swift": "import Foundation\n\(user)\n"])
        #expect(Self.guarded(ported) == [])
        #expect(ported.byHand.map { $0.prefix(32) } == ["1:8: there is no module 'UIKit' "])
    }

    @Test("A file stays that is needed by one that stays")
    func chained() throws {
        let ported = try Ported([
            "A.swift": "import UIKit\nclass A: UIView {}\n", "B.swift": "import UIKit\nclass B { let a = A() }\n",
            "C.swift": "import Foundation\nlet b = B()\n", "D.swift": "import UIKit\nlet b = UIColor.red\n",
        ])
        #expect(Self.guarded(ported) == [])
    }

    @Test("An initialiser of a type that others name is needed by calls with its first label alone")
    func otherInitializers() throws {
        let ported = try Ported([
            "A.swift": "import UIKit\nextension Box { init(a: UIColor) {}; init() {} }\n",
            "B.swift":
                "import Foundation\nstruct Box<T> { init(b: T) {} }\nlet a = Box(b: f(a: 1))\nlet b = Box<Int>(c)\nclass B { init(a: Int) {} }\n",
        ])
        #expect(Self.guarded(ported) == ["A.swift"])
    }

    @Test("What is private in a file is not needed by others")
    func privateNames() throws {
        let ported = try Ported([
            "A.swift": """
            import UIKit
            private extension Date { static let now = Date(); init(a: UIColor) {} }
            extension Date { private var b: UIColor { .red } }
            fileprivate let c = 1

            """,
            "B.swift": "import Foundation\nf(Date.now, b, c, Date(a: 1))\n",
        ])
        #expect(Self.guarded(ported) == ["A.swift"])
    }

    @Test("An extension that names the absent module with the type is for that alone")
    func qualified() throws {
        let ported = try Ported([
            "A.swift": "import SwiftUI\nextension SwiftUI.FetchRequest { init(_ a: Int) {}; func b() {} }\n",
            "B.swift": "import Foundation\nstruct FetchRequest { func b() {} }\n",
        ])
        #expect(Self.guarded(ported) == ["A.swift"])
    }

    @Test(
        "A file stays with a class of a model, which no source has to name, and one that uses nothing of its module",
        arguments: [
            "import UIKit\nimport CoreData\nclass Note: NSManagedObject { @NSManaged var colour: UIColor }\n",
            "import Security\nlet a = SecKey()\n", "import UIKit\nlet a = Date()\n",
            "#if os(iOS)\nimport UIKit\n#endif\nlet a = 1\n", "import Combine\nlet a = Just(1)\n",
        ])
    func kept(file: String) throws {
        #expect(try Self.guarded(Ported(file, model: notes)) == [])
    }

    @Test("A file that is ported by itself stays, since what other files need is not known")
    func single() throws {
        let ported = try Ported(["A.swift": "import UIKit\nclass A: UIView {}\n"])
        #expect(Self.guarded(ported) == ["A.swift"])
        let tree = try SourceTree(ported.folder.url.appendingPathComponent("A.swift").path)
        #expect(try Porting(tree, models: []).changed.isEmpty)
    }

    @Test("A file stays if a target of the package stands in for its module")
    func standIn() throws {
        let ported = try Ported([
            "Package.swift": """
            // swift-tools-version: 5.9
            let package = Package(name: "N", targets: [.target(name: "UIKit"), .target(name: "Kit")])
            """,
            "Sources/UIKit/A.swift": "public class UIView {}",
            "Sources/Kit/B.swift": "import UIKit\nclass B: UIView {}\n",
        ])
        #expect(Self.guarded(ported) == [])
        #expect(ported.byHand.isEmpty)
    }
}
