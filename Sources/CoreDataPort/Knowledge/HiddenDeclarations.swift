import CoreDataModelCompiler
import SwiftScanning

/// Declarations that conditions leave out on Linux, and that compiled code uses.
struct HiddenDeclarations {
    struct Finding {
        let name: String
        /// The directive of conditional compilation that leaves the declaration out.
        let condition: SwiftToken
        let user: String
        let line: Int
    }

    /// The findings by the file that has the declarations.
    private(set) var findings: [String: [Finding]] = [:]

    private static let types: Set<String> = ["class", "struct", "enum", "actor", "protocol", "typealias"]

    init(_ sources: [SourceFile]) {
        var hidden: [(file: String, name: SwiftToken, label: String?, condition: SwiftToken)] = []
        var declared: Set<String> = []
        for source in sources {
            for (keyword, name) in Self.declarations(source) {
                let place = source.tokens[keyword].range.lowerBound
                if source.inactive.contains(place) {
                    let label = Self.label(keyword, source)
                    guard let condition = Self.condition(at: place, source, isOfType: label == nil),
                        keyword == 0 || !source.tokens[keyword - 1].isWord("override")
                    else { continue }
                    hidden.append((source.path, name, label, condition))
                } else {
                    declared.insert(name.text)
                }
            }
        }
        hidden.removeAll { declared.contains($0.name.text) }
        let names = Set(hidden.map(\.name.text))
        guard !names.isEmpty else { return }
        let uses = sources.map { source in (source, Self.uses(of: names, source)) }
        for (file, name, label, condition) in hidden {
            // Each system may have a declaration of the name.
            if findings[file, default: []].contains(where: { $0.name == name.text }) { continue }
            guard
                let (source, token) = uses.lazy.compactMap({ source, uses in
                    uses.first { $0.token.text == name.text && (label == nil || $0.label == label) }
                        .map { (source, $0.token) }
                }).first
            else { continue }
            let finding = Finding(name: name.text, condition: condition, user: source.path, line: token.line)
            findings[file, default: []].append(finding)
        }
    }

    /// Types and functions, by the keyword and the name. Aliases inside types are excluded, because their names are too
    /// common.
    private static func declarations(_ source: SourceFile) -> [(keyword: Int, name: SwiftToken)] {
        let tokens = source.tokens
        return tokens.indices.dropLast().compactMap { index in
            guard tokens[index].isWord, tokens[index].text == "func" || types.contains(tokens[index].text),
                tokens[index + 1].isWord,
                !["func", "var", "let", "init", "subscript"].contains(tokens[index + 1].text),
                index == 0 || !tokens[index - 1].isMark(".") && !tokens[index - 1].isWord("import"),
                !tokens[index].isWord("typealias") || source.scopes.type(at: tokens[index].range.lowerBound) == nil
            else { return nil }
            return (index, tokens[index + 1])
        }
    }

    /// The condition of the innermost branch that is left out. For a function the condition must test the system or
    /// Objective-C, because the names of functions for screens and similar code are too common.
    private static func condition(at place: Int, _ source: SourceFile, isOfType: Bool) -> SwiftToken? {
        let around = source.inactive.branches.filter { $0.isLeftOut && $0.range.contains(place) }
        guard let start = around.max(by: { $0.range.lowerBound < $1.range.lowerBound })?.start else { return nil }
        let asked = ["ObjectiveC", "ObjC", "os(", "Darwin"]
        return isOfType || start.text.isEmpty || asked.contains(where: start.text.contains) ? start : nil
    }

    /// The label of a function's first parameter; empty if it has none, `nil` for a type.
    private static func label(_ keyword: Int, _ source: SourceFile) -> String? {
        guard source.tokens[keyword].isWord("func") else { return nil }
        return firstLabel(behind: keyword + 1, source.tokens)
    }

    /// The label of the first argument or parameter after a name; empty if there is none.
    private static func firstLabel(behind name: Int, _ tokens: [SwiftToken]) -> String {
        guard name + 3 < tokens.count, tokens[name + 1].isMark("("), tokens[name + 2].isWord,
            tokens[name + 2].text != "_", tokens[name + 3].isMark(":") || tokens[name + 3].isWord
        else { return "" }
        return tokens[name + 2].text
    }

    private static func uses(of names: Set<String>, _ source: SourceFile) -> [(token: SwiftToken, label: String?)] {
        let tokens = source.tokens
        // A file that imports a module for screens or similar code is left out itself.
        let isLeftOut = tokens.indices.dropFirst().contains { index in
            tokens[index - 1].isWord("import") && AppleModules.isOfSystem(tokens[index].text)
                && !source.inactive.contains(tokens[index].range.lowerBound)
        }
        if isLeftOut { return [] }
        return tokens.indices.compactMap { index in
            guard tokens[index].isWord, names.contains(tokens[index].text),
                !source.inactive.contains(tokens[index].range.lowerBound)
            else { return nil }
            let isCall = index + 1 < tokens.count && tokens[index + 1].isMark("(")
            return (tokens[index], isCall ? firstLabel(behind: index, tokens) : nil)
        }
    }
}
