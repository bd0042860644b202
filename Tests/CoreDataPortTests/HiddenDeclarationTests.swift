import Testing

@testable import CoreDataPort

@Suite("Declarations that conditions leave out, and that other code needs")
struct HiddenDeclarationTests {
    @Test("Types and functions are reported with the condition and the first place that needs them")
    func reported() throws {
        let ported = try Ported([
            "A.swift": """
            import Foundation
            #if canImport(ObjectiveC)
            extension NSObject {
                func tie(_ a: Int, by key: String) {}
                func move(to place: Int) {}
            }
            #elseif os(macOS)
            final class Panel {}
            func tie(_ a: Int) {}
            #endif
            #if canImport(UIKit)
            struct Colour {}
            func paint() {}
            #else
            #endif
            #if os(Linux)
            #else
            func unused() {}
            protocol Kept {}
            #endif
            """,
            "B.swift": """
            import Foundation
            let a = object.tie(1, by: "b")
            move(from: 1)
            struct S: Kept { var colour: Colour?; func f() { paint() } }
            """,
        ])
        #expect(
            ported.byHand.map { $0.replacing(ported.folder.url.path + "/", with: "") } == [
                "2:1: 'tie' is left out on Linux, and B.swift, line 2, needs it: write one for Linux, or leave its users out, too",
                "11:1: 'Colour' is left out on Linux, and B.swift, line 4, needs it: write one for Linux, or leave its users "
                    + "out, too",
                "17:1: 'Kept' is left out on Linux, and B.swift, line 4, needs it: write one for Linux, or leave its users out, "
                    + "too",
            ])
    }

    @Test(
        "Nothing is reported where Linux has one, no code uses it, or its users are left out as well",
        arguments: [
            "#if os(macOS)\nfunc f() {}\n#else\nfunc f() {}\n#endif\nlet a = f()",
            "#if os(macOS)\nclass C {}\nlet a = C()\n#endif",
            "#if os(macOS)\nclass C {}\n#endif\nimport UIKit\nlet a = C()",
            "#if os(macOS)\nimport class AppKit.NSView\n#endif\nlet a = NSView()",
            "class A: B {\n#if os(macOS)\noverride func f() {}\n#endif\n}\nlet a = b.f()",
        ])
    func silent(source: String) throws {
        #expect(try Ported(source).byHand.filter { $0.contains("is left out on Linux") } == [])
    }
}
