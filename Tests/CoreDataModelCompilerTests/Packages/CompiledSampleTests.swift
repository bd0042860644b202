import CoreData
import TestSupport
import Testing

/// The example package, compiled by hand against the framework as these tests have it: quick, and closer to the
/// compiler's settings than a package build.
@Suite(
    "The example, compiled and run", .serialized,
    .enabled(if: Toolchain.program("swiftc") != nil, "swiftc is not in PATH"),
    .enabled(if: !Toolchain.objects(of: "CoreData").isEmpty, "the framework's object files are not beside the tests"))
struct CompiledSampleTests {
    private static let example = Toolchain.package.appendingPathComponent("Examples/Library/Sources")

    /// How the samples are compiled, one of them now and the other one at the next commit.
    private static func optimisations(_ name: String) -> [[String]] {
        Sample.slice([["-Onone"], ["-O", "-whole-module-optimization"]], oneIn: 2, name)
    }

    @Test(
        "Private, internal, public and open members, types of other modules, methods and generated classes work",
        arguments: optimisations("a"))
    func example(optimisation: [String]) throws {
        let shelves = try SampleModule("Shelves", readingFrom: Self.example.appendingPathComponent("Shelves"))
        var catalogue = try SampleModule("Catalogue", readingFrom: Self.example.appendingPathComponent("Catalogue"))
        catalogue.dependencies = [shelves]
        let folder = try TemporaryFolder()
        for module in [shelves, catalogue] {
            try module.run()
            try compile(
                ["-parse-as-library", "-emit-module", "-module-name", module.name, "-c"] + optimisation
                    + module.compiledFiles, in: folder)
        }
        let resources = folder.url.appendingPathComponent("Library_Catalogue.resources")
        try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: catalogue.bundle, to: resources.appendingPathComponent("Catalogue.momd"))
        let modules = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasSuffix(".o") }
        try compile(
            optimisation + [Self.example.appendingPathComponent("library/main.swift").path] + modules
                + Toolchain.objects(of: "CoreData")
                + ["-lsqlite3", "-lz", "-o", "library"], in: folder)
        let outcome = try Toolchain.run(folder.url.appendingPathComponent("library").path, [])
        #expect(outcome.status == 0, "\(outcome.text)")
        #expect(outcome.text.contains("all is well"))
    }

    @Test(
        "Nested, generic, isolated and overridden members, keywords as names, inherited nested types work",
        arguments: optimisations("b"))
    func shapes(optimisation: [String]) throws {
        let kit = try SampleModule("Kit", ["Kit.swift": ShapesSample.module, "Guarded.swift": ShapesSample.guarded])
        try kit.run()
        let folder = try TemporaryFolder()
        try compile(
            ["-parse-as-library", "-emit-module", "-module-name", "Kit", "-package-name", "sample", "-c"] + optimisation
                + kit.compiledFiles, in: folder)
        let main = folder.url.appendingPathComponent("main.swift")
        try Data(ShapesSample.program.utf8).write(to: main)
        let modules = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasSuffix(".o") }
        try compile(
            optimisation + [main.path] + modules + Toolchain.objects(of: "CoreData") + [
                "-lsqlite3", "-lz", "-Xlinker", "--gc-sections", "-o", "shapes",
            ],
            in: folder)
        #expect(try Toolchain.run(folder.url.appendingPathComponent("shapes").path, []).text == ShapesSample.output)
    }

    private func compile(_ arguments: [String], in folder: TemporaryFolder) throws {
        let outcome = try Toolchain.run(
            try #require(Toolchain.program("swiftc")),
            ["-swift-version", "6", "-warnings-as-errors", "-I", folder.url.path] + Toolchain.importing + arguments,
            in: folder.url)
        try #require(outcome.status == 0, "\(outcome.text)")
    }
}
