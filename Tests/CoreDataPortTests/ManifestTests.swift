import CoreData
import TestSupport
import Testing

@testable import CoreDataPort

@Suite("Porting Package.swift")
struct ManifestTests {
    private func ported(_ manifest: String, _ files: [String: String] = [:]) throws -> Ported {
        var all = ["Package.swift": manifest, "Sources/Kit/A.swift": "import CoreData\n"]
        all.merge(files) { $1 }
        return try Ported(all)
    }

    private static let dependency = ".package(name: \"OpenCoreData\", path: \"/OpenCoreData\")"
    private static let product =
        ".product(name: \"CoreData\", package: \"OpenCoreData\", condition: .when(platforms: [.linux]))"
    private static let plugin = ".plugin(name: \"CoreDataModelPlugin\", package: \"OpenCoreData\")"

    @Test("Dependency, product, plugin and models go to the targets that need them, in the layout that is there")
    func targets() throws {
        let manifest = """
            // swift-tools-version: 5.9
            import PackageDescription

            let package = Package(
                name: "Kit",
                dependencies: [
                    .package(url: "https://example.org/a", from: "1.0.0"),  // why
                ],
                targets: [
                    .target(
                        name: "Kit",
                        dependencies: ["Plain", .product(name: "A", package: "a")],
                        swiftSettings: settings
                    ),
                    .target(name: "Plain"),
                    .testTarget(name: "KitTests", dependencies: ["Kit"], path: "Tests", resources: [.copy("Old")]),
                ]
            )
            """
        let ported = try ported(
            manifest,
            [
                "Sources/Plain/P.swift": "class P {}\n", "Tests/T.swift": "import Foundation\nlet a: NSManagedObject\n",
                "Sources/Kit/Models/M.xcdatamodeld/M.xcdatamodel/contents": "<model/>",
                "Tests/Old/M.xcdatamodeld/M.xcdatamodel/contents": "<model/>",
            ])
        #expect(
            ported.text("Package.swift") == """
                // swift-tools-version: 5.9
                import PackageDescription

                let package = Package(
                    name: "Kit",
                    dependencies: [
                        .package(url: "https://example.org/a", from: "1.0.0"),
                        \(Self.dependency),  // why
                    ],
                    targets: [
                        .target(
                            name: "Kit",
                            dependencies: ["Plain", .product(name: "A", package: "a"), \(Self.product)],
                            resources: [.process("Models/M.xcdatamodeld")],
                            swiftSettings: settings,
                            plugins: [\(Self.plugin)]
                        ),
                        .target(name: "Plain"),
                        .testTarget(name: "KitTests", dependencies: ["Kit", \(Self.product)], path: "Tests", \
                resources: [.copy("Old")], plugins: [\(Self.plugin)]),
                    ]
                )
                """)
        #expect(ported.byHand.isEmpty)
    }

    @Test("A second run changes nothing, and a package without need is left alone")
    func secondRun() throws {
        let manifest = """
            // swift-tools-version:6.0
            let package = Package(name: "Kit", targets: [.target(name: "Kit")])
            """
        let first = try ported(manifest)
        let text = try #require(first.text("Package.swift"))
        #expect(
            text == """
                // swift-tools-version:6.0
                let package = Package(name: "Kit", dependencies: [\(Self.dependency)], targets: [.target(name: "Kit", \
                dependencies: [\(Self.product)], plugins: [\(Self.plugin)])])
                """)
        #expect(try ported(text).porting.changed.isEmpty)
        #expect(try Ported(["Package.swift": manifest, "Sources/Kit/A.swift": "let a = 1\n"]).porting.changed.isEmpty)
    }

    @Test("Excluded files, and files outside the listed sources, need nothing")
    func excluded() throws {
        let manifest = """
            // swift-tools-version:6.0
            let package = Package(name: "Kit", targets: [
                .target(name: "Kit", path: ".", exclude: ["Tests/"], sources: ["Sources"]),
            ])
            """
        let files = [
            "Package.swift": manifest, "Sources/Kit/A.swift": "let a = 1\n", "Tests/T.swift": "import CoreData\n",
            "Other/O.swift": "import CoreData\n",
        ]
        #expect(try Ported(files).porting.changed.isEmpty)
    }

    @Test("Dependencies that are no list in place are added to")
    func computed() throws {
        let ported = try ported(
            """
            // swift-tools-version:6.0
            let package = Package(name: "Kit", dependencies: all, targets: [.target(name: "Kit", dependencies: [])])
            """)
        let text = ported.text("Package.swift")
        #expect(text?.contains("dependencies: all + [\(Self.dependency)], targets") == true)
        #expect(text?.contains("dependencies: [\(Self.product)], plugins: [") == true)
    }

    @Test("An old version of the tools is raised, and said; without one nothing is done, and said")
    func toolsVersion() throws {
        let old = try ported(
            "// swift-tools-version:5.0\nlet package = Package(name: \"Kit\", targets: [.target(name: \"Kit\")])\n")
        #expect(old.text("Package.swift")?.hasPrefix("// swift-tools-version:5.9\n") == true)
        #expect(old.hints.count == 1 && old.hints[0].hasPrefix("1:1: a plugin needs version 5.6"))
        let none = try ported("let package = Package(name: \"Kit\", targets: [.target(name: \"Kit\")])\n")
        #expect(none.text("Package.swift") == nil)
        #expect(none.byHand.count == 1 && none.byHand[0].contains("names no version of the tools"))
    }

    @Test("Targets that are not written out are told, with a file that needs them")
    func unreadable() throws {
        let ported = try ported("// swift-tools-version:6.0\nlet package = Package(name: \"Kit\", targets: targets)\n")
        #expect(ported.byHand.count == 1 && ported.byHand[0].contains("to which 'Sources/Kit/A.swift' belongs"))
    }

    @Test(
        "Unfinished and odd manifests do no harm",
        arguments: [
            "", "let package = Package(", "let package = Package(name: \"a\", targets: [.target(name: ",
            "Package(targets: [[(",
            "// swift-tools-version: x\nlet package = Package(targets: [.target(name: \"Kit\")])",
        ])
    func odd(manifest: String) throws {
        #expect(try ported(manifest).text("Package.swift") == nil)
    }
}
