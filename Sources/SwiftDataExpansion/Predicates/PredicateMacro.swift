import SwiftScanning

/// `#Predicate` and `#Expression` for models.
struct PredicateMacro {
    private let use: MacroUse
    /// The type that the expansion makes: `Predicate` or `Expression`.
    private let type: String

    init(_ use: MacroUse, makes type: String) {
        self.use = use
        self.type = type
    }

    func expand() -> MacroAnswer {
        let tokens = SwiftLexer.tokens(in: use.syntax.text)
        var parser = PredicateParser(tokens, of: use.syntax)
        do {
            let closure = try parser.readMacro()
            return MacroAnswer(source: "Foundation.\(type)\(generics(tokens))(\(closure))")
        } catch {
            let token = error.token ?? tokens.last
            let place = token.map { use.syntax.place(of: $0) } ?? SourcePlace(file: use.syntax.file, offset: 0)
            return MacroAnswer(diagnostics: [
                MacroDiagnostic(severity: .error, message: error.message, place: place)
            ])
        }
    }

    /// The generic arguments as they are written: `<Trip>`.
    private func generics(_ tokens: [SwiftToken]) -> String {
        guard tokens.count > 2, tokens[2].isMark("<"), let end = tokens.closingAngle(of: 2) else { return "" }
        return use.syntax.text(of: tokens[2...end])
    }
}

/// A part of a source that no predicate can have.
struct PredicateFault: Error {
    let message: String
    /// The place; nil for the end of the source.
    let token: SwiftToken?

    init(_ message: String, at token: SwiftToken?) {
        self.message = message
        self.token = token
    }
}

extension [SwiftToken] {
    /// The index of the angle bracket that closes the one at an index.
    func closingAngle(of index: Int) -> Int? {
        var depth = 0
        var position = index
        while position < count {
            let token = self[position]
            if token.isMark("<") { depth += 1 }
            if token.isMark(">") { depth -= 1 }
            if depth == 0 { return position }
            if token.isMark("(") || token.isMark("[") || token.isMark("{") {
                guard let end = closing(of: position) else { return nil }
                position = end
            }
            position += 1
        }
        return nil
    }
}
