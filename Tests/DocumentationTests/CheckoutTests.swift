import Foundation
import TestSupport
import Testing

@Suite("Programs that bin/checkouts ports")
struct CheckoutTests {
    private static let folder = "Tests/Checkouts"

    /// The programs, by their folders.
    private static let programs: [String] = {
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: Toolchain.package.appendingPathComponent(folder).path)
        return (names ?? []).filter { !$0.contains(".") }.sorted()
    }()

    private static func values(of program: String) throws -> [String: String] {
        var values: [String: String] = [:]
        for line in try PackageFiles.text("\(folder)/\(program)/program").split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2, parts[0].allSatisfy(\.isLetter) { values[parts[0]] = parts[1] }
        }
        return values
    }

    @Test("The article has the commit and the results of each program", arguments: programs)
    func results(program: String) throws {
        let values = try Self.values(of: program)
        let address = try #require(values["address"])
        let commit = try #require(values["commit"])
        if values["isLibrary"] == "yes" { return }
        let result = values["tests"].map { "\(values["passing"] ?? $0) of \($0)" } ?? "compiles"
        let rows = try PackageFiles.text("Sources/SwiftData/SwiftData.docc/SwiftDataOnLinux.md").split(separator: "\n")
        let name = String(address.dropFirst("https://github.com/".count))
        let own = rows.filter { $0.hasPrefix("| \(name)") }
        #expect(own.contains { $0.contains("| \(commit) |") && $0.hasSuffix("| \(result) |") }, "\(own)")
    }

    @Test("Programs that another one needs are there, and the list of what is left out has each program")
    func lists() throws {
        #expect(Self.programs.count >= 7)
        let readme = try PackageFiles.text("\(Self.folder)/README.md")
        for program in Self.programs {
            #expect(readme.contains(program), "\(program)")
            guard let needs = try Self.values(of: program)["needs"] else { continue }
            for need in needs.split(whereSeparator: { "() ".contains($0) }) {
                #expect(Self.programs.contains(String(need)))
            }
        }
    }
}
