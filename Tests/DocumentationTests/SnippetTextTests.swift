import Testing

// Swift code in the articles is code of Tests/SnippetTests, between `// snippet: NAME` and `// snippet end`: the
// compiler has seen it.
@Suite("Code in the articles")
struct SnippetTextTests {
    private struct Snippet {
        let path: String
        let name: String
        let text: String
    }

    /// The snippets of a source, without their indentation.
    private static func snippets(in source: String, path: String) -> [Snippet] {
        var found: [Snippet] = []
        var open: (name: String, lines: [Substring])?
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            let content = line.drop { $0 == " " }
            if content == "// snippet end" {
                guard let (name, lines) = open else { continue }
                let indentation = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
                let text = lines.map { $0.dropFirst(indentation) }.joined(separator: "\n")
                found.append(Snippet(path: path, name: name, text: text))
                open = nil
            } else if content.hasPrefix("// snippet: ") {
                open = (String(content.dropFirst("// snippet: ".count)), [])
            } else {
                open?.lines.append(line)
            }
        }
        return found
    }

    private static func all() throws -> [Snippet] {
        try PackageFiles.paths(under: "Tests/SnippetTests", extension: "swift").flatMap {
            snippets(in: try PackageFiles.text($0), path: $0)
        }
    }

    /// The first line in which the code of an article is not that of the snippet which has most of its lines.
    private static func difference(_ text: String, from snippets: [Snippet]) -> String {
        let lines = text.split(separator: "\n")
        let nearest = snippets.max { one, other in
            let counts = [one, other].map { Set($0.text.split(separator: "\n")).intersection(lines).count }
            return counts[0] < counts[1]
        }
        guard let nearest else { return "there is no snippet" }
        let others = nearest.text.split(separator: "\n")
        let index = lines.indices.first { $0 >= others.count || lines[$0] != others[$0] } ?? lines.count
        let line = index < lines.count ? lines[index] : "(the end)"
        return "the nearest is \"\(nearest.name)\" of \(nearest.path), which differs at: \(line)"
    }

    @Test("Every block of Swift in an article is a snippet", arguments: PackageFiles.articles)
    func blocks(path: String) throws {
        let snippets = try Self.all()
        for block in MarkdownText(try PackageFiles.text(path)).blocks where block.language == "swift" {
            let isThere = snippets.contains { $0.text == block.text }
            #expect(isThere, "\(path):\(block.line): \(Self.difference(block.text, from: snippets))")
        }
    }

    @Test("Every snippet has a name of its own and stands in an article")
    func snippets() throws {
        let snippets = try Self.all()
        #expect(snippets.count > 5)
        let names = Dictionary(grouping: snippets, by: \.name).filter { $1.count > 1 }.keys.sorted()
        #expect(names.isEmpty, "Two snippets have the name \(names)")
        let blocks = try PackageFiles.articles.flatMap { MarkdownText(try PackageFiles.text($0)).blocks.map(\.text) }
        for snippet in snippets where !blocks.contains(snippet.text) {
            Issue.record("\(snippet.path): no article has \"\(snippet.name)\"")
        }
    }

    @Test("A snippet is the text between its marks, without the indentation")
    func marks() {
        let snippets = Self.snippets(
            in: """
                func one() {
                    // snippet: one
                    if a {

                        b()
                    }
                    // snippet end
                    c()
                    // snippet: two
                    d()
                    // snippet end
                }
                """, path: "A.swift")
        #expect(snippets.map(\.name) == ["one", "two"])
        #expect(snippets.map(\.text) == ["if a {\n\n    b()\n}", "d()"])
        let difference = Self.difference("if a {\n    c()", from: snippets)
        #expect(difference.hasSuffix("\"one\" of A.swift, which differs at:     c()"))
    }
}
