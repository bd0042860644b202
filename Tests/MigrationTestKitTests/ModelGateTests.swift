import CoreData
import Foundation
import MigrationTestKit
import TestSupport
import Testing

@Suite("A gate for the models of a repository")
struct ModelGateTests {
    private static let entity =
        "<entity name=\"Book\"><attribute name=\"title\" optional=\"YES\" attributeType=\"String\"/>"
    private static let pages = "<attribute name=\"pages\" optional=\"YES\" attributeType=\"Integer 32\"/>"

    @Test("A test has the findings, the ways and the error as values, and may allow a finding")
    func values() throws {
        try withTemporaryFolder { folder in
            let repository = try ModelRepository(at: folder)
            try repository.write(version: "Library", "\(Self.entity)\(Self.pages)</entity>")
            try repository.commit()
            try repository.write(version: "Library 2", "\(Self.entity)</entity>")
            try repository.choose("Library 2")
            var gate = ModelGate(repository: folder.appendingPathComponent("Library.xcdatamodeld"), base: "main")
            let report = try gate.check()
            let finding = try #require(report.findings.first)
            #expect(report.findings.count == 1)
            #expect(finding.rule == .loss)
            #expect(finding.place == "Book.pages")
            #expect(finding.file == ModelRepository.path("Library 2"))
            #expect(report.ways.map(\.from) == [["Library"]])
            #expect(report.ways.map(\.means) == [.inPlace])
            #expect(
                "\(report)" == """
                    \(ModelRepository.path("Library 2")):3: loss: \(finding.message)
                        \(finding.remedy)
                    Library.xcdatamodeld: 'Library' → 'Library 2': in place
                    """)
            gate.allowed = ["loss:Book.pages"]
            #expect(try gate.check().isClean)
            gate.allowed = ["loss"]
            #expect(try gate.check().isClean)
            gate.models = [folder.appendingPathComponent("Other.xcdatamodeld")]
            #expect(throws: ModelGateError.self) { try gate.check() }
            gate = ModelGate(repository: folder, base: "release")
            let error = #expect(throws: ModelGateError.self) { try gate.check() }
            #expect(error?.reason.hasSuffix("does not have 'release'") == true)
            #expect(error?.help.contains("git fetch") == true)
        }
    }

    @Test("A model in code is compared by its description")
    func descriptions() throws {
        try withTemporaryFolder { folder in
            let repository = try ModelRepository(at: folder)
            let file = folder.appendingPathComponent("Library.modeldescription")
            let first = ModelText.model("entity Book\n  title string\n  pages int32")
            try first.writeDescription(to: file)
            try repository.commit()
            let second = ModelText.model("entity Book\n  title string\n  pages int32\n  isbn string")
            try second.writeDescription(to: file, after: [first])
            let gate = ModelGate(repository: folder, base: "HEAD")
            let report = try gate.check()
            #expect(report.isClean, "\(report)")
            #expect(report.ways.map { "\($0)" } == ["'1' → '2': in place"])
            try second.writeDescription(to: file)
            #expect(try gate.check().findings.map(\.rule) == [.unversioned])
        }
    }
}
