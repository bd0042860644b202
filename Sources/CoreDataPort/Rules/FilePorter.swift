import CoreDataModelCompiler

/// Finds what to change in one file, and what can only be told.
///
/// It looks at tokens, so comments and strings stay as they are, but for the code inside `\( … )` and what macros
/// write. Code that conditional compilation leaves out on Linux stays as well.
struct FilePorter {
    let file: SourceFile
    let keys: KnownKeys
    /// Classes of managed objects by the Objective-C name that a model knows them by, where that is another one.
    let renamedClasses: [String: String]
    let surroundings: Surroundings
    var edits: [TextEdit] = []
    var notes: [PortNote] = []
    /// Declarations that have to stand elsewhere in the file.
    var moves: [Move] = []
    /// The first name in the file of a type that Foundation declares too.
    var ambiguousType: SwiftToken?
    /// Whether something is written that the framework has and Foundation on Linux has not.
    var usesAdditions = false
    /// What stands in for members of protocols that need not be implemented, by the end of the protocol.
    var defaults: [Int: [String]] = [:]
    /// Whether the file imports the framework, as it is now or by what is added.
    var importsFramework = false

    /// Classes inside functions that were looked at.
    var movedClasses: Set<String> = []

    struct Move {
        let range: Range<Int>
        /// Where the brace stands that closes the class it belongs into, or the end of the file.
        let target: Int
    }

    /// The tokens a rule looks at: the file's, or those of one interpolation.
    var tokens: [SwiftToken]
    /// The interpolation the tokens are of.
    var interpolation: SwiftInterpolation?

    init(_ file: SourceFile, keys: KnownKeys, renamedClasses: [String: String], surroundings: Surroundings) {
        self.file = file
        self.surroundings = surroundings
        self.keys = keys
        self.renamedClasses = renamedClasses
        tokens = file.tokens
    }

    /// Applies every rule to every token.
    mutating func run() {
        applyRules()
        for interpolation in file.interpolations {
            tokens = interpolation.tokens
            self.interpolation = interpolation
            applyRules()
        }
        tokens = file.tokens
        interpolation = nil
        openPrivateClasses()
        writeDefaults()
        writeFunctions()
        turnMovesIntoEdits()
        addImports()
        reportVanished()
        notes.sort { ($0.line, $0.column) < ($1.line, $1.column) }
    }

    private mutating func applyRules() {
        var index = 0
        while index < tokens.count {
            let token = tokens[index]
            defer { index += 1 }
            if file.inactive.contains(token.range.lowerBound) { continue }
            if token.isMark("@") {
                portAttribute(at: index)
                if isWord("NSManaged", at: index + 1) { portLocalClass(at: index) }
            } else if token.isMark("#") {
                portKeyPath(at: index)
                portSelector(at: index)
            } else if token.isWord {
                portWord(at: index)
            } else if case .literal = token.kind {
                portMacroText(at: index)
            }
        }
    }

    private mutating func portWord(at index: Int) {
        switch tokens[index].text {
        case "import": portImport(at: index)
        case "as": portCast(at: index)
        case "override":
            portOverride(at: index)
        case "Bundle", "init": portBundle(at: index)
        case "NSPredicate": portEmptyPredicate(at: index)
        case "Foundation": portQualifiedName(at: index)
        case "withVaList": portArgumentList(at: index)
        case "getVaList": portArgumentPointer(at: index)
        case "CVarArg": portArgumentType(at: index)
        case "fputs": portErrorOutput(at: index)
        case "value": portMutableValue(at: index)
        case "urls": portResourceList(at: index)
        case "classForCoder": portClassForCoder(at: index)
        case "description": portClassDescription(at: index)
        case "className": portTestName(at: index)
        case "NSSet", "NSMutableSet": portSetLiteral(at: index)
        case "wait", "fulfillment": portWait(at: index)
        case "commonModes", "defaultMode": portRunLoopMode(at: index)
        case "func": portGenericRequest(at: index)
        case "fetchRequest": portPlainRequest(at: index)
        case "managedObjectClassName": portClassName(at: index)
        case "NSStringFromClass": portNameOfClass(at: index)
        case "Selector", "NSSelectorFromString": portNamedSelector(at: index)
        case "NSExpression", "NSComparisonPredicate", "NSCompoundPredicate":
            ambiguousType = ambiguousType ?? tokens[index]
        default:
            portOptionalCall(at: index)
            portSetValue(at: index)
            reportName(at: index)
        }
    }

    // MARK: Looking around

    func token(_ index: Int) -> SwiftToken? { tokens.indices.contains(index) ? tokens[index] : nil }

    func isMark(_ mark: String, at index: Int) -> Bool { token(index)?.isMark(mark) == true }

    func isWord(_ word: String, at index: Int) -> Bool { token(index)?.isWord(word) == true }

    /// The index of the mark that closes the bracket at an index; `nil` when the text ends before.
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

    // MARK: Saying and changing

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
