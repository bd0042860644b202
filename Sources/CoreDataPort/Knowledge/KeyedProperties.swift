import CoreDataModelCompiler

/// Properties of managed classes that no model has, and whose key paths need names: `@objc dynamic var`, which
/// key-value coding finds on a Mac.
struct KeyedProperties {
    /// The names of the properties, by the full name of the class.
    private var names: [String: [String]] = [:]

    init(_ sources: [SourceFile], _ keys: KnownKeys, _ uses: KeyPathUses) {
        for source in sources {
            // The rule writes the member into the class, so its body must be in a source.
            for body in source.scopes.bodies
            where keys.isManaged(body.type) && keys.types.declarations[body.type]?.isClass == true {
                for property in Self.exposedProperties(of: body, source)
                where !keys.isModelled(property, of: body.type) && uses.asksByKeyOnly(property, in: body.type) {
                    names[body.type, default: []].append(property)
                }
            }
        }
    }

    func properties(of type: String) -> [String] { names[type] ?? [] }

    /// Whether a class, or a superclass of it, has such a property.
    func contains(_ property: String, of type: String, _ types: DeclaredTypes, seenFrom scope: String?) -> Bool {
        types.chain(from: types.fullName(of: type, seenFrom: scope) ?? type).contains {
            names[$0]?.contains(property) == true
        }
    }

    /// The variables in a body that have `@objc` and are not the model's.
    private static func exposedProperties(of body: ScopeMap.Body, _ source: SourceFile) -> [String] {
        let tokens = source.tokens
        var result: [String] = []
        var depth = 0
        var isExposed = false
        var isManaged = false
        for index in tokens.indices where body.range.contains(tokens[index].range.lowerBound) {
            let token = tokens[index]
            if token.isMark("{") { depth += 1 }
            if token.isMark("}") { depth -= 1 }
            guard depth == 0, !source.inactive.contains(token.range.lowerBound) else { continue }
            if token.isWord("objc"), tokens[index - 1].isMark("@") { isExposed = !tokens[index + 1].isMark("(") }
            if token.isWord("NSManaged") { isManaged = true }
            if token.isWord("static") || token.isWord("class") { isExposed = false }
            if token.isWord("var"), isExposed, !isManaged, index + 1 < tokens.count {
                result.append(tokens[index + 1].text.filter { $0 != "`" })
            }
            if ["var", "let", "func", "init", "subscript"].contains(where: token.isWord) {
                isExposed = false
                isManaged = false
            }
        }
        return result
    }
}
