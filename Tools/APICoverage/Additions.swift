import Foundation

/// The public symbols that Apple's framework does not have: those whose doc comments say 'OpenCoreData only'.
public struct Additions {
    /// The first sentences of the comments, by symbol. Overloads share a symbol.
    private var sentences: [String: Set<String>] = [:]

    public init() {}

    /// Adds the symbols of one `.symbols.json` file.
    public mutating func add(_ json: Data) throws {
        for symbol in try JSONDecoder().decode(File.self, from: json).symbols {
            guard symbol.kind.identifier != "swift.enum.case", let lines = symbol.docComment?.lines.map(\.text),
                lines.contains(where: { $0.contains("OpenCoreData only") })
            else { continue }
            sentences[symbol.pathComponents.joined(separator: "."), default: []].insert(Self.firstSentence(of: lines))
        }
    }

    /// The rows of a table in Markdown, sorted by symbol.
    public var table: String {
        let rows = sentences.sorted { ($0.key.lowercased(), $0.key) < ($1.key.lowercased(), $1.key) }
            .flatMap { symbol, sentences in
                sentences.sorted().map { "| `\(symbol)` | \($0.replacingOccurrences(of: "|", with: "\\|")) | | |" }
            }
        return (["| symbol | what it does | why | test |", "|---|---|---|---|"] + rows).joined(separator: "\n")
    }

    /// The first sentence without its full stop. A link to a symbol becomes the symbol's name.
    private static func firstSentence(of lines: [String]) -> String {
        let paragraph = lines.prefix { !$0.isEmpty }.joined(separator: " ")
        let end = paragraph.firstRange(of: /\. (?=[A-Z`])/)?.lowerBound ?? paragraph.endIndex
        let sentence = paragraph[..<end].replacing(/``(?:\w+\/)*([^`]*)``/) { "`\($0.1)`" }
        return sentence.hasSuffix(".") ? String(sentence.dropLast()) : String(sentence)
    }

    private struct File: Decodable {
        let symbols: [Symbol]
    }

    private struct Symbol: Decodable {
        struct Kind: Decodable { let identifier: String }
        struct Comment: Decodable {
            struct Line: Decodable { let text: String }
            let lines: [Line]
        }
        let kind: Kind
        let pathComponents: [String]
        let docComment: Comment?
    }
}
