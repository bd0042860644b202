import SwiftScanning

/// What is wrong with a class that is to be a model.
struct ModelCheck {
    let use: MacroUse
    let type: ScannedType

    private var source: SourceText { use.syntax }
    private var properties: PropertyCheck { PropertyCheck(use) }

    /// The columns that a table of SQLite's has at most.
    static let mostProperties = 2000

    /// The longest source of a class. The compiler sends it once for each member.
    static let longestSource = 500_000

    /// Whether the class can be a model at all.
    var isModel: Bool { wrongKind() == nil && tooManyProperties() == nil }

    /// The persisted properties with which nothing is wrong.
    var soundProperties: [ModelProperty] {
        persisted.filter(properties.isSound).map {
            ModelProperty(property: $0, binding: $0.bindings[0], source: source)
        }
    }

    private var persisted: [ScannedProperty] {
        type.members.compactMap { member in
            if case .property(let property) = member, property.isPersisted { property } else { nil }
        }
    }

    func diagnostics() -> [MacroDiagnostic] {
        if let error = wrongKind() ?? tooManyProperties() { return [error] }
        let unstored = unstored()
        return [isolated(), withoutInitializer()].compactMap(\.self)
            + type.members.flatMap { member in
                switch member {
                case .property(let property): properties.diagnostics(of: property) + circularInverse(of: property)
                case .macro(let macro): wrongNames(in: macro, unstored)
                case .function, .directive: [MacroDiagnostic]()
                }
            }
    }

    private func error(_ message: String, at token: SwiftToken) -> MacroDiagnostic {
        MacroDiagnostic(severity: .error, message: message, place: source.place(of: token))
    }

    private func wrongKind() -> MacroDiagnostic? {
        if type.keyword.text != "class" {
            return error(
                "'@Model' can only be applied to a class, and '\(type.name.text)' is of another kind: write 'class' "
                    + "instead of '\(type.keyword.text)'", at: type.keyword)
        }
        guard type.isGeneric else { return nil }
        return error("a generic class cannot be a model: an entity has one name", at: type.name)
    }

    /// The compiler refuses the conformance of an isolated class, and names no line of the source.
    private func isolated() -> MacroDiagnostic? {
        guard let attribute = type.prefix.attribute("MainActor"), let version = use.languageVersion, version >= 6 else {
            return nil
        }
        return error("a model belongs to its context and not to an actor: leave out '@MainActor'", at: attribute.at)
    }

    /// The initialiser that `@Model` adds keeps the compiler from adding or inheriting one.
    private func withoutInitializer() -> MacroDiagnostic? {
        let hasInitializer = type.members.contains { member in
            if case .function("init", _) = member { true } else { false }
        }
        guard !hasInitializer else { return nil }
        return error(
            "'\(type.name.text)' needs an initializer: write 'init' with a value for each property", at: type.name)
    }

    private func tooManyProperties() -> MacroDiagnostic? {
        let persisted = persisted
        guard persisted.count > Self.mostProperties else { return nil }
        return error(
            "a model has at most \(Self.mostProperties) persisted properties, and this class has \(persisted.count)",
            at: persisted[Self.mostProperties].keyword)
    }

    /// The names in `#Unique` and `#Index` that no store can look up.
    private func wrongNames(in macro: ScannedMacro, _ unstored: [String: String]) -> [MacroDiagnostic] {
        guard ["Unique", "Index"].contains(macro.name) else { return [] }
        let last = macro.arguments.endIndex - 1
        return macro.arguments.indices.compactMap { index in
            guard macro.arguments[index].isMark("."), index < last, index > macro.arguments.startIndex else {
                return nil
            }
            let (before, name) = (macro.arguments[index - 1], macro.arguments[index + 1])
            // The root of the key path may be written or left out.
            let start = before.isWord ? max(macro.arguments.startIndex, index - 2) : index - 1
            guard macro.arguments[start].isMark("\\"), let reason = unstored[name.text] else { return nil }
            return error("'\(name.text)' is \(reason), so '#\(macro.name)' cannot use it", at: name)
        }
    }

    /// The properties that no store keeps, each with the reason.
    private func unstored() -> [String: String] {
        var reasons: [String: String] = [:]
        for case .property(let property) in type.members {
            for binding in property.bindings {
                if property.isOfType {
                    reasons[binding.name.text] = "a property of the type"
                } else if binding.isComputed {
                    reasons[binding.name.text] = "computed"
                } else if property.isTransient {
                    reasons[binding.name.text] = "transient"
                }
            }
        }
        return reasons
    }

    // MARK: Inverses

    /// The error of an inverse that both sides name. The compiler's own error shows neither of them.
    private func circularInverse(of property: ScannedProperty) -> [MacroDiagnostic] {
        guard let name = property.bindings.first?.name.text,
            let arguments = property.prefix.attribute("Relationship")?.arguments,
            let label = arguments.indices.first(where: { arguments[$0].isWord("inverse") }),
            label + 5 < arguments.endIndex
        else { return [] }
        let path = arguments[(label + 2)...].prefix(4)
        let (other, end) = (path[path.startIndex + 1], path[path.startIndex + 3])
        guard path.first?.isMark("\\") == true, path[path.startIndex + 2].isMark("."),
            label + 6 == arguments.endIndex
                || arguments[label + 6].isMark(",")
        else { return [] }
        let place = source.place(of: arguments[label])
        let relationship = NamedInverses.Relationship(
            surroundings: use.surroundings, type: type.name.text, property: name)
        let inverse = NamedInverses.Relationship(
            surroundings: use.surroundings, type: other.text, property: end.text)
        guard let first = NamedInverses.note(relationship, inverse: inverse, at: place) else { return [] }
        return [
            MacroDiagnostic(
                severity: .error,
                message: "'\(inverse.text)' names '\(relationship.text)' as its inverse: leave out one of the two",
                place: place, notes: [.init(message: "the inverse is named here, too", place: first)])
        ]
    }
}
