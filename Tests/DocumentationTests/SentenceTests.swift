import Testing

@Suite("Sentences in the documents")
struct SentenceTests {
    private static let limit = 35

    private static let documents = ["README.md", "DEVIATIONS.md"] + PackageFiles.articles

    @Test("No sentence has more than 35 words", arguments: documents)
    func lengths(path: String) throws {
        let sentences = MarkdownText(try PackageFiles.text(path)).sentences
        #expect(sentences.count > 2)
        let long = sentences.filter { $0.words > Self.limit }
        let list = long.map { "\(path):\($0.line): \($0.words) words: \($0.text)" }.joined(separator: "\n")
        #expect(long.isEmpty, "\(list)")
    }

    /// Words in place of which a sentence names its subject. The questions are texts that stay as they were asked.
    private static let vague = CommentWordTests.bars.reduce(into: Set<String>()) { $0.formUnion($1.words) }

    @Test(
        "The subject of each sentence has a name",
        arguments: (documents + ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"])
            .filter { $0 != "Documentation/Questions.md" })
    func subjects(path: String) throws {
        let sentences = MarkdownText(try PackageFiles.text(path)).sentences
        #expect(sentences.count > 2)
        // Two words are the names of tests in a list of deviations.
        for sentence in sentences where sentence.words > 2 {
            let words = Set(sentence.text.split { !$0.isLetter }.map { $0.lowercased() })
            #expect(words.isDisjoint(with: Self.vague), "\(path):\(sentence.line): \(sentence.text)")
        }
    }

    @Test("All documents are checked")
    func all() {
        let modules = PackageFiles.modules.map { "Sources/\($0)/\($0).docc/\($0).md" }
        #expect(Set(Self.documents).isSuperset(of: modules + ["Documentation/Tool.md"]))
    }

    @Test("A list item, a cell and a heading are sentences of their own, and code is a word")
    func sentences() {
        let text = MarkdownText(
            """
            # A title
            One of `let a = 1. b` words. Two,
            that goes on (here). Is it? [Three](a.md) it is, e.g. this
            <!-- nothing
            at all -->
            - four
              goes on
            - five

            | a | b \\| `c | d` |
            |---|---|
            | six |  |

            ```swift
            let none = 1
            ```

                indented code
            """)
        #expect(
            text.sentences.map(\.text) == [
                "A title", "One of code words.", "Two, that goes on (here).", "Is it?", "Three it is, e.g. this",
                "four goes on", "five", "a", "b \\| code", "six",
            ])
        #expect(text.sentences.map(\.words) == [2, 4, 5, 2, 5, 3, 1, 1, 2, 1])
        #expect(text.blocks.map(\.text) == ["let none = 1"])
        #expect(text.blocks.map(\.language) == ["swift"])
    }
}
