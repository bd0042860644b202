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

    @Test("Targets that constants name are found, wherever the constants stand")
    func constants() throws {
        let ported = try Ported([
            "Package.swift": """
            // swift-tools-version: 6.0
            let coreName = "Core", other = 1
            enum Names {
                static let sources = "Sources/"
                static let text: String = "Text" + suffix
            }
            let suffix = "Kit"
            let textTarget = Target.target(name: Names.text, path: Names.sources + "Text")
            let round = "\\(round)"
            let all: [Target] = [
                .target(name: coreName),
                textTarget,
                .testTarget(name: "\\(coreName)Tests"),
                .target(name: round),
            ]
            let package = Package(name: coreName, targets: all)
            """,
            "Sources/Core/A.swift": "import CoreData\n", "Sources/Text/A.swift": "import CoreData\n",
            "Tests/CoreTests/A.swift": "import CoreData\n",
        ])
        #expect(
            ported.text("Package.swift") == """
                // swift-tools-version: 6.0
                let coreName = "Core", other = 1
                enum Names {
                    static let sources = "Sources/"
                    static let text: String = "Text" + suffix
                }
                let suffix = "Kit"
                let textTarget = Target.target(name: Names.text, dependencies: [\(Self.product)], path: Names.sources + \
                "Text", plugins: [\(Self.plugin)])
                let round = "\\(round)"
                let all: [Target] = [
                    .target(name: coreName, dependencies: [\(Self.product)], plugins: [\(Self.plugin)]),
                    textTarget,
                    .testTarget(name: "\\(coreName)Tests", dependencies: [\(Self.product)], plugins: [\(Self.plugin)]),
                    .target(name: round),
                ]
                let package = Package(name: coreName, dependencies: [\(Self.dependency)], targets: all)
                """)
        #expect(ported.byHand.isEmpty)
    }

    private static let logging =
        ".product(name: \"OSLogging\", package: \"OpenCoreData\", condition: .when(platforms: [.linux]))"

    @Test(
        "A target that logs gets the product for it, and no plugin; one that has its own module, or asks first, does not"
    )
    func logging() throws {
        let manifest = """
            // swift-tools-version: 6.0
            let package = Package(name: "Kit", targets: [.target(name: "Kit"), .target(name: "Text"), .target(name: "Lock")])
            """
        let files = [
            "Package.swift": manifest, "Sources/Kit/A.swift": "import struct os.Logger\n",
            "Sources/Text/A.swift": "#if canImport(os)\nimport os\n#endif\n",
            "Sources/Lock/A.swift": "import Foundation\nlet lock = OSAllocatedUnfairLock()\n",
        ]
        let ported = try Ported(files)
        #expect(
            ported.text("Package.swift") == """
                // swift-tools-version: 6.0
                let package = Package(name: "Kit", dependencies: [\(Self.dependency)], targets: [.target(name: "Kit", \
                dependencies: [\(Self.logging)]), .target(name: "Text"), .target(name: "Lock", dependencies: \
                [\(Self.logging)])])
                """)
        #expect(
            ported.text("Sources/Lock/A.swift") == "import Foundation\nimport os\nlet lock = OSAllocatedUnfairLock()\n")
        #expect(ported.byHand.isEmpty && ported.porting.changed.count == 2)
        var options = PortOptions()
        options.logging = false
        let without = try Ported(files, options: options)
        #expect(without.porting.changed.isEmpty)
        #expect(without.byHand.map { $0.prefix(5) } == ["1:15:", "2:12:"].map { $0.prefix(5) }, "\(without.byHand)")
        let own = [
            "Package.swift": manifest.replacing("\"Text\"", with: "\"os\""), "Sources/Kit/A.swift": "import os\n",
        ]
        #expect(try Ported(own).porting.changed.isEmpty)
    }

    @Test("Beside other packages, which may ask for the module os, the modules have another name")
    func loggingBesidePackages() throws {
        let manifest = """
            // swift-tools-version: 6.0
            let package = Package(name: "Kit", dependencies: [.package(url: "https://example.org/a", from: "1.0.0")], \
            targets: [.target(name: "Kit")])
            """
        let files = [
            "Package.swift": manifest, "Sources/Kit/A.swift": "import Foundation\nimport struct os.Logger\n",
            "Sources/Kit/B.swift": "@preconcurrency import os.log // why\nlet a = os.Logger(b), os: Int\n",
            "Sources/Kit/C.swift": "import Foundation\nlet lock = OSAllocatedUnfairLock()\n",
        ]
        let ported = try Ported(files)
        #expect(
            ported.text("Sources/Kit/A.swift")
                == "import Foundation\n#if canImport(OSLoggingCore)\nimport struct OSLoggingCore.Logger\n#else\n"
                + "import struct os.Logger\n#endif\n")
        #expect(
            ported.text("Sources/Kit/B.swift")
                == "#if canImport(OSLoggingCore)\n@preconcurrency import OSLoggingCore\n#else\n"
                + "@preconcurrency import os.log\n#endif // why\nlet a = Logger(b), os: Int\n")
        #expect(
            ported.text("Sources/Kit/C.swift")
                == "import Foundation\n#if canImport(OSLoggingCore)\nimport OSLoggingCore\n#endif\n"
                + "let lock = OSAllocatedUnfairLock()\n")
        let product = Self.logging.replacing("OSLogging", with: "OSLoggingCore")
        #expect(ported.text("Package.swift")?.contains("dependencies: [\(product)]") == true)
        #expect(ported.byHand.isEmpty)
        var again = files
        for path in files.keys { again[path] = ported.text(path) }
        #expect(try Ported(again).porting.changed.isEmpty)
    }

    @Test("OpenCombine takes the place of Combine where the user asks for it, and is said")
    func combine() throws {
        let files = [
            "Package.swift": """
            // swift-tools-version: 6.0
            let package = Package(name: "Kit", targets: [.target(name: "Kit")])
            """,
            "Sources/Kit/A.swift":
                "@preconcurrency public import Combine // why\nlet a: Combine.Just<Int>, b: Just<Combine.Own>",
            "Sources/Kit/B.swift": "enum Own {}",
        ]
        var options = PortOptions()
        options.combine = true
        let ported = try Ported(files, options: options)
        func product(_ name: String) -> String {
            ".product(name: \"\(name)\", package: \"OpenCombine\", condition: .when(platforms: [.linux]))"
        }
        #expect(
            ported.text("Package.swift") == """
                // swift-tools-version: 6.0
                let package = Package(name: "Kit", dependencies: [.package(url: \
                "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0")], targets: [.target(name: "Kit", \
                dependencies: [\(product("OpenCombine")), \(product("OpenCombineFoundation")), \
                \(product("OpenCombineDispatch"))])])
                """)
        #expect(
            ported.text("Sources/Kit/A.swift") == """
                #if canImport(Combine)
                @preconcurrency public import Combine
                #else
                @preconcurrency public import OpenCombine
                @preconcurrency public import OpenCombineFoundation
                @preconcurrency public import OpenCombineDispatch
                #endif // why
                let a: Just<Int>, b: Just<Combine.Own>
                """)
        #expect(ported.hints == ["2:65: the target 'Kit' uses OpenCombine on Linux, in place of Combine"])
        #expect(ported.byHand.count == 1 && ported.byHand[0].contains("the module is OpenCombine on Linux"))
        var second = files
        second["Sources/Kit/A.swift"] = ported.text("Sources/Kit/A.swift")
        second["Package.swift"] = ported.text("Package.swift")
        #expect(try Ported(second, options: options).porting.changed.isEmpty)
        let without = try Ported(files)
        #expect(without.byHand.count == 1 && without.byHand[0].contains("'--combine' writes the package OpenCombine"))
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

    @Test("Targets that are not written out are reported, with a file that needs them")
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
