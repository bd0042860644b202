import CoreDataModelCompiler

/// One kind of change or report of `coredata port`, with the places in a source to which it applies.
///
/// The rules that rewrite are in `PortRule.rewriting`, those that only report in `PortRule.reporting`. The first ones
/// are applied first, each in the order of its list.
struct PortRule: Sendable {
    /// A token that triggers a rule.
    enum Trigger: Hashable, Sendable, ExpressibleByStringLiteral {
        case word(String)
        case mark(String)
        case anyWord
        /// A string or regular expression.
        case literal

        init(stringLiteral word: String) { self = .word(word) }
    }

    /// The subject of the rule's work, and the work itself.
    enum Work: Sendable {
        /// A whole file, before anything else. Returns whether nothing else is to be done to it.
        case wholeFile(@Sendable (inout FilePorter) -> Bool)
        case tokens([Trigger], @Sendable (inout FilePorter, Int) -> Void)
        /// A whole file, after all tokens.
        case file(@Sendable (inout FilePorter) -> Void)
        case manifest(@Sendable (inout ManifestPorter) -> Void)
        /// The source of a model, with the classes that have another name in Swift.
        case model(@Sendable ([UInt8], [String: String]) -> [TextEdit])
    }

    let name: String
    /// The line for `coredata port --rules`.
    let summary: String
    let work: Work

    init(
        _ name: String, _ summary: String, at triggers: Trigger...,
        port: @escaping @Sendable (inout FilePorter, Int) -> Void
    ) {
        self.init(name: name, summary: summary, work: .tokens(triggers, port))
    }

    init(
        _ name: String, _ summary: String, at triggers: [Trigger],
        port: @escaping @Sendable (inout FilePorter, Int) -> Void
    ) {
        self.init(name: name, summary: summary, work: .tokens(triggers, port))
    }

    init(_ name: String, _ summary: String, ofFile port: @escaping @Sendable (inout FilePorter) -> Void) {
        self.init(name: name, summary: summary, work: .file(port))
    }

    init(_ name: String, _ summary: String, ofWholeFile port: @escaping @Sendable (inout FilePorter) -> Bool) {
        self.init(name: name, summary: summary, work: .wholeFile(port))
    }

    init(_ name: String, _ summary: String, ofManifest port: @escaping @Sendable (inout ManifestPorter) -> Void) {
        self.init(name: name, summary: summary, work: .manifest(port))
    }

    init(
        _ name: String, _ summary: String, ofModel edits: @escaping @Sendable ([UInt8], [String: String]) -> [TextEdit]
    ) {
        self.init(name: name, summary: summary, work: .model(edits))
    }

    /// Creates a rule that reports each of some words with one advice.
    init(_ name: String, _ summary: String, at words: Trigger..., says advice: String) {
        self.init(name: name, summary: summary, work: .tokens(words) { $0.byHand($0.tokens[$1], advice) })
    }

    private init(name: String, summary: String, work: Work) {
        self.name = name
        self.summary = summary
        self.work = work
    }
}

/// Rules by their triggers.
struct PortRules: Sendable {
    /// All rules.
    static let all = PortRules(PortRule.rewriting + PortRule.reporting)

    private var ofTokens: [PortRule.Trigger: [@Sendable (inout FilePorter, Int) -> Void]] = [:]
    private(set) var ofWholeFiles: [@Sendable (inout FilePorter) -> Bool] = []
    private(set) var ofFiles: [@Sendable (inout FilePorter) -> Void] = []
    private(set) var ofManifests: [@Sendable (inout ManifestPorter) -> Void] = []
    private(set) var ofModels: [@Sendable ([UInt8], [String: String]) -> [TextEdit]] = []

    init(_ rules: [PortRule]) {
        for rule in rules {
            switch rule.work {
            case .tokens(let triggers, let port):
                for trigger in triggers { ofTokens[trigger, default: []].append(port) }
            case .wholeFile(let port): ofWholeFiles.append(port)
            case .file(let port): ofFiles.append(port)
            case .manifest(let port): ofManifests.append(port)
            case .model(let edits): ofModels.append(edits)
            }
        }
    }

    /// Applies the rules for one token.
    func apply(to porter: inout FilePorter, at index: Int) {
        let token = porter.tokens[index]
        switch token.kind {
        case .word:
            apply(.word(token.text), to: &porter, at: index)
            apply(.anyWord, to: &porter, at: index)
        case .mark: apply(.mark(token.text), to: &porter, at: index)
        case .literal: apply(.literal, to: &porter, at: index)
        case .directive: break
        }
    }

    private func apply(_ trigger: PortRule.Trigger, to porter: inout FilePorter, at index: Int) {
        for port in ofTokens[trigger] ?? [] { port(&porter, index) }
    }

    /// The text of `coredata port --rules`.
    static var list: String {
        let width = (PortRule.rewriting + PortRule.reporting).map(\.name.count).max() ?? 0
        func lines(_ title: String, _ rules: [PortRule]) -> String {
            title + ":\n"
                + rules.map { rule in
                    "  \(rule.name)\(String(repeating: " ", count: width - rule.name.count))  \(rule.summary)\n"
                }.joined()
        }
        return lines("rewrites", PortRule.rewriting) + "\n" + lines("reports", PortRule.reporting)
    }
}
