import CoreData
import TestSupport
import Testing

/// Packages that use the plugin, built by the package manager. Each builds the framework anew, which takes minutes.
@Suite(
    "Packages with the plugin", .serialized,
    .enabled(
        if: ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] != nil, "takes minutes: bin/test --long runs it"))
struct PackageTests {
    /// Builds a package and returns its output.
    @discardableResult
    private func build(_ folder: URL, _ configuration: String) throws -> Toolchain.Outcome {
        try Toolchain.run(
            try #require(Toolchain.program("swift")), ["build", "-c", configuration, "--package-path", folder.path])
    }

    /// The output of a built program.
    private func output(of program: String, _ folder: URL, _ configuration: String) throws -> String {
        try Toolchain.run(folder.appendingPathComponent(".build/\(configuration)/\(program)").path, []).text
    }

    @Test("The example builds from clean and runs, in debug and release")
    func example() throws {
        let folder = try TemporaryFolder()
        let package = folder.url.appendingPathComponent("Library")
        try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
        let example = Toolchain.package.appendingPathComponent("Examples/Library")
        try FileManager.default.copyItem(
            at: example.appendingPathComponent("Sources"), to: package.appendingPathComponent("Sources"))
        let manifest = try String(contentsOf: example.appendingPathComponent("Package.swift"), encoding: .utf8)
            .replacingOccurrences(of: "path: \"../..\"", with: "path: \"\(Toolchain.package.path)\"")
        try Data(manifest.utf8).write(to: package.appendingPathComponent("Package.swift"))
        for configuration in ["debug", "release"] {
            let outcome = try build(package, configuration)
            #expect(outcome.status == 0, "\(outcome.text)")
            #expect(try output(of: "library", package, configuration).contains("all is well"))
        }
        let source = package.appendingPathComponent("Sources/Catalogue/Book.swift")
        let text = try String(contentsOf: source, encoding: .utf8)
        try Data(text.replacingOccurrences(of: "var language:", with: "var tongue:").utf8).write(to: source)
        let outcome = try build(package, "debug")
        #expect(outcome.status != 0)
        #expect(outcome.text.contains("Book.swift:14:27: error: 'tongue' is not a property of entity 'Book'"))
    }

    @Test(
        "Declared models are compiled into the bundle, none counts twice; a target that imports Foundation alone has aliases"
    )
    func resourceModels() throws {
        let folder = try TemporaryFolder()
        func write(_ path: String, _ text: String) throws {
            let url = folder.url.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        try write(
            "Package.swift",
            """
            // swift-tools-version: 6.1
            import PackageDescription
            let package = Package(
                name: "Resourceful",
                dependencies: [.package(name: "OpenCoreData", path: "\(Toolchain.package.path)")],
                targets: [
                    .executableTarget(
                        name: "app", dependencies: ["terms", .product(name: "CoreData", package: "OpenCoreData")],
                        resources: [.process("Entities.xcdatamodeld"), .copy("Copied.xcdatamodeld"), .process("More")],
                        plugins: [.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")]),
                    .target(
                        name: "terms", dependencies: [.product(name: "CoreData", package: "OpenCoreData")],
                        plugins: [.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")]),
                ])
            """)
        try write(
            "Sources/terms/Terms.swift",
            """
            import Foundation
            public struct Term {
                package let condition: NSComparisonPredicate
                public init(_ key: NSExpression, is value: NSExpression) {
                    condition = NSComparisonPredicate(
                        leftExpression: key, rightExpression: value, modifier: .direct, type: .equalTo)
                }
            }
            """)
        for (path, entity) in [
            ("Entities.xcdatamodeld/Entities", "One"), ("Copied.xcdatamodeld/Copied", "Two"),
            ("More/Deep/Inner.xcdatamodeld/Inner", "Three"), ("More/Lone", "Four"),
        ] {
            try write("Sources/app/\(path).xcdatamodel/contents", "<model><entity name='\(entity)'/></model>")
        }
        try write(
            "Sources/app/main.swift",
            """
            import CoreData
            import terms
            print(Term(NSExpression(forKeyPath: "a"), is: NSExpression(forConstantValue: 1)).condition)
            for (name, suffix) in [("Entities", "momd"), ("Copied", "momd"), ("Inner", "momd"), ("Lone", "mom")] {
                let url = Bundle.module.url(forResource: name, withExtension: suffix)!
                print(NSManagedObjectModel(contentsOf: url)!.entities.map { $0.name! })
            }
            print(NSManagedObjectModel.mergedModel(from: [Bundle.module])!.entitiesByName.keys.sorted())
            print(NSPersistentContainer(name: "Inner").managedObjectModel.entities.count)
            """)
        let outcome = try build(folder.url, "debug")
        #expect(outcome.status == 0, "\(outcome.text)")
        #expect(
            try output(of: "app", folder.url, "debug") == """
                a == 1
                ["One"]
                ["Two"]
                ["Three"]
                ["Four"]
                ["Four", "One", "Three", "Two"]
                1

                """)
    }

    @Test("A hundred classes in two modules build and run; when nothing changed nothing is built")
    func hundredClasses() throws {
        let folder = try TemporaryFolder()
        let package = GeneratedPackage(folder: folder.url, classes: 100)
        try package.write()
        for configuration in ["debug", "release"] {
            let outcome = try build(folder.url, configuration)
            #expect(outcome.status == 0, "\(outcome.text)")
            #expect(try output(of: "app", folder.url, configuration).contains("4950"))
            try build(folder.url, configuration)
            let again = try build(folder.url, configuration)
            // The package manager prints for a plugin that it compiles it even when it does not.
            let compiled = again.text.split(separator: "\n").filter {
                $0.contains("Compiling") && !$0.contains("Compiling plugin")
            }
            #expect(compiled.isEmpty && !again.text.contains("accessors"), "\(again.text)")
        }
    }
}
