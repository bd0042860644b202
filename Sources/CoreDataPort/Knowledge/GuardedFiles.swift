import CoreDataModelCompiler
import SwiftScanning

/// Files for modules that Linux does not have, such as those of screens, and that no other code needs: they can be left
/// out there as a whole.
struct GuardedFiles {
    /// By file, the modules that it is left out without, in the order of its imports.
    private(set) var modules: [String: [String]] = [:]

    /// What other code may use of a file.
    private struct Offer {
        /// Names by which code of other files may use it.
        var names: Set<String> = []
        /// Types of other files that an extension gives what no name tells: a conformance, or a subscript.
        var extended: Set<String> = []
        /// Initialisers of such types, as calls of them begin.
        var initializers: Set<Initializer> = []

        func isNeeded(by words: Set<String>) -> Bool {
            !words.isDisjoint(with: names) || !words.isDisjoint(with: extended)
                || initializers.contains { $0.isCalled(in: words) }
        }
    }

    private struct Initializer: Hashable {
        let type: String
        /// The label of the first argument; empty where it has none, and a bracket where there is no argument.
        let label: String

        func isCalled(in words: Set<String>) -> Bool {
            words.contains(type) && (words.contains("\(type)(\(label)") || words.contains("init(\(label)"))
        }
    }

    /// - Parameters:
    ///   - targets: the names of all targets, which may stand in for such modules.
    ///   - keys: with the classes of models. A model uses a class that no source names.
    ///   - strays: the files beside packages that belong to no target. Nothing there is compiled on Linux.
    init(_ sources: [SourceFile], targets: Set<String>, keys: KnownKeys, strays: Set<String>) {
        var offers: [String: Offer] = [:]
        var order: [String] = []
        for source in sources {
            let found = Self.missingModules(source).filter { !targets.contains($0) }
            let isOfModel = source.scopes.bodies.contains { $0.keyword == "class" && keys.isManaged($0.type) }
            guard !found.isEmpty, !isOfModel else { continue }
            modules[source.path] = found
            order.append(source.path)
        }
        guard !modules.isEmpty else { return }
        var words: [(path: String, words: Set<String>)] = []
        for source in sources {
            if !strays.contains(source.path) { words.append((source.path, Self.words(source))) }
            if let missing = modules[source.path] { offers[source.path] = Self.offer(source, missing) }
        }
        // Each file that stays needs what it names, which may be in a file that is to be left out.
        var isSettled = false
        while !isSettled {
            isSettled = true
            let needed = words.reduce(into: Set<String>()) { if modules[$1.path] == nil { $0.formUnion($1.words) } }
            for path in order where modules[path] != nil {
                guard offers[path]?.isNeeded(by: needed) == true else { continue }
                modules[path] = nil
                isSettled = false
            }
        }
    }

    /// The modules that a file imports without a condition, that are not there, and whose names it uses.
    private static func missingModules(_ source: SourceFile) -> [String] {
        let tokens = source.tokens
        let compiled = tokens.filter { !source.inactive.contains($0.range.lowerBound) }
        var result: [String] = []
        for index in tokens.indices.dropLast() where tokens[index].isWord("import") {
            if index > 0, tokens[index - 1].isMark(".") { continue }
            let isOfDeclaration = FilePorter.importKinds.contains(tokens[index + 1].text)
            let place = index + (isOfDeclaration ? 2 : 1)
            guard place < tokens.count else { continue }
            let module = tokens[place].text
            let isConditional = source.inactive.branches.contains { $0.range.contains(tokens[place].range.lowerBound) }
            guard AppleModules.isOfSystem(module), !result.contains(module), !isConditional,
                isOfDeclaration && AppleModules.hasKnownNames(module)
                    || AppleModules.usesNames(of: module, in: compiled)
            else { continue }
            result.append(module)
        }
        if compiled.contains(where: { $0.isWord && AppleModules.runtime.contains($0.text) }) {
            result.append("ObjectiveC")
        }
        return result
    }

    /// The words of a file, and the beginnings of calls with their first labels.
    private static func words(_ source: SourceFile) -> Set<String> {
        var words: Set<String> = []
        for tokens in [source.tokens] + source.interpolations.map(\.tokens) {
            for (index, token) in tokens.enumerated() where !source.inactive.contains(token.range.lowerBound) {
                if token.isWord { words.insert(token.text.filter { $0 != "`" }) }
                guard token.isMark("("), let callee = callee(before: index, tokens) else { continue }
                // A declaration of an initialiser is no call.
                if callee == "init", index < 2 || !tokens[index - 2].isMark(".") { continue }
                words.insert("\(callee)(\(firstLabel(behind: index, tokens))")
            }
        }
        return words
    }

    /// The word before a bracket: `Box(`, `Box<Int>(`.
    private static func callee(before index: Int, _ tokens: [SwiftToken]) -> String? {
        var (place, depth) = (index - 1, 0)
        while place >= 0 {
            if tokens[place].isMark(">") { depth += 1 }
            if depth == 0 { return tokens[place].isWord ? tokens[place].text : nil }
            if tokens[place].isMark("<") { depth -= 1 }
            place -= 1
        }
        return nil
    }

    /// The label of the first argument or parameter behind a bracket; empty where it has none, and a bracket where
    /// there is no argument.
    private static func firstLabel(behind index: Int, _ tokens: [SwiftToken]) -> String {
        if index + 1 < tokens.count, tokens[index + 1].isMark(")") { return ")" }
        guard index + 2 < tokens.count, tokens[index + 1].isWord, tokens[index + 1].text != "_",
            tokens[index + 2].isMark(":") || tokens[index + 2].isWord
        else { return "" }
        return tokens[index + 1].text
    }

    private static let declarations: Set<String> = [
        "class", "struct", "enum", "actor", "protocol", "typealias", "func", "var", "let", "case", "macro",
    ]

    private static func offer(_ source: SourceFile, _ missing: [String]) -> Offer {
        let tokens = source.tokens
        let own = Set(source.scopes.bodies.filter { $0.keyword != "extension" }.map(\.type))
        // Code that uses a member of a type of the file names the type. `SwiftUI.View` is of no use to other files.
        let extensions = source.scopes.bodies.filter { body in
            body.keyword == "extension" && !own.contains(body.type) && body.access?.hasSuffix("private") != true
                && !missing.contains { body.type.hasPrefix("\($0).") }
        }
        var offer = Offer()
        /// For each open brace, whether what it holds is for other files: the extensions of their types.
        var open: [Bool] = []
        for (index, token) in tokens.enumerated() {
            if token.isMark("{") {
                open.append(extensions.contains { $0.range.lowerBound == token.range.upperBound })
            } else if token.isMark("}") {
                _ = open.popLast()
            }
            guard open.last ?? true, token.isWord, index == 0 || !tokens[index - 1].isMark("."),
                !isPrivate(at: index, tokens), let next = tokens.dropFirst(index + 1).first
            else { continue }
            if token.isWord("extension"), next.isWord {
                guard let body = extensions.first(where: { $0.range.lowerBound > token.range.lowerBound }) else {
                    continue
                }
                let head = tokens[index...].prefix { $0.range.upperBound < body.range.lowerBound }
                if head.contains(where: { $0.isMark(":") }), !head.contains(where: { $0.isMark("{") }) {
                    offer.extended.insert(lastName(of: body))
                }
            } else if token.isWord("init") || token.isWord("subscript") {
                guard let around = extensions.first(where: { $0.range.contains(token.range.lowerBound) }) else {
                    continue
                }
                // Parameters with default values may be left out.
                if token.isWord("init"), let open = tokens[index...].firstIndex(where: { $0.isMark("(") }),
                    let close = tokens.closing(of: open), !tokens[open..<close].contains(where: { $0.isMark("=") })
                {
                    let label = firstLabel(behind: open, tokens)
                    offer.initializers.insert(Initializer(type: lastName(of: around), label: label))
                } else {
                    offer.extended.insert(lastName(of: around))
                }
            } else if declarations.contains(token.text), next.isWord,
                index == 0 || !tokens[index - 1].isWord("import")
            {
                offer.names.insert(next.text.filter { $0 != "`" })
            }
        }
        return offer
    }

    /// Whether modifiers in the line before a keyword keep a declaration to its file.
    private static func isPrivate(at index: Int, _ tokens: [SwiftToken]) -> Bool {
        tokens[..<index].reversed().prefix { $0.line == tokens[index].line && $0.isWord }
            .contains { $0.isWord("private") || $0.isWord("fileprivate") }
    }

    private static func lastName(of body: ScopeMap.Body) -> String {
        body.type.split(separator: ".").last.map(String.init) ?? body.type
    }
}
