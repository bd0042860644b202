import CoreDataModelCompiler
import SwiftScanning

// Conditions that choose a value for each system, and have none for Linux.
extension FilePorter {
    private struct Chain {
        /// The directives, with that of the end.
        var directives: [SwiftToken]
        var hasElse = false
    }

    /// Adds Linux to the first of some branches that each declare a constant for other systems, if code behind them
    /// uses the constant.
    mutating func addSystemToBranches() {
        for chain in chains where !chain.hasElse && chain.directives.count > 1 {
            let branches = chain.directives.dropLast()
            guard branches.allSatisfy({ isOfSystems($0.text) }),
                let first = branches.first, !file.inactive.contains(first.range.lowerBound),
                let end = chain.directives.last?.range.upperBound
            else { continue }
            let declared = zip(branches, chain.directives.dropFirst()).map { start, end in
                names(declaredIn: start.range.upperBound..<end.range.lowerBound)
            }
            let shared = declared.dropFirst().reduce(declared.first ?? []) { $0.intersection($1) }
            guard let name = firstUse(of: shared, behind: end) else { continue }
            insert(" || os(Linux)", at: first.range.upperBound)
            byHand(
                first,
                "no branch is for Linux, and line \(name.line) needs '\(name.text)': the first branch gives it now; check its "
                    + "value")
        }
    }

    /// Whether a condition asks for other systems alone, so that each part of it can be joined by `||`.
    private func isOfSystems(_ text: String) -> Bool {
        let condition = BuildCondition(text)
        let isOfSystem = condition.questions.allSatisfy { question in
            if case .call("os", let system) = question { return system != "Linux" }
            return false
        }
        return isOfSystem && !condition.questions.isEmpty && !text.contains("&") && !text.contains("!")
    }

    private var chains: [Chain] {
        var open: [Chain] = []
        var result: [Chain] = []
        for token in file.tokens {
            guard case .directive(let directive) = token.kind else { continue }
            if directive == .ifCondition {
                open.append(Chain(directives: [token]))
            } else if var last = open.popLast() {
                last.directives.append(token)
                last.hasElse = last.hasElse || directive == .elseBranch
                if directive == .end { result.append(last) } else { open.append(last) }
            }
        }
        return result
    }

    /// The constants and variables that a branch declares outside of all its braces; none if it has other code there.
    private func names(declaredIn range: Range<Int>) -> Set<String> {
        let indices = file.tokens.indices.filter { range.contains(file.tokens[$0].range.lowerBound) }
        var names: Set<String> = []
        var depth = 0
        for index in indices {
            let token = file.tokens[index]
            if ["(", "[", "{"].contains(where: token.isMark) { depth += 1 }
            if [")", "]", "}"].contains(where: token.isMark) { depth -= 1 }
            guard depth == 0 else { continue }
            if ["func", "class", "struct", "enum", "import", "extension", "init"].contains(where: token.isWord) {
                return []
            }
            if token.isWord("let") || token.isWord("var"), index + 1 < file.tokens.count {
                names.insert(file.tokens[index + 1].text)
            }
        }
        return names
    }

    /// The first use of a name behind a place, until the scope ends.
    private func firstUse(of names: Set<String>, behind place: Int) -> SwiftToken? {
        var depth = 0
        let uses = file.tokens + file.interpolations.flatMap(\.tokens)
        for token in file.tokens where token.range.lowerBound >= place {
            if token.isMark("{") { depth += 1 }
            if token.isMark("}") { depth -= 1 }
            if depth < 0 {
                let end = token.range.lowerBound
                return uses.filter { (place..<end).contains($0.range.lowerBound) }.first { isUse($0, of: names) }
            }
        }
        return uses.filter { $0.range.lowerBound >= place }.first { isUse($0, of: names) }
    }

    private func isUse(_ token: SwiftToken, of names: Set<String>) -> Bool {
        token.isWord && names.contains(token.text) && !file.inactive.contains(token.range.lowerBound)
    }
}
