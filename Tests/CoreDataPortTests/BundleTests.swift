import Testing

@testable import CoreDataPort

@Suite("Porting bundles of classes")
struct BundleTests {
    private let manifest = """
        // swift-tools-version: 5.9
        import PackageDescription
        let package = Package(
            name: "Kit",
            targets: [
                .target(name: "Kit"),
                .target(name: "Plain"),
                .testTarget(name: "KitTests", dependencies: ["Kit"], resources: [.copy("Old.sqlite")]),
            ])
        """

    private func ported(_ expression: String, in path: String) throws -> Ported {
        try Ported([
            "Package.swift": manifest, path: "import CoreData\nlet a: Bundle = \(expression)\n",
            "Sources/Kit/Note.swift": "import CoreData\nclass Note: NSManagedObject {}\n",
            "Sources/Kit/Model.xcdatamodeld/Model.xcdatamodel/contents": "<model>\(notes)</model>",
            "Sources/Plain/Plain.swift": "class Plain {}\n", "Tests/KitTests/KitTests.swift": "class KitTests {}\n",
        ])
    }

    @Test(
        "In a target with resources it is the module's, for the target's own classes",
        arguments: [
            "Bundle(for: Note.self)", ".init(for: Note.self)", "Bundle.init(for: Kit.Note.self)",
            "Bundle(for: type(of: self))",
        ])
    func own(expression: String) throws {
        let ported = try ported(expression, in: "Sources/Kit/A.swift")
        #expect(ported.text("Sources/Kit/A.swift") == "import CoreData\nlet a: Bundle = Bundle.module\n")
        #expect(ported.byHand == [])
    }

    @Test("The module's is among all bundles, where there is one")
    func all() throws {
        let result = "import CoreData\nlet a: Bundle = f((Bundle.allBundles + [Bundle.module]))\n"
        #expect(try ported("f(Bundle.allBundles)", in: "Sources/Kit/A.swift").text("Sources/Kit/A.swift") == result)
        let again = try ported("f((Bundle.allBundles + [Bundle.module]))", in: "Sources/Kit/A.swift")
        #expect(again.text("Sources/Kit/A.swift") == nil)
        #expect(try ported("f(Bundle.allBundles)", in: "Sources/Plain/A.swift").text("Sources/Plain/A.swift") == nil)
    }

    @Test("Of another target's class it is told, with that target")
    func other() throws {
        let ported = try ported("Bundle(for: Note.self)", in: "Tests/KitTests/A.swift")
        #expect(ported.text("Tests/KitTests/A.swift") == nil)
        #expect(
            ported.byHand.count == 1 && ported.byHand[0].contains("let the target 'Kit' hand out its 'Bundle.module'"))
        let own = try self.ported("Bundle(for: KitTests.self)", in: "Tests/KitTests/A.swift")
        #expect(own.text("Tests/KitTests/A.swift")?.contains("= Bundle.module") == true)
    }

    @Test("Without resources, without a package, and of what cannot be told it is told")
    func told() throws {
        let plain = try ported("Bundle(for: Plain.self)", in: "Sources/Plain/A.swift").byHand
        #expect(plain.count == 1 && plain[0].contains("once the target 'Plain' has resources"))
        let unknown = try ported("Bundle(for: kind)", in: "Sources/Kit/A.swift").byHand
        #expect(unknown.count == 1 && unknown[0].contains("of the target that has the resources"))
        let alone = try Ported(
            "import CoreData\nlet a: Bundle = .init(for: Note.self)\nlet b = x(.init(for: Note.self))\n")
        #expect(alone.byHand.count == 1 && alone.byHand[0].hasPrefix("2:18: 'Bundle(for:)' is the program's folder"))
    }
}
