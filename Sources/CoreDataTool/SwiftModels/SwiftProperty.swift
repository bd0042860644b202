/// A property of a class as it stands in the source.
struct SwiftProperty {
    let name: String
    /// The type; nil for a property that is left out.
    let type: String?
    /// The attribute before it, such as `@Relationship(deleteRule: .cascade)`.
    var attribute: String?
    var initial: String?
    var comments: [String] = []

    var lines: [String] {
        guard let type else { return comments }
        let start = attribute.map { $0 + " " } ?? ""
        let end = initial.map { " = \($0)" } ?? ""
        return comments + ["\(start)var \(SwiftLiteral.name(name)): \(type)\(end)"]
    }

    /// The parameter of an initialiser; nil if the property has a value without one.
    var parameter: SwiftParameter? {
        guard let type, initial == nil, !type.hasSuffix("?") else { return nil }
        return SwiftParameter(name: name, type: type)
    }
}

/// A parameter of an initialiser.
struct SwiftParameter {
    let name: String
    let type: String
}
