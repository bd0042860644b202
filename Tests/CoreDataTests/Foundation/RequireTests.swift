import Foundation
import Testing

@testable import CoreData

/// Programs that are built for release say nothing when they stop at a precondition or an assertion.
struct RequireTests {
    @Test("A stop says why in every kind of build: no source has a precondition or an assertion")
    func sources() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        let sources = root.standardizedFileURL.appendingPathComponent("Sources")
        let files = try #require(FileManager.default.enumerator(atPath: sources.path))
        var (read, silent) = (0, [String]())
        for case let file as String in files where file.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appendingPathComponent(file), encoding: .utf8)
            read += 1
            if text.contains(/\b(precondition|preconditionFailure|assert|assertionFailure)\(/) { silent.append(file) }
        }
        #expect(read > 100)
        #expect(silent.isEmpty)
    }

    @Test("What is not as required stops the process with the message, which is not made otherwise")
    func message() async {
        require(true, { fatalError("made for nothing") }())
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            require(false, "said")
        }
        let text = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Fatal error: said"))
    }
}
