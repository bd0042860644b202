import TestSupport
import Testing

// A type with very many stored properties holds several values without names.
@Suite("Stored properties")
struct StoredPropertyTests {
    private static let limit = 25

    /// The types with more, each with the reason.
    private static let reasons = [
        "PostgreSQLConnection": "one session of a server: libpq's handle, the server, the caches and the transaction",
        "EntityLayout": "what the model says about an entity's rows, in the forms that reading and saving need",
        "SQLStore": "caches, locks and settings that each operation of a store uses, over any driver",
        "PostgreSQLDatabase": "the pool of connections with the state that all of them share",
    ]

    /// The types of a source with their numbers of stored properties.
    private static func counts(_ text: SourceText) -> [String: Int] {
        var counts: [String: Int] = [:]
        var open: [(name: String, depth: Int)] = []
        var depth = 0
        for line in text.lines {
            let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
            let place = words.firstIndex { ["class", "struct", "actor", "enum", "extension"].contains($0) }
            if let place, place + 1 < words.count, !["func", "var", "let"].contains(words[place + 1]),
                line.contains("{")
            {
                open.append((words[place + 1], depth))
            } else if let type = open.last, depth == type.depth + 1, isStored(line, words) {
                counts[type.name, default: 0] += 1
            }
            depth += line.count { $0 == "{" } - line.count { $0 == "}" }
            while let last = open.last, depth <= last.depth { open.removeLast() }
        }
        return counts
    }

    /// Whether a line declares a stored property: a computed one has a body and no value.
    private static func isStored(_ line: Substring, _ words: [String]) -> Bool {
        guard let place = words.firstIndex(where: { $0 == "var" || $0 == "let" }), !words.contains("static"),
            !words[..<place].contains(where: { ["func", "init", "case", "if", "guard", "for"].contains($0) })
        else { return false }
        return !line.contains("{") || line.contains("= {") || line.contains("didSet")
    }

    @Test("No type has more than 25 stored properties without a reason")
    func properties() throws {
        var large: [String: Int] = [:]
        for path in PackageFiles.paths(under: "Sources", extension: "swift") {
            let text = try PackageFiles.text(path)
            // Taking a source apart costs time, and few types are so large.
            let declarations = text.split(separator: "\n").count { $0.contains("var ") || $0.contains("let ") }
            if declarations <= Self.limit { continue }
            let counts = Self.counts(try PackageFiles.source(path))
            for (type, count) in counts where count > Self.limit { large[type] = count }
        }
        #expect(large.keys.sorted() == Self.reasons.keys.sorted(), "\(large)")
    }

    @Test("Stored properties are counted, computed and local ones are not")
    func search() {
        let text = """
            final class Shelf {
                @objc private(set) var width = 1
                let height: Int
                lazy var sum: Int = { width + height }()
                static var all: [Shelf] = []
                var area: Int { width * height }
                var place: Int {
                    let local = 1
                    return local
                }
                struct Board {
                    var length: Int
                }
                func move() { var moved = 0 }
            }
            """
        #expect(Self.counts(SourceText(text)) == ["Shelf": 3, "Board": 1])
    }
}
