import CoreDataModelCompiler

/// A Swift file that is to be ported, split into tokens.
struct SourceFile {
    /// The name in messages.
    let path: String
    let bytes: [UInt8]
    let tokens: [SwiftToken]
    let interpolations: [SwiftInterpolation]
    let inactive: InactiveCode
    let scopes: ScopeMap

    init(path: String, text: String) {
        self.path = path
        bytes = Array(text.utf8)
        (tokens, interpolations) = SwiftLexer.tokensAndInterpolations(in: text)
        inactive = InactiveCode(tokens)
        scopes = ScopeMap(tokens)
    }
}
