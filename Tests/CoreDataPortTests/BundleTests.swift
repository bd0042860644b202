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
        "A class of the own target gets the module's bundle where the target has resources",
        arguments: [
            "Bundle(for: Note.self)", ".init(for: Note.self)", "Bundle.init(for: Kit.Note.self)",
            "Bundle(for: type(of: self))",
        ])
    func own(expression: String) throws {
        let ported = try ported(expression, in: "Sources/Kit/A.swift")
        #expect(ported.text("Sources/Kit/A.swift") == "import CoreData\nlet a: Bundle = Bundle.module\n")
        #expect(ported.byHand == [])
    }

    @Test("Each bundle of a list is one, not only the first")
    func listedTogether() throws {
        let list = "f(from: [.init(for: Note.self), .init(for: Note.self)], other: [.init(for: Note.self), 1])"
        let ported = try ported(list, in: "Sources/Kit/A.swift")
        #expect(
            ported.text("Sources/Kit/A.swift")
                == "import CoreData\nlet a: Bundle = f(from: [Bundle.module, Bundle.module], "
                + "other: [.init(for: Note.self), 1])\n")
    }

    @Test("The module's is among all bundles, where there is one")
    func all() throws {
        let result = "import CoreData\nlet a: Bundle = f((Bundle.allBundles + [Bundle.module]))\n"
        #expect(try ported("f(Bundle.allBundles)", in: "Sources/Kit/A.swift").text("Sources/Kit/A.swift") == result)
        let again = try ported("f((Bundle.allBundles + [Bundle.module]))", in: "Sources/Kit/A.swift")
        #expect(again.text("Sources/Kit/A.swift") == nil)
        #expect(try ported("f(Bundle.allBundles)", in: "Sources/Plain/A.swift").text("Sources/Plain/A.swift") == nil)
    }

    @Test(
        "The framework finds the bundle of other targets' and unknown classes, and of targets without resources",
        arguments: [
            ("Tests/KitTests/A.swift", "Note.self"), ("Sources/Plain/A.swift", "Plain.self"),
            ("Sources/Kit/A.swift", "kind"), ("Elsewhere/A.swift", "SUT.self"),
            ("Tests/KitTests/A.swift", "Loader<Any, String>.self"),
        ])
    func other(file: String, type: String) throws {
        let ported = try ported("Bundle(for: \(type))", in: file)
        #expect(ported.text(file) == "import CoreData\nlet a: Bundle = Bundle.withResources(of: \(type))\n")
        let inferred = try self.ported(".init(for: \(type))", in: file)
        #expect(inferred.text(file) == "import CoreData\nlet a: Bundle = Bundle.withResources(of: \(type))\n")
        #expect(ported.byHand.isEmpty)
        let own = try self.ported("Bundle(for: KitTests.self)", in: "Tests/KitTests/A.swift")
        #expect(own.text("Tests/KitTests/A.swift")?.contains("= Bundle.module") == true)
    }

    @Test("The target of a file that comes to need the framework gets it")
    func needy() throws {
        let ported = try Ported([
            "Package.swift": manifest, "Tests/KitTests/A.swift": "import XCTest\nlet a = Bundle(for: Note.self)\n",
            "Sources/Kit/Note.swift": "import CoreData\nclass Note: NSManagedObject {}\n",
        ])
        #expect(
            ported.text("Tests/KitTests/A.swift")
                == "import XCTest\nimport CoreData\nlet a = Bundle.withResources(of: Note.self)\n")
        #expect(ported.text("Package.swift")?.contains("dependencies: [\"Kit\", .product(name: \"CoreData\"") == true)
    }

    @Test("The bundle of a framework by its identifier is that of the target, where that has resources")
    func identified() throws {
        let forced = try ported("Bundle(identifier: \"org.kit\")!", in: "Sources/Kit/A.swift")
        #expect(forced.text("Sources/Kit/A.swift") == "import CoreData\nlet a: Bundle = Bundle.module\n")
        #expect(forced.hints.count == 1)
        let asked = try ported("Bundle(identifier: \"org.kit\") ?? .main", in: "Sources/Kit/A.swift")
        #expect(
            asked.text("Sources/Kit/A.swift")
                == "import CoreData\nlet a: Bundle = Optional(Bundle.module) ?? .main\n")
        #expect(try ported("Bundle(identifier: name)", in: "Sources/Kit/A.swift").text("Sources/Kit/A.swift") == nil)
        let plain = try ported("Bundle(identifier: \"org.kit\")", in: "Sources/Plain/A.swift")
        #expect(plain.text("Sources/Plain/A.swift") == nil)
    }

    @Test("A bundle in a list of bundles is ported, too")
    func listed() throws {
        let ported = try Ported(
            """
            import CoreData
            let a = NSManagedObjectModel.mergedModel(from: [.init(for: Note.self)])
            let b: [Bundle] = [.init(for: Note.self)]
            let c = [.init(for: Note.self)]
            """)
        #expect(
            ported.text == """
                import CoreData
                let a = NSManagedObjectModel.mergedModel(from: [Bundle.withResources(of: Note.self)])
                let b: [Bundle] = [Bundle.withResources(of: Note.self)]
                let c = [.init(for: Note.self)]
                """)
    }

    @Test("The result of a function or a property of type Bundle is a bundle")
    func returned() throws {
        let ported = try Ported(
            """
            import CoreData
            func a() -> Bundle { .init(for: Note.self) }
            func b() -> Bundle? { if f { return .init(for: Note.self) } else { return nil } }
            var c: Bundle { get { return .init(for: Note.self) } }
            let d: Bundle = { .init(for: Note.self) }()
            func e() -> Other { return .init(for: Note.self) }
            """)
        #expect(
            ported.text == """
                import CoreData
                func a() -> Bundle { Bundle.withResources(of: Note.self) }
                func b() -> Bundle? { if f { return Bundle.withResources(of: Note.self) } else { return nil } }
                var c: Bundle { get { return Bundle.withResources(of: Note.self) } }
                let d: Bundle = { Bundle.withResources(of: Note.self) }()
                func e() -> Other { return .init(for: Note.self) }
                """)
        #expect(ported.hints.map { $0.prefix(5) } == ["6:29:"])
    }

    @Test("A note explains how to write a bundle where no type shows that one is made")
    func untold() throws {
        let ported = try Ported("import CoreData\nload(.init(for: Note.self))\nload(.init(for: count))")
        #expect(ported.text == nil)
        #expect(ported.hints.count == 1)
        #expect(ported.hints.first?.contains("'Bundle.withResources(of:)'") == true)
    }

    @Test("The default value of a parameter names nothing internal, as a caller outside the module takes it, too")
    func defaultValue() throws {
        let ported = try Ported([
            "Package.swift": manifest,
            "Sources/Kit/Note.swift": """
            import CoreData
            public class Note: NSManagedObject {
                static func load(_ n: Int = 1, in bundle: Bundle = Bundle(for: Note.self)) {}
                public init(_ all: [Bundle] = [.main, .init(for: Note.self)]) { f(of: Bundle(for: Note.self)) }
            }
            """,
            "Sources/Kit/Model.xcdatamodeld/Model.xcdatamodel/contents": "<model>\(notes)</model>",
        ])
        #expect(
            ported.text("Sources/Kit/Note.swift") == """
                import CoreData
                public class Note: NSManagedObject {
                    static func load(_ n: Int = 1, in bundle: Bundle = Bundle.withResources(of: Note.self)) {}
                    public init(_ all: [Bundle] = [.main, Bundle.withResources(of: Note.self)]) { f(of: Bundle.module) }
                }
                """)
    }

    @Test("A forced identifier of a bundle becomes the name of the process where there is none")
    func identifiers() throws {
        let ported = try Ported(
            """
            import CoreData
            let a = Bundle.main.bundleIdentifier!
            let b = Logger(subsystem: Bundle.main.bundleIdentifier!, category: "b")
            let c = Bundle(for: Note.self).bundleIdentifier!.count
            let d = Bundle.main.bundleIdentifier ?? "d"
            let e = app.bundleIdentifier!, f = Bundle.main.bundleIdentifier != nil
            """)
        #expect(
            ported.text == """
                import CoreData
                let a = (Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName)
                let b = Logger(subsystem: (Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName), category: "b")
                let c = (Bundle.withResources(of: Note.self).bundleIdentifier ?? ProcessInfo.processInfo.processName).count
                let d = Bundle.main.bundleIdentifier ?? "d"
                let e = app.bundleIdentifier!, f = Bundle.main.bundleIdentifier != nil
                """)
    }
}
