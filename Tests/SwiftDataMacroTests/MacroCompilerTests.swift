import Foundation
import TestSupport
import Testing

@Suite(
    "Expansions, compiled and run", .serialized,
    .enabled(if: Toolchain.program("swiftc") != nil, "swiftc is not in PATH"))
struct MacroCompilerTests {
    private static let samples = Toolchain.package.appendingPathComponent("Tests/SwiftDataMacroTests/Samples")
    private static let plugin = Toolchain.products.appendingPathComponent("SwiftDataMacros-tool").path

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let outcome = try compile(
            ["-emit-module", "-parse-as-library", "-module-name", "SwiftData", "-c", "-wmo"], "SwiftData")
        try #require(outcome.status == 0, "\(outcome.text)")
    }

    private func compile(_ arguments: [String], _ sample: String) throws -> Toolchain.Outcome {
        try Toolchain.run(
            #require(Toolchain.program("swiftc")),
            arguments + ["-I", ".", "-load-plugin-executable", "\(Self.plugin)#SwiftDataMacros"]
                + [Self.samples.appendingPathComponent("\(sample).swift").path], in: folder.url)
    }

    @Test("Classes of all shapes compile without a warning, in each mode and isolation, and hold their values")
    func shapes() throws {
        for setting in [["-swift-version", "5"], ["-swift-version", "6", "-default-isolation", "MainActor"]] {
            let outcome = try compile(setting + ["-typecheck", "-parse-as-library", "-warnings-as-errors"], "Shapes")
            #expect(outcome.status == 0, "\(setting): \(outcome.text)")
        }
        let outcome = try compile(
            ["-swift-version", "6", "-parse-as-library", "-warnings-as-errors", "SwiftData.o", "-o", "shapes"], "Shapes"
        )
        try #require(outcome.status == 0, "\(outcome.text)")
        let run = try Toolchain.run(folder.url.appendingPathComponent("shapes").path, [])
        #expect(
            run.text == """
                dog w 3 true 36
                Q e ["age"] ["bark", "loud"]
                ["x"] 3 true 0
                7 ["key", "text", "kind", "list", "dictionary", "optional", "implicit", "closure", "leaves", "linux", \
                "#Unique", "#Index"]

                """)
    }

    @Test("Errors and warnings stand at the lines of their source")
    func diagnostics() throws {
        let outcome = try compile(["-swift-version", "6", "-typecheck", "-parse-as-library"], "Wrong")
        #expect(outcome.status == 1)
        for line in [
            "3:8: error: '@Model' can only be applied to a class",
            "10:9: error: a 'lazy' property cannot be persisted", "11:9: error: a persisted property needs",
            "12:25: error: 'd' is computed", "14:21: warning: 'didSet' of a persisted property is not called",
            "25:19: error: 'Harbour.ships' names 'Ship.harbour' as its inverse",
            "29:13: error: '@ModelActor' can only be applied to an actor",
        ] {
            #expect(outcome.text.contains("Wrong.swift:\(line)"), "\(line) is not in \(outcome.text)")
        }
    }
}
