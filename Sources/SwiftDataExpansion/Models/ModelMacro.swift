import SwiftScanning

// Implementation notes.
//
// The compiler asks for each role of `@Model` by itself, and often for one before another. Only the role of the members
// has the whole class and the conformances that are missing, so it alone reports what is wrong, and it alone knows
// whether the superclass is a model. Accessors are the same for both: the constant `_$core` of the class around them
// has another type in a class below another model.

/// `@Model`.
struct ModelMacro {
    private let use: MacroUse

    init(_ use: MacroUse) {
        self.use = use
    }

    func expand() -> MacroAnswer {
        switch use.role {
        case "member": members()
        case "memberAttribute": MacroAnswer(source: attribute())
        case "extension": MacroAnswer(source: extensions())
        default: MacroAnswer()
        }
    }

    // MARK: Members

    private func members() -> MacroAnswer {
        let length = use.syntax.bytes.count
        guard length <= ModelCheck.longestSource else {
            return refusal("has \(length) bytes, and \(ModelCheck.longestSource) are read at most")
        }
        var scanner = MemberScanner(SwiftLexer.tokens(in: use.syntax.text))
        guard let type = scanner.readType(), type.isWhole else { return refusal("cannot be read") }
        let check = ModelCheck(use: use, type: type)
        let diagnostics = check.diagnostics()
        guard check.isModel else { return MacroAnswer(diagnostics: diagnostics) }
        let writer = ModelWriter(
            type, in: use.syntax, isRoot: use.missingConformances.contains("PersistentModel"),
            properties: check.soundProperties)
        return MacroAnswer(source: writer.members(), diagnostics: diagnostics)
    }

    private func refusal(_ reason: String) -> MacroAnswer {
        let place = SourcePlace(file: use.attribute.file, offset: use.attribute.offset)
        return MacroAnswer(
            diagnostics: [
                MacroDiagnostic(severity: .error, message: "the declaration of a model \(reason)", place: place)
            ])
    }

    // MARK: Attributes of members

    /// The attribute of a persisted property.
    private func attribute() -> String {
        guard !use.syntax.text.isEmpty, isOfReadableClass else { return "" }
        var scanner = MemberScanner(SwiftLexer.tokens(in: use.syntax.text))
        guard case .property(let property)? = scanner.readMember(), property.isPersisted,
            PropertyCheck(use).isSound(property)
        else { return "" }
        return "@SwiftData._PersistedProperty"
    }

    /// Whether the member belongs to a class that the member role accepts. The innermost declaration around it has no
    /// body, so that reading it takes no time.
    private var isOfReadableClass: Bool {
        guard (use.parent?["source"]?.rawLength ?? 0) <= ModelCheck.longestSource,
            let type = use.surroundingType
        else { return false }
        return type.keyword.text == "class" && !type.isGeneric
    }

    // MARK: Conformances

    private func extensions() -> String {
        var scanner = MemberScanner(SwiftLexer.tokens(in: use.syntax.text))
        guard let name = use.extendedType, let type = scanner.readType(), type.keyword.text == "class", !type.isGeneric
        else { return "" }
        let conformances = use.missingConformances
        let attributes = type.prefix.attributes.filter { $0.name == "available" }
            .map { "@available(\(use.syntax.text(of: $0.arguments ?? []))) " }.joined()
        var extensions: [String] = []
        // A module with another default isolation would isolate the conformances, and the class with them.
        let protocols = [("PersistentModel", "SwiftData"), ("Observable", "Observation")]
        let names = protocols.filter { conformances.contains($0.0) }.map { "nonisolated \($0.1).\($0.0)" }
        if !names.isEmpty { extensions.append("\(attributes)extension \(name): \(names.joined(separator: ", ")) {}") }
        if conformances.contains("Sendable") {
            let message =
                "PersistentModels are not Sendable, consider utilizing a ModelActor or use "
                + "\(type.name.text.withoutBackticks)'s persistentModelID instead."
            extensions.append(
                "@available(*, unavailable, message: \"\(message)\")\nextension \(name): Swift.Sendable {}")
        }
        return extensions.joined(separator: "\n\n")
    }
}
