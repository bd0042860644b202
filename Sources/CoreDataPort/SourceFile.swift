import CoreDataModelCompiler
import SwiftScanning

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
        let scanned = SwiftLexer.scan(text)
        (tokens, interpolations) = (scanned.tokens, scanned.interpolations)
        inactive = InactiveCode(tokens)
        scopes = ScopeMap(tokens)
    }
}
