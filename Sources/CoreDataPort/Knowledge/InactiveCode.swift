import CoreDataModelCompiler

/// The parts of a file that conditional compilation leaves out on Linux: they may keep what only Apple's platforms
/// have.
struct InactiveCode {
    private var ranges: [Range<Int>] = []

    init(_ tokens: [SwiftToken]) {
        // For each open `#if`: whether the present branch is left out (and since where), and whether a branch before it
        // was certainly taken.
        var open: [(start: Int?, isDecided: Bool)] = []
        for token in tokens {
            guard case .directive(let directive) = token.kind else { continue }
            if directive != .ifCondition {
                guard let last = open.popLast() else { continue }
                if let start = last.start { ranges.append(start..<token.range.lowerBound) }
                if directive == .end { continue }
                let holds = directive == .elseBranch ? nil : Condition.evaluate(token.text)
                open.append(
                    (last.isDecided || holds == false ? token.range.upperBound : nil, last.isDecided || holds == true))
            } else {
                let holds = Condition.evaluate(token.text)
                open.append((holds == false ? token.range.upperBound : nil, holds == true))
            }
        }
    }

    func contains(_ position: Int) -> Bool { ranges.contains { $0.contains(position) } }
}

/// What a condition of compilation comes to on Linux.
private struct Condition {
    private let tokens: [SwiftToken]
    private var index = 0

    /// `nil` where it depends on flags or on what cannot be known.
    static func evaluate(_ text: String) -> Bool? {
        var condition = Condition(tokens: SwiftLexer.tokensAndInterpolations(in: text).tokens)
        return condition.alternatives()
    }

    private init(tokens: [SwiftToken]) { self.tokens = tokens }

    private var current: SwiftToken? { index < tokens.count ? tokens[index] : nil }

    private mutating func take(_ mark: String) -> Bool {
        let characters = mark.map(String.init)
        guard index + characters.count <= tokens.count,
            zip(tokens[index...], characters).allSatisfy({ $0.isMark($1) })
        else { return false }
        index += characters.count
        return true
    }

    private mutating func alternatives() -> Bool? {
        var result = conjunction()
        while take("||") {
            let next = conjunction()
            result = result == true || next == true ? true : result == nil || next == nil ? nil : false
        }
        return result
    }

    private mutating func conjunction() -> Bool? {
        var result = term()
        while take("&&") {
            let next = term()
            result = result == false || next == false ? false : result == nil || next == nil ? nil : true
        }
        return result
    }

    private mutating func term() -> Bool? {
        if take("!") { return term().map { !$0 } }
        if take("(") {
            let result = alternatives()
            _ = take(")")
            return result
        }
        guard let word = current, word.isWord else {
            index += 1
            return nil
        }
        index += 1
        guard take("(") else {
            // A port is one to a package: it has no project of Xcode's beside it.
            return ["true", "SWIFT_PACKAGE"].contains(word.text) ? true : word.text == "false" ? false : nil
        }
        let argument = current?.text ?? ""
        while let token = current, !token.isMark(")") {
            _ = token
            index += 1
        }
        _ = take(")")
        switch word.text {
        case "os": return argument == "Linux"
        case "targetEnvironment": return false
        case "_runtime": return argument == "_Native"
        case "canImport":
            if AppleModules.advice[argument] != nil || ["Darwin", "ObjectiveC"].contains(argument) { return false }
            let known = ["CoreData", "Foundation", "FoundationNetworking", "FoundationXML", "Dispatch", "Glibc"]
            return known.contains(argument) ? true : nil
        default: return nil
        }
    }
}
