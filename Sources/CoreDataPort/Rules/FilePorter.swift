import CoreDataModelCompiler
import SwiftScanning

/// Finds the changes of one file, and the places that can only be reported.
///
/// The porter reads tokens, so comments and strings stay as they are, except for the code inside `\( … )` and the code
/// that macros write. Code that conditional compilation leaves out on Linux stays as well.
struct FilePorter {
    let file: SourceFile
    let rules: PortRules
    let keys: KnownKeys
    /// Classes of managed objects by the Objective-C name that a model has for them, if it differs.
    let renamedClasses: [String: String]
    let surroundings: Surroundings
    var edits: [TextEdit] = []
    var notes: [PortNote] = []
    /// Declarations that must have another place in the file.
    var moves: [Move] = []
    /// The first name in the file of a type that Foundation declares too.
    var ambiguousType: SwiftToken?
    /// Whether the new code uses a name that the framework has and Foundation on Linux has not.
    var usesAdditions = false
    /// The default implementations for optional members of protocols, by the end of the protocol.
    var defaults: [Int: [String]] = [:]
    /// The products that the target needs for the file's imports, as they are now or by an edit.
    var neededProducts: Set<PackageProduct> = []
    /// The first import of a module that a product replaces.
    var replacedModules: [PackageProduct: SwiftToken] = [:]

    /// The statements and imports that a new condition leaves out.
    var leftOut: [Range<Int>] = []
    /// Classes inside functions that were handled.
    var movedClasses: Set<String> = []

    struct Move {
        let range: Range<Int>
        /// The place of the brace that closes its class, or the end of the file.
        let target: Int
    }

    /// The tokens for the rules: the file's, or those of one interpolation.
    var tokens: [SwiftToken]
    /// The interpolation of the tokens; `nil` for the file's own.
    var interpolation: SwiftInterpolation?

    init(
        _ file: SourceFile, rules: PortRules, keys: KnownKeys, renamedClasses: [String: String],
        surroundings: Surroundings
    ) {
        self.file = file
        self.rules = rules
        self.surroundings = surroundings
        self.keys = keys
        self.renamedClasses = renamedClasses
        tokens = file.tokens
    }

    /// Applies every rule to every token, then to the file as a whole.
    mutating func run() {
        for port in rules.ofWholeFiles where port(&self) { return }
        applyToTokens()
        for interpolation in file.interpolations {
            tokens = interpolation.tokens
            self.interpolation = interpolation
            applyToTokens()
        }
        tokens = file.tokens
        interpolation = nil
        writeDefaults()
        for port in rules.ofFiles { port(&self) }
        turnMovesIntoEdits()
        notes.sort { ($0.line, $0.column) < ($1.line, $1.column) }
    }

    private mutating func applyToTokens() {
        let rules = rules
        for index in tokens.indices where !file.inactive.contains(tokens[index].range.lowerBound) {
            rules.apply(to: &self, at: index)
        }
    }

    // MARK: Neighbouring tokens

    func token(_ index: Int) -> SwiftToken? { tokens.indices.contains(index) ? tokens[index] : nil }

    func isMark(_ mark: String, at index: Int) -> Bool { token(index)?.isMark(mark) == true }

    func isWord(_ word: String, at index: Int) -> Bool { token(index)?.isWord(word) == true }

    /// The index of the mark that closes the bracket at an index; `nil` if the text ends before.
    func closing(of index: Int) -> Int? { tokens.closing(of: index) }

    /// The index of the mark that opens the bracket closed at an index.
    func opening(of index: Int) -> Int? {
        var depth = 0
        for position in stride(from: index, through: 0, by: -1) {
            if [")", "]", "}"].contains(where: tokens[position].isMark) { depth += 1 }
            if ["(", "[", "{"].contains(where: tokens[position].isMark) {
                depth -= 1
                if depth == 0 { return position }
            }
        }
        return nil
    }

    /// The text of a part of the file, given in bytes.
    func text(_ range: Range<Int>) -> String { String(decoding: file.bytes[range], as: UTF8.self) }

    /// The text of some tokens, including everything between them.
    func text(ofTokens range: Range<Int>) -> String {
        text(tokens[range.lowerBound].range.lowerBound..<tokens[range.upperBound - 1].range.upperBound)
    }

    /// The spaces at the beginning of a place's line.
    func indentation(at position: Int) -> String {
        let start = file.bytes[..<position].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let blank = file.bytes[start..<position].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return String(decoding: blank, as: UTF8.self)
    }

    // MARK: Notes and edits

    /// Whether another rule has already rewritten a token.
    func isRewritten(_ index: Int) -> Bool { edits.contains { $0.range.contains(tokens[index].range.lowerBound) } }

    /// Whether a new condition leaves a token out.
    func isLeftOut(_ index: Int) -> Bool { leftOut.contains { $0.contains(tokens[index].range.lowerBound) } }

    mutating func byHand(_ token: SwiftToken, _ message: String) { note(.byHand, token, message) }

    mutating func hint(_ token: SwiftToken, _ message: String) { note(.hint, token, message) }

    private mutating func note(_ kind: PortNote.Kind, _ token: SwiftToken, _ message: String) {
        notes.append(
            PortNote(kind: kind, file: file.path, line: token.line, column: token.column, message: message))
    }

    mutating func replace(_ range: Range<Int>, by text: String) {
        edits.append(TextEdit(range: range, replacement: text))
    }

    mutating func insert(_ text: String, at position: Int) { replace(position..<position, by: text) }
}
