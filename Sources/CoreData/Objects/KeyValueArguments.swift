/// Tests an optional of an unknown type for nil.
private protocol NestedOptional {
    var isNilWithin: Bool { get }
}

extension Optional: NestedOptional {
    /// Whether there is no value, or the value is an optional without one: `nil as String?` that was given as `Any`.
    var isNilWithin: Bool {
        switch self {
        case nil: true
        case let value?: (value as? any NestedOptional)?.isNilWithin ?? false
        }
    }
}

extension String {
    /// The string with the case of its first letter changed.
    var withOtherFirstLetter: String {
        let first = prefix(1)
        let upper = first.uppercased()
        return (upper == first ? first.lowercased() : upper) + dropFirst()
    }
}
