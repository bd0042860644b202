import SwiftScanning

/// A property of a model that a store keeps.
struct ModelProperty {
    let property: ScannedProperty
    let binding: ScannedBinding
    let source: SourceText

    /// The name as it stands in the source, with backticks if it has any.
    var escapedName: String { binding.name.text }
    var name: String { escapedName.withoutBackticks }

    /// The declared type as an expression has it; nil where the compiler infers it.
    var type: String? {
        guard let type = binding.type, let last = type.last else { return nil }
        return last.isMark("!") ? source.text(of: type.dropLast()) + "?" : source.text(of: type)
    }

    /// The default as it stands in the source.
    var value: String? { binding.value.map(source.text(of:)) }

    /// Whether the value may be a model or an array of models. A type of Swift or Foundation is none.
    var mayLead: Bool {
        guard let type = binding.type else {
            // The compiler infers the type: from a literal, or from a call or an array.
            guard let first = binding.value?.first else { return false }
            // A number is a word for the scanner.
            return first.isMark("[")
                || first.isWord && first.text.first?.isNumber == false && !Self.plainWords.contains(first.text)
        }
        return type.contains { $0.isWord && !Self.plainWords.contains($0.text) }
    }

    private static let plainWords: Set = [
        "Swift", "Foundation", "Optional", "Array", "Set", "Dictionary", "String", "Bool", "Double", "Float", "Decimal",
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Date", "Data", "UUID",
        "URL", "true", "false", "nil",
    ]

    /// Whether an initialiser may leave it out.
    var hasDefault: Bool { binding.hasDefault && !(property.isConstant && binding.value == nil) }
}

extension ScannedBinding {
    /// Whether there is a value, or the type is optional and so has one.
    var hasDefault: Bool { value != nil || isOptional }

    /// Whether the declared type is optional.
    var isOptional: Bool {
        guard let type, let last = type.last else { return false }
        if last.isMark("?") || last.isMark("!") { return true }
        return type.first?.isWord("Optional") == true
            || (type.first?.isWord("Swift") == true && type.dropFirst(2).first?.isWord("Optional") == true)
    }

    var isComputed: Bool { if case .computed = accessors { true } else { false } }
}

extension ScannedProperty {
    static let references = ["weak", "unowned"]

    /// Whether the objects have a place for it.
    var isStored: Bool { !isOfType && bindings.contains { !$0.isComputed } }

    /// Whether a store keeps it, or would if nothing were wrong with it.
    var isPersisted: Bool { isStored && !isTransient }

    var isTransient: Bool { prefix.attribute("Transient") != nil }
}

extension String {
    var withoutBackticks: String {
        hasPrefix("`") && hasSuffix("`") && utf8.count > 2 ? String(dropFirst().dropLast()) : self
    }
}
