import SwiftScanning

/// A message of the compiler.
enum PluginMessage {
    case capability
    case expansion(MacroUse)
    /// A message of another version of the compiler.
    case unknown

    init(_ bytes: [UInt8]) {
        switch JSONText(bytes).members.first {
        case ("getCapability", _)?: self = .capability
        case ("expandAttachedMacro", let use)?: self = .expansion(MacroUse(use, syntax: "declSyntax"))
        case ("expandFreestandingMacro", let use)?: self = .expansion(MacroUse(use, syntax: "syntax"))
        default: self = .unknown
        }
    }
}

/// One use of a macro, as the compiler sends it.
struct MacroUse {
    /// The role in the message: `member`, `accessor` and so on.
    let role: String
    /// The name of the macro's type in the plugin.
    let macro: String
    /// The declaration with the attribute, or the macro's own text if it stands alone.
    let syntax: SourceText
    private let attributeSyntax: JSONText?
    /// The type around the declaration.
    let parent: JSONText?
    /// The text of the type for which an extension is made.
    let extendedType: String?
    /// The names of the conformances that the type lacks so far.
    let missingConformances: Set<String>
    /// The declarations around, from the innermost, without their bodies.
    let surroundings: [String]
    /// The setting of the compiler, a JSON text in a string.
    private let setting: JSONText?

    init(_ message: JSONText, syntax key: String) {
        let members = Dictionary(message.members, uniquingKeysWith: { first, _ in first })
        role = members["macroRole"]?.string ?? ""
        let macro = members["macro"]
        self.macro = macro?["typeName"]?.string ?? macro?["name"]?.string ?? ""
        syntax = SourceText(members[key])
        attributeSyntax = members["attributeSyntax"]
        parent = members["parentDeclSyntax"]
        extendedType = members["extendedTypeSyntax"]?["source"]?.string?.trimmed
        let placeholder = members["conformanceListSyntax"]?["source"]?.string ?? ""
        missingConformances = Set(SwiftLexer.tokens(in: placeholder).filter(\.isWord).map(\.text))
        surroundings = members["lexicalContext"]?.elements.compactMap { $0["source"]?.string } ?? []
        setting = members["staticBuildConfiguration"]
    }

    /// The attribute's own text.
    var attribute: SourceText { SourceText(attributeSyntax) }

    /// The version of the language in which the module is compiled; nil for a compiler that does not send it.
    var languageVersion: Int? {
        guard let text = setting?.string else { return nil }
        return JSONText(Array(text.utf8))["languageMode"]?["components"]?.elements.first?.integer
    }

    /// The type right around the declaration, without its members.
    var surroundingType: ScannedType? {
        guard let text = surroundings.first else { return nil }
        var scanner = MemberScanner(SwiftLexer.tokens(in: text))
        return scanner.readType()
    }
}
