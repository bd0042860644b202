import CoreDataModelCompiler
import SwiftScanning

/// Places in some sources that need the name of a key path: `\Note.title` for a sort descriptor,
/// `#keyPath(Note.title)`.
struct KeyPathUses {
    struct Use {
        /// The type in the key path; empty if the context determines it.
        let root: String
        let file: String
        let line: Int
        /// Whether the framework reads the name, which it does for managed objects only.
        let isOfFramework: Bool
        /// Whether the place can have the key instead of the key path.
        let takesKey: Bool
    }

    private var uses: [String: [Use]] = [:]
    /// Uses in calls of functions that may read the name of a key path, if any code in the sources reads names.
    private var doubtful: [String: [Use]] = [:]
    private var asksForNames = false
    private let types: DeclaredTypes

    init(_ types: DeclaredTypes) { self.types = types }

    /// Functions that only read by a key path, and do not need its name.
    private static let readers: Set<String> = [
        "map", "flatMap", "compactMap", "filter", "sorted", "reduce", "allSatisfy", "contains", "first", "max", "min",
        "partition", "forEach", "ForEach", "List", "Table", "observe", "publisher", "assign", "keyPath",
        "XCTAssertTrue", "XCTAssertFalse", "XCTAssertEqual",
    ]

    mutating func add(_ file: SourceFile) {
        add(file.tokens, file)
        for interpolation in file.interpolations { add(interpolation.tokens, file) }
    }

    /// The uses of a property by its key path for which the name matters.
    private func uses(of property: String, in type: String) -> [Use] {
        let all = uses[property, default: []] + (asksForNames ? doubtful[property, default: []] : [])
        let last = type.split(separator: ".").last.map(String.init) ?? type
        return all.filter { use in
            ["", "Self", last].contains(use.root) || types.chain(from: use.root).contains(type)
        }
    }

    /// The first use of a property for which the name matters.
    func first(of property: String, in type: String, isManaged: Bool) -> Use? {
        uses(of: property, in: type).first { isManaged || !$0.isOfFramework }
    }

    /// Whether the name of a property matters, and each of the places can have the key.
    func asksByKeyOnly(_ property: String, in type: String) -> Bool {
        let uses = uses(of: property, in: type)
        return !uses.isEmpty && uses.allSatisfy(\.takesKey)
    }

    private mutating func add(_ tokens: [SwiftToken], _ file: SourceFile) {
        for (index, token) in tokens.enumerated() where !file.inactive.contains(token.range.lowerBound) {
            if token.isWord("_kvcKeyPathString") { asksForNames = true }
            let isString =
                token.isMark("#") && index + 2 < tokens.count && tokens[index + 1].isWord("keyPath")
                && tokens[index + 2].isMark("(")
            guard token.isMark("\\") || isString else { continue }
            var names: [String] = []
            var position = index + (isString ? 3 : 1)
            while position < tokens.count {
                let next = tokens[position]
                if next.isWord {
                    names.append(next.text)
                } else if !next.isMark("."), !next.isMark("?"), !next.isMark("!") {
                    break
                }
                position += 1
                // A word directly after a word is no part of the path.
                if next.isWord, position < tokens.count, tokens[position].isWord { break }
            }
            guard let last = names.last(where: { $0 != "_kvcKeyPathString" }) else { continue }
            let root =
                names.first?.first?.isUppercase == true ? names.dropLast().last { $0.first?.isUppercase == true } : ""
            let isAskedForName =
                names.contains("_kvcKeyPathString")
                || tokens[position...].prefix(3).contains { $0.isWord("_kvcKeyPathString") }
            let callee = Self.callee(tokens, index)
            let isOfFramework = isString || callee?.hasSuffix("SortDescriptor") == true || callee == "NSExpression"
            let takesKey = isString || callee == "NSSortDescriptor" || callee == "NSExpression"
            let use = Use(
                root: root ?? "", file: file.path, line: token.line, isOfFramework: isOfFramework && !isAskedForName,
                takesKey: takesKey && !isAskedForName)
            switch callee {
            case _ where isOfFramework, _ where isAskedForName: uses[last, default: []].append(use)
            case let name? where !Self.readers.contains(name): doubtful[last, default: []].append(use)
            case nil: doubtful[last, default: []].append(use)
            default: break
            }
        }
    }

    /// The function, or the label of a subscript, whose arguments contain a place.
    private static func callee(_ tokens: [SwiftToken], _ index: Int) -> String? {
        var depth = 0
        for position in stride(from: index - 1, through: 0, by: -1) {
            let token = tokens[position]
            if [")", "]", "}"].contains(where: token.isMark) { depth += 1 }
            guard ["(", "[", "{"].contains(where: token.isMark) else { continue }
            if depth == 0 {
                if token.isMark("["), index - position == 3 { return tokens[position + 1].text }
                // The bracket of an array among the arguments of a call is skipped.
                if token.isMark("[") { continue }
                return token.isMark("(") && position > 0 ? tokens[position - 1].text : nil
            }
            depth -= 1
        }
        return nil
    }
}
