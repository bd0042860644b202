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
private enum Condition {
    /// `nil` where it depends on flags or on what cannot be known.
    static func evaluate(_ text: String) -> Bool? { BuildCondition(text).holds(answer: answer) }

    private static func answer(_ question: BuildCondition.Question) -> Bool? {
        switch question {
        // A port is one to a package: it has no project of Xcode's beside it.
        case .flag(let name): return name == "SWIFT_PACKAGE" ? true : nil
        case .call("os", let system): return system == "Linux"
        case .call("targetEnvironment", _): return false
        case .call("_runtime", let runtime): return runtime == "_Native"
        case .call("canImport", let module):
            if AppleModules.advice[module] != nil || ["Darwin", "ObjectiveC"].contains(module) { return false }
            let known = ["CoreData", "Foundation", "FoundationNetworking", "FoundationXML", "Dispatch", "Glibc"]
            return known.contains(module) ? true : nil
        case .call: return nil
        }
    }
}
