import Testing

@testable import CoreDataPort

@Suite("Porting tests of the main actor")
struct MainActorTestTests {
    @Test("Tests become asynchronous where the class or the method is of the main actor; others and helpers stay")
    func tests() throws {
        let ported = try Ported([
            "A.swift": """
            import XCTest
            class Base: XCTestCase {}
            @MainActor
            final class A: Base {
                func testA() {}
                func testB() throws { f() }
                func testC() async {}
                func testD(_ a: Int) {}
                private func testE() {}
                nonisolated func testF() {}
                func help() {}
            }
            class B: XCTestCase {
                @MainActor func testA() { f() }
                func testB() {}
            }
            @MainActor class C { func testA() {} }
            @MainActor class D: XCTestCase, Specification { func testA() {} }
            """
        ])
        #expect(
            ported.text == """
                import XCTest
                class Base: XCTestCase {}
                @MainActor
                final class A: Base {
                    func testA() async {}
                    func testB() async throws { f() }
                    func testC() async {}
                    func testD(_ a: Int) {}
                    private func testE() {}
                    nonisolated func testF() {}
                    func help() {}
                }
                class B: XCTestCase {
                    @MainActor func testA() async { f() }
                    func testB() {}
                }
                @MainActor class C { func testA() {} }
                @MainActor class D: XCTestCase, Specification { @MainActor func testA() async {} }
                """)
        #expect(ported.byHand.isEmpty)
    }

    @Test("A test that waits stays, and is reported")
    func waiting() throws {
        let ported = try Ported(
            "import XCTest\n@MainActor class A: XCTestCase { func testA() { wait(for: [a], timeout: 1) } }")
        #expect(ported.porting.changed.isEmpty)
        #expect(ported.byHand.map { $0.prefix(38) } == ["2:39: XCTest on Linux stops when it fi"])
    }

    @Test(
        "Calls of a superclass's setUp() stay if they may do something, or no actor is left",
        arguments: [
            "@MainActor class A: BaseTests { override func setUp() async throws {\ntry await super.setUp()\n} }",
            "class A: XCTestCase { override func setUp() async throws {\ntry await super.setUp()\n} }",
            "@MainActor class A: XCTestCase { override func setUp() {\nsuper.setUp()\n} }",
        ])
    func otherSetUps(source: String) throws {
        let ported = try Ported([
            "A.swift": "import XCTest\n\(source)",
            "Package.swift":
                "// swift-tools-version: 6.0\nlet package = Package(name: \"N\", targets: [.testTarget(name: \"T\")])",
        ])
        #expect(ported.text("A.swift") == nil)
    }
}
