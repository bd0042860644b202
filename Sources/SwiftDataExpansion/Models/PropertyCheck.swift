import SwiftScanning

/// What is wrong with the properties of a model.
struct PropertyCheck {
    let use: MacroUse
    private var source: SourceText { use.syntax }

    init(_ use: MacroUse) {
        self.use = use
    }

    /// The errors and warnings of one declaration of properties.
    func diagnostics(of property: ScannedProperty) -> [MacroDiagnostic] {
        guard property.isStored else { return [] }
        if property.isTransient {
            return property.bindings.compactMap { $0.isComputed ? nil : transientWithoutDefault($0) }
        }
        return errors(in: property) + property.bindings.flatMap(observers)
    }

    /// Whether nothing keeps the property from being persisted.
    func isSound(_ property: ScannedProperty) -> Bool { errors(in: property).isEmpty }

    private func errors(in property: ScannedProperty) -> [MacroDiagnostic] {
        let known = [wrongReference(property), severalVariables(property), constant(property)].compactMap(\.self)
        return known.isEmpty ? property.bindings.compactMap(wrongType) : known
    }

    private func error(_ message: String, at token: SwiftToken) -> MacroDiagnostic {
        MacroDiagnostic(severity: .error, message: message, place: source.place(of: token))
    }

    private func transientWithoutDefault(_ binding: ScannedBinding) -> MacroDiagnostic? {
        guard !binding.hasDefault else { return nil }
        return error(
            "'\(binding.name.text)' needs a default or an optional type: a fetched model gets no other value for a "
                + "transient property", at: binding.name)
    }

    private func wrongReference(_ property: ScannedProperty) -> MacroDiagnostic? {
        guard let word = property.prefix.modifier(["lazy"] + ScannedProperty.references) else { return nil }
        return error("a '\(word.text)' property cannot be persisted: mark it '@Transient'", at: word)
    }

    private func severalVariables(_ property: ScannedProperty) -> MacroDiagnostic? {
        guard property.bindings.count != 1 || property.bindings[0].name.isMark("(") else { return nil }
        return error(
            "a persisted property needs a declaration of its own: write '\(property.keyword.text)' for each",
            at: property.keyword)
    }

    private func constant(_ property: ScannedProperty) -> MacroDiagnostic? {
        guard property.isConstant, let version = use.languageVersion, version >= 6 else { return nil }
        return error(
            "a constant cannot be persisted in the Swift 6 language mode: write 'var', or 'private(set) var'",
            at: property.keyword)
    }

    private func wrongType(_ binding: ScannedBinding) -> MacroDiagnostic? {
        let kind: String? =
            if let type = binding.type {
                Self.kind(ofType: type)
            } else if binding.value?.first?.isMark("{") == true, binding.value?.last?.isMark("}") == true {
                "a function"
            } else {
                nil
            }
        guard let kind, let place = binding.type?.first ?? binding.value?.first else { return nil }
        return error(
            "\(kind) cannot be persisted: give '\(binding.name.text)' a type that is 'Codable', or mark it "
                + "'@Transient'", at: place)
    }

    /// What a type is that no store can keep.
    private static func kind(ofType type: TokenSlice) -> String? {
        if type.contains(where: { $0.isMark("->") }) { return "a function" }
        for word in ["Any", "AnyObject", "any"] where type.contains(where: { $0.isWord(word) }) {
            return word == "any" ? "a value of any type of a protocol" : "a value of type '\(word)'"
        }
        var (depth, isTuple) = (0, false)
        for token in type {
            depth += token.isMark("(") ? 1 : token.isMark(")") ? -1 : 0
            if depth > 0, token.isMark(",") { isTuple = true }
        }
        return isTuple ? "a tuple" : nil
    }

    private func observers(_ binding: ScannedBinding) -> [MacroDiagnostic] {
        guard case .observers(let words) = binding.accessors else { return [] }
        return words.map { word in
            MacroDiagnostic(
                severity: .warning,
                message: "'\(word.text)' of a persisted property is not called: let a computed property set "
                    + "'\(binding.name.text)'", place: source.place(of: word))
        }
    }
}
