import Foundation
import TestSupport
import Testing

/// The subject of a sentence in a comment has a name: another context, a second process, the caller.
@Suite("Words of comments")
struct CommentWordTests {
    /// How often a group of words may stand in 10,000 lines of comments. Documents have none of them.
    static let bars: [(words: Set<String>, limit: Double)] = [
        (["nobody", "somebody", "anybody", "everybody", "someone", "anyone", "everyone"], 1),
        (["others"], 2), (["told"], 1), (["meanwhile"], 1),
    ]

    static let folders = [
        "Sources/CoreData", "Sources/CoreDataManager", "Sources/CoreDataModelCompiler", "Sources/CoreDataPort",
        "Sources/CoreDataPostgreSQL", "Sources/CoreDataTool", "Sources/MigrationTestKit", "Sources/StudioServer",
        "Sources/OSLoggingCore", "Sources/SwiftData", "Sources/SwiftDataExpansion", "Sources/SwiftDataTestKit",
        "Sources/SwiftScanning",
        "Tests", "Benchmarks", "Examples", "Fuzzing", "Plugins", "Tools",
    ]

    /// A comment with one of the words, or one that begins a comment of several lines.
    private struct Comment {
        let place: String
        let text: String
    }

    /// The parts by which files with such words are found. Only those are taken apart, which costs time.
    private static let parts = ["body", "meone", "nyone", "eryone", "thers", "told", "eanwhile", "/// The same"]
        .map { Data($0.utf8) }

    /// The comments of the files that may have such words, and the number of all comment lines.
    private func comments(under folder: String) throws -> (found: [Comment], lines: Int) {
        var (found, lines) = ([Comment](), 0)
        for path in PackageFiles.paths(under: folder, extension: "swift") {
            let text = try PackageFiles.text(path)
            lines += PackageFiles.commentLines(text)
            let bytes = Data(text.utf8)
            if !Self.parts.contains(where: { bytes.range(of: $0) != nil }) { continue }
            var before = -2
            for comment in try PackageFiles.source(path).comments {
                defer { before = comment.line }
                // A line that goes on cannot begin a comment with 'The same'.
                let goesOn = comment.line == before + 1 && comment.text.hasPrefix("/// The same")
                if !goesOn { found.append(Comment(place: "\(path):\(comment.line + 1)", text: comment.text)) }
            }
        }
        return (found, lines)
    }

    @Test("The subject of a sentence has a name", arguments: folders)
    func words(folder: String) throws {
        let (comments, lines) = try comments(under: folder)
        #expect(lines > 10)
        let found = comments.map { ($0, Self.words(of: $0.text)) }
        for (words, limit) in Self.bars {
            let hits = found.filter { !words.isDisjoint(with: $0.1) }.map { "\($0.0.place): \($0.0.text)" }
            #expect(
                Double(hits.count) <= limit * Double(lines) / 10_000, "\(words): \(hits.joined(separator: "\n"))")
        }
        let incomplete = comments.filter { $0.text.hasPrefix("/// The same") }.map(\.place)
        #expect(incomplete.isEmpty, "A doc comment is complete by itself: \(incomplete)")
    }

    /// The words of a comment in lower case, without code.
    private static func words(of text: String) -> Set<String> {
        let prose = text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        return Set(prose.flatMap { $0.split { !$0.isLetter } }.map { $0.lowercased() })
    }

    @Test("Words are found in prose and not in code")
    func search() {
        #expect(Self.words(of: "/// Nobody calls `others`, told so.") == ["nobody", "calls", "told", "so"])
    }

    @Test("All folders of sources are searched")
    func all() throws {
        let paths = PackageFiles.paths(extension: "swift").filter { $0.contains("/") && !$0.hasPrefix("Package") }
        let missed = paths.filter { path in !Self.folders.contains { path.hasPrefix($0 + "/") } }
        let allowed = [
            "Sources/CoreDataModelReading/", "Sources/OSLog/", "Sources/SwiftDataMacros/", "Sources/os/",
            "Sources/coredata", "Documentation/",
        ]
        #expect(missed.filter { path in !allowed.contains { path.hasPrefix($0) } } == [])
    }
}
