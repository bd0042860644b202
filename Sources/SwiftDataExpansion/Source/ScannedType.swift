import SwiftScanning

typealias TokenSlice = ArraySlice<SwiftToken>

/// A type or a member as it stands in a source.
struct ScannedType {
    let prefix: ScannedPrefix
    /// `class`, `struct` and so on.
    let keyword: SwiftToken
    let name: SwiftToken
    /// Whether it has generic parameters.
    let isGeneric: Bool
    let members: [ScannedMember]
    /// Whether the brace of the body is closed.
    let isWhole: Bool

    var isFinal: Bool { prefix.has("final") }
}

/// A member of a type. Types within it are left out.
enum ScannedMember {
    case property(ScannedProperty)
    /// A function or an initialiser, with the label of its first argument.
    case function(name: String, label: String?)
    case macro(ScannedMacro)
    /// `#if` and the like, which stand between members.
    case directive(SwiftToken)
}

/// The attributes and modifiers before a declaration.
struct ScannedPrefix {
    var attributes: [ScannedAttribute] = []
    var modifiers: [ScannedModifier] = []

    func has(_ modifier: String) -> Bool { modifiers.contains { $0.word.text == modifier } }

    func modifier(_ words: [String]) -> SwiftToken? {
        modifiers.first { words.contains($0.word.text) }?.word
    }

    func attribute(_ name: String) -> ScannedAttribute? { attributes.first { $0.name == name } }

    /// The level of access that stands there.
    var access: String? {
        modifiers.first { $0.detail.isEmpty && Self.levels.contains($0.word.text) }?.word.text
    }

    static let levels = ["private", "fileprivate", "internal", "package", "public", "open"]
}

/// An attribute, such as `@Attribute(.unique)`.
struct ScannedAttribute {
    let at: SwiftToken
    /// The last component of the name.
    let name: String
    /// What stands between the parentheses; nil without parentheses.
    let arguments: TokenSlice?
}

/// A modifier, such as `private(set)`.
struct ScannedModifier {
    let word: SwiftToken
    /// The word in parentheses.
    let detail: String
}

/// `var` or `let` with its variables.
struct ScannedProperty {
    let prefix: ScannedPrefix
    let keyword: SwiftToken
    let bindings: [ScannedBinding]

    var isConstant: Bool { keyword.text == "let" }
    var isOfType: Bool { prefix.has("static") || prefix.has("class") }
}

/// One variable of a declaration.
struct ScannedBinding {
    /// The first token of the pattern: the name, or the parenthesis of a tuple.
    let name: SwiftToken
    let type: TokenSlice?
    let value: TokenSlice?
    let accessors: ScannedAccessors
}

/// What stands in braces behind a variable.
enum ScannedAccessors {
    case none, computed
    /// `willSet` or `didSet`.
    case observers([SwiftToken])
}

/// A macro that stands alone, such as `#Unique<Trip>([\.name])`.
struct ScannedMacro {
    let pound: SwiftToken
    let name: String
    /// What stands between the angle brackets.
    let generics: TokenSlice
    /// What stands between the parentheses.
    let arguments: TokenSlice
}
