/// Names of an enumeration's cases for raw values that rows have.
struct SwiftCaseNames {
    private var taken: Set<String> = []

    /// `Bird Shaped Glass` is `birdShapedGlass`, and -1 is `minus1`.
    mutating func name(of value: Any) -> String {
        let plain = (value as? String).map(Self.name) ?? "\(value)".replacing("-", with: "minus")
        let name = plain.first.map { $0.isLetter || $0 == "_" } == true ? plain : "value" + plain
        var free = name
        var number = 2
        while !taken.insert(free).inserted {
            free = "\(name)_\(number)"
            number += 1
        }
        return free
    }

    private static func name(_ text: String) -> String {
        // A raw value that is an identifier was most likely the case's name.
        if SwiftLiteral.isIdentifier(text), text.first?.isLowercase == true { return text }
        let words = text.split { !$0.isLetter && !$0.isNumber }
        guard let first = words.first else { return "empty" }
        let start = first.allSatisfy { $0.isUppercase || $0.isNumber } ? first.lowercased() : lowercased(first)
        return start + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    private static func lowercased(_ word: Substring) -> String { word.prefix(1).lowercased() + word.dropFirst() }
}
