import Testing

@testable import CoreDataPort

@Suite("Code for Apple's systems alone")
struct SystemTests {
    @Test(
        "An import stays for the systems that have the module, if no compiled code needs it",
        arguments: [
            // Other code needs a module that hands Foundation on.
            (
                "import SwiftUI\nlet a = Date()",
                "#if canImport(SwiftUI)\nimport SwiftUI\n#else\nimport Foundation\n#endif\nlet a = Date()"
            ),
            (
                "import XCTest\nimport Foundation\nimport SwiftUI\nclass A: XCTestCase {\n#if os(macOS)\nlet a: Text\n"
                    + "#endif\n}",
                "import XCTest\nimport Foundation\n#if canImport(SwiftUI)\nimport SwiftUI\n#endif\nclass A: XCTestCase {\n"
                    + "#if os(macOS)\nlet a: Text\n#endif\n}"
            ),
        ])
    func imports(input: String, output: String) throws {
        let ported = try Ported(input)
        #expect(ported.text == output)
        #expect(ported.byHand.isEmpty)
    }

    @Test(
        "An import that code needs is reported, or its file is left out",
        arguments: [
            "import SwiftUI\nlet a = \"\\(Text(b))\"", "import Accounts; let a = 1",
            "#if canImport(SwiftUI)\nimport SwiftUI\n#endif\nlet a = 1",
        ])
    func neededImports(input: String) throws {
        let text = try Ported(input).text ?? input
        #expect(!text.contains("\n#endif\n#endif") && !text.contains("#else"))
        #expect(text.hasPrefix("#if") == input.hasPrefix("#if") || text.hasSuffix("#endif\n"))
    }

    @Test("A file that only hashes for its own callers is left out with the module for that")
    func hashes() throws {
        let ported = try Ported([
            "A.swift": "import CommonCrypto\nextension String { var sum: Int32 { CC_SHA1_DIGEST_LENGTH } }\n",
            "B.swift": "import CryptoKit\nlet a = SHA256.self\n", "C.swift": "let c = a\n",
        ])
        #expect(ported.text("A.swift")?.hasPrefix("#if canImport(CommonCrypto)\n") == true)
        #expect(ported.byHand.count == 1 && ported.byHand[0].contains("there is no module 'CryptoKit' on Linux"))
    }

    @Test("Functions that tie an object to another one need the framework")
    func associatedObjects() throws {
        let ported = try Ported(
            "import Foundation\nimport ObjectiveC\nlet a = objc_getAssociatedObject(b, &c)\n")
        #expect(
            ported.text
                == "import Foundation\nimport CoreData\nimport Foundation\nlet a = objc_getAssociatedObject(b, &c)\n")
        #expect(ported.byHand.isEmpty)
    }

    @Test(
        "A statement that sets up the mirroring is left out as a whole",
        arguments: [
            ("self.cloudKitContainerOptions =\n    NSPersistentCloudKitContainerOptions(containerIdentifier: a)", 2),
            ("a.cloudKitContainerOptions?.databaseScope = .public", 1),
            ("try self.initializeCloudKitSchema(\n    options: [.dryRun])", 2),
        ])
    func mirroring(statement: String, lines: Int) throws {
        let ported = try Ported("func f() {\n\(statement)\n}\n")
        #expect(ported.text == "func f() {\n#if canImport(CloudKit)\n\(statement)\n#endif\n}\n")
        #expect(ported.byHand.isEmpty)
    }

    @Test(
        "Other code for CloudKit is reported",
        arguments: [
            "let a = b.cloudKitContainerOptions ?? NSPersistentCloudKitContainerOptions(containerIdentifier: c)",
            "if let a = b as? NSPersistentCloudKitContainer { f(a) }",
            "switch a { case is NSPersistentCloudKitContainer: f() }",
        ])
    func moreOfCloudKit(code: String) throws {
        let ported = try Ported("func f() {\n\(code)\n}\n")
        #expect(ported.text == nil)
        #expect(ported.byHand.allSatisfy { $0.contains("there is no CloudKit on Linux") } && ported.byHand.count == 1)
    }

    @Test(
        "A condition gets a branch for Linux only where other code needs what each branch declares",
        arguments: [
            ("#if os(iOS) || os(tvOS) // flat\nlet a = 1\n#elseif os(macOS)\nlet a = 2\n#endif\nf(\"\\(a)\")", true),
            ("#if os(iOS)\nlet a = 1\n#elseif os(macOS)\nlet a = 2\n#else\nlet a = 3\n#endif\nf(a)", false),
            ("#if os(iOS)\nlet a = 1\n#elseif os(macOS)\nlet a = 2\n#endif", false),
            ("#if os(iOS)\nlet a = 1\n#elseif os(macOS)\nlet b = 2\n#endif\nf(a)", false),
            ("#if os(iOS)\nlet a = 1\n#elseif os(Linux)\nlet a = 2\n#endif\nf(a)", false),
            ("#if os(iOS) && DEBUG\nlet a = 1\n#elseif os(macOS)\nlet a = 2\n#endif\nf(a)", false),
            ("func g() {\n#if os(iOS)\nlet a = 1\n#endif\n}\nf(a)", false),
        ])
    func branches(input: String, isChanged: Bool) throws {
        let ported = try Ported(input)
        let range = input.range(of: "os(tvOS)") ?? input.startIndex..<input.startIndex
        let changed = input.replacingCharacters(in: range, with: "os(tvOS) || os(Linux)")
        #expect(ported.text == (isChanged ? changed : nil))
        #expect(ported.byHand.contains { $0.contains("no branch is for Linux, and line 6 needs 'a'") } == isChanged)
    }

    @Test(
        "A text with values stays what the source says; one with a format is reported",
        arguments: [
            ("String(localized: \"\\(a) of \\(b)\")", "\"\\(a) of \\(b)\"", 0),
            ("String(localized: \"\\(a, specifier: \"%d\")\")", nil, 1),
        ] as [(String, String?, Int)])
    func texts(input: String, output: String?, reports: Int) throws {
        let ported = try Ported("let c = \(input)")
        #expect(ported.text == output.map { "let c = \($0)" })
        #expect(ported.byHand.count == reports)
    }

    @Test(
        "The characters of a text are the text; a property of that name stays",
        arguments: [
            ("let b = a?.characters ?? c", "let b = a ?? c"), ("let b = a?.characters.first", "let b = a?.first"),
            ("extension String { func f() { g(characters) } }", "extension String { func f() { g(self) } }"),
            ("let b = \"x\".characters == c", "let b = \"x\" == c"),
            ("let b = a.characters()", nil), ("struct S { var characters: [Int] }\nlet b = a.characters", nil),
            ("let a: AttributedString\nlet b = a.characters", nil), ("a.characters = b", nil),
        ] as [(String, String?)])
    func characters(input: String, output: String?) throws {
        #expect(try Ported(input).text == output)
    }

    @Test(
        "Code for managed objects alone may announce changes by key",
        arguments: [
            "protocol P: NSManagedObject {}\nextension P { ",
            "protocol O: NSManagedObject {}\nprotocol P: AnyObject, O {}\nextension P { ",
            "protocol P {}\nextension P where Self: NSManagedObject { ",
            "class O: Operation {}\nclass A: O { ",
            "class M: NSManagedObject {}\nprotocol P {}\nextension P where Self: M { ",
        ])
    func announcedChanges(head: String) throws {
        let ported = try Ported("import CoreData\n\(head)func f() { willChangeValue(forKey: \"a\") } }")
        #expect(ported.byHand.isEmpty)
    }
}
