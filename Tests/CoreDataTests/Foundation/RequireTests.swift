import Foundation
import Testing

@testable import CoreData

/// The calls that sources must not contain: programs that are built for release print nothing when they stop at a
/// precondition or an assertion.
struct RequireTests {
    /// The sources in whose text a pattern is found. A source without any of the parts is not searched: a regular
    /// expression takes long.
    private func sources(with pattern: some RegexComponent, parts: [String]) throws -> [String] {
        let parts = parts.map { Data($0.utf8) }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        let sources = root.standardizedFileURL.appendingPathComponent("Sources")
        let files = try #require(FileManager.default.enumerator(atPath: sources.path))
        var (read, found) = (0, [String]())
        for case let file as String in files where file.hasSuffix(".swift") {
            let text = try Data(contentsOf: sources.appendingPathComponent(file))
            read += 1
            guard parts.contains(where: { text.range(of: $0) != nil }) else { continue }
            if String(decoding: text, as: UTF8.self).contains(pattern) { found.append(file) }
        }
        #expect(read > 100)
        return found
    }

    @Test("A stop says why in every kind of build: no source has a precondition or an assertion")
    func reasons() throws {
        // The lock of the module `os` has a method with such a name, as Apple's has.
        let call = /^(?!.*\bfunc ).*\b(precondition|preconditionFailure|assert|assertionFailure)\(/
        #expect("    precondition(isOpen)".contains(call.anchorsMatchLineEndings()))
        #expect(try sources(with: call.anchorsMatchLineEndings(), parts: ["precondition", "assert"]).isEmpty)
    }

    @Test("No task-local is a function: where the compiler optimises, setting one crashes (Swift 6.3)")
    func taskLocals() throws {
        let function = /@TaskLocal[\w\s]*\bvar\s+\w+\s*:[^=\n]*->/
        #expect("@TaskLocal package static var taking: (@Sendable (A) -> Void)?".contains(function))
        #expect(try sources(with: function, parts: ["@TaskLocal"]).isEmpty)
        #expect(try !sources(with: /@TaskLocal/, parts: ["@TaskLocal"]).isEmpty)
    }

    @Test("A requirement that fails stops the process with its message, which is made only then")
    func message() async {
        require(true, { fatalError("made for nothing") }())
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            require(false, "said")
        }
        let text = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Fatal error: said"))
    }
}
