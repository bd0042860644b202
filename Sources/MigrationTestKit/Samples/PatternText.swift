/// Texts that fit a regular expression, each with a number: literals, classes, groups, alternatives and repetitions.
/// Anchors and boundaries take no character. Lookaheads and lookbehinds are left out, so a text has to be checked.
struct PatternText {
    private indirect enum Node {
        case characters([Character])
        case sequence([Node])
        case alternatives([Node])
        case repeated(Node, least: Int, most: Int)
    }

    private let root: Node

    /// Nil for a pattern that cannot be read.
    init?(_ pattern: String) {
        var reader = Reader(pattern)
        guard let node = reader.alternatives(), reader.isAtEnd else { return nil }
        root = node
    }

    /// A text of about the given length, if the pattern leaves a choice. Different numbers give different texts, as far
    /// as the pattern has them.
    func text(_ number: Int, about length: Int) -> String {
        var rest = number
        var text = ""
        write(root, rest: &rest, length: length, to: &text)
        return text
    }

    /// Appends a text for a node. The digits of the number, whose base changes from choice to choice, select the
    /// alternatives.
    private func write(_ node: Node, rest: inout Int, length: Int, to text: inout String) {
        switch node {
        case .characters(let characters):
            text.append(characters[rest % characters.count])
            rest /= characters.count
        case .sequence(let nodes):
            for node in nodes { write(node, rest: &rest, length: length, to: &text) }
        case .alternatives(let nodes):
            let node = nodes[rest % nodes.count]
            rest /= nodes.count
            write(node, rest: &rest, length: length, to: &text)
        case .repeated(let node, let least, let most):
            for count in 0..<most {
                // More repetitions than the minimum follow only if digits of the number are left, or the text is too
                // short.
                if count >= least, text.count >= length, rest == 0 { break }
                write(node, rest: &rest, length: length, to: &text)
            }
        }
    }

    /// Reads a pattern. The result is nil if the pattern has a part that the reader does not support.
    private struct Reader {
        private var rest: Substring
        private static let printable = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-.,@:/")
        private static let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
        private static let digits = Array("0123456789")
        /// The maximum number of repetitions for an unlimited one.
        private static let most = 12

        init(_ pattern: String) { rest = pattern[...] }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func alternatives() -> Node? {
            var all: [Node] = []
            repeat {
                guard let next = sequence() else { return nil }
                all.append(next)
            } while take("|")
            return all.count == 1 ? all[0] : .alternatives(all)
        }

        private mutating func sequence() -> Node? {
            var nodes: [Node] = []
            while let character = rest.first, character != "|", character != ")" {
                guard let next = atom().flatMap({ repetition(of: $0) }) else { return nil }
                nodes.append(next)
            }
            return .sequence(nodes)
        }

        private mutating func atom() -> Node? {
            let character = rest.removeFirst()
            switch character {
            case "^", "$": return .sequence([])
            case ".": return .characters(Self.printable)
            case "(":
                if take("?") {
                    // A group without a number. The reader supports no other group that begins so.
                    guard take(":") else { return nil }
                }
                let group = alternatives()
                return take(")") ? group : nil
            case "[": return set().map { .characters($0) }
            case "\\":
                guard let next = rest.popFirst() else { return nil }
                return "AzZbBG".contains(next) ? .sequence([]) : escaped(next).map { .characters($0) }
            default: return .characters([character])
            }
        }

        private mutating func repetition(of node: Node) -> Node? {
            guard let character = rest.first, "*+?{".contains(character) else { return node }
            rest.removeFirst()
            var (least, most) = (0, Self.most)
            switch character {
            case "+": (least, most) = (1, Self.most)
            case "?": most = 1
            case "{":
                guard let end = rest.firstIndex(of: "}") else { return nil }
                let parts = rest[..<end].split(separator: ",", omittingEmptySubsequences: false)
                guard let first = Int(parts[0]) else { return nil }
                least = first
                most = parts.count == 1 ? first : Int(parts[1]) ?? first + Self.most
                rest = rest[rest.index(after: end)...]
            default: break
            }
            // A greedy, lazy or possessive quantifier gives the same texts.
            if !take("?") { _ = take("+") }
            return least <= most ? .repeated(node, least: least, most: most) : nil
        }

        private mutating func set() -> [Character]? {
            let isNegated = take("^")
            var members: [Character] = []
            var isFirst = true
            while let character = rest.popFirst() {
                if character == "]", !isFirst {
                    let left = Self.printable.filter { !members.contains($0) }
                    let result = isNegated ? left : members
                    return result.isEmpty ? nil : result
                }
                isFirst = false
                if character == "\\" {
                    guard let next = rest.popFirst(), let some = escaped(next) else { return nil }
                    members += some
                } else if rest.first == "-", let end = rest.dropFirst().first, end != "]",
                    let low = character.asciiValue, let high = end.asciiValue, low <= high
                {
                    rest = rest.dropFirst(2)
                    members += (low...high).map { Character(UnicodeScalar($0)) }
                } else {
                    members.append(character)
                }
            }
            return nil
        }

        private func escaped(_ character: Character) -> [Character]? {
            switch character {
            case "d": Self.digits
            case "w": Self.letters + Self.digits + ["_"]
            case "s": [" "]
            case "D", "W": character == "D" ? Self.letters : ["-", ".", ","]
            case "S": Self.letters
            case "n": ["\n"]
            case "t": ["\t"]
            default: character.isLetter || character.isNumber ? nil : [character]
            }
        }

        private mutating func take(_ character: Character) -> Bool {
            guard rest.first == character else { return false }
            rest.removeFirst()
            return true
        }
    }
}
