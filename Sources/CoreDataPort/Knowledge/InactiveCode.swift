import CoreDataModelCompiler
import SwiftScanning

/// The parts of a file that conditional compilation leaves out on Linux. They may keep code for Apple's platforms.
struct InactiveCode {
    /// The code between two directives of conditional compilation.
    struct Branch {
        let range: Range<Int>
        /// The directive at its beginning.
        let start: SwiftToken
        let isLeftOut: Bool
    }

    private(set) var branches: [Branch] = []

    init(_ tokens: [SwiftToken]) {
        // The state of each open `#if`: the present branch, and whether a branch before it was certainly taken.
        var open: [(start: SwiftToken, isLeftOut: Bool, isDecided: Bool)] = []
        for token in tokens {
            guard case .directive(let directive) = token.kind else { continue }
            if directive != .ifCondition {
                guard let last = open.popLast() else { continue }
                let range = last.start.range.upperBound..<token.range.lowerBound
                branches.append(Branch(range: range, start: last.start, isLeftOut: last.isLeftOut))
                if directive == .end { continue }
                let holds = directive == .elseBranch ? nil : Condition.evaluate(token.text)
                open.append((token, last.isDecided || holds == false, last.isDecided || holds == true))
            } else {
                let holds = Condition.evaluate(token.text)
                open.append((token, holds == false, holds == true))
            }
        }
    }

    func contains(_ position: Int) -> Bool {
        branches.contains { $0.isLeftOut && $0.range.contains(position) }
    }

    /// Whether a place is compiled only if a module exists.
    func isGuarded(_ position: Int, by module: String) -> Bool {
        branches.contains { $0.range.contains(position) && $0.start.text.contains("canImport(\(module))") }
    }
}

/// The value of a condition of compilation on Linux.
private enum Condition {
    /// The value; `nil` if it depends on flags or on unknown facts.
    static func evaluate(_ text: String) -> Bool? { BuildCondition(text).holds(answer: answer) }

    private static func answer(_ question: BuildCondition.Question) -> Bool? {
        switch question {
        // The result of a port is a package, without a project of Xcode's.
        case .flag(let name): return name == "SWIFT_PACKAGE" ? true : nil
        case .call("os", let system): return system == "Linux"
        case .call("targetEnvironment", _): return false
        case .call("_runtime", let runtime): return runtime == "_Native"
        case .call("canImport", let module):
            // A package of the same build may have these modules.
            if AppleModules.ofLogging.contains(module) { return nil }
            if AppleModules.advice[module] != nil || ["Darwin", "ObjectiveC"].contains(module) { return false }
            let known = [
                "CoreData", "SwiftData", "Foundation", "FoundationNetworking", "FoundationXML", "Dispatch", "Glibc",
            ]
            return known.contains(module) ? true : nil
        case .call: return nil
        }
    }
}
