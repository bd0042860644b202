/// A pattern of the `LIKE` operator: `*` stands for any characters, `?` for exactly one, a backslash takes the next
/// character as it is.
struct WildcardPattern {
    private enum Element<Unit: Equatable> {
        case any
        case one
        case unit(Unit)
    }

    private let elements: [Element<Character>]
    /// The pattern as bytes, when it is ASCII; used for texts that are ASCII too.
    private let bytes: [Element<UInt8>]?
    private let options: StringComparison.Options

    init(_ pattern: String, options: StringComparison.Options) {
        self.options = options
        var elements: [Element<Character>] = []
        var isEscaped = false
        for character in StringComparison.fold(pattern, options) {
            if isEscaped {
                elements.append(.unit(character))
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "*" {
                elements.append(.any)
            } else if character == "?" {
                elements.append(.one)
            } else {
                elements.append(.unit(character))
            }
        }
        if isEscaped { elements.append(.unit("\\")) }
        self.elements = elements
        let bytes = elements.compactMap { element -> Element<UInt8>? in
            switch element {
            case .any: .any
            case .one: .one
            // The pair of carriage return and line feed is one character of two bytes.
            case .unit(let character): character == "\r\n" ? nil : character.asciiValue.map { .unit($0) }
            }
        }
        self.bytes = bytes.count == elements.count ? bytes : nil
    }

    /// Whether the whole of `text` matches the pattern. Linear in the length for each `*`; never exponential.
    func matches(_ text: String) -> Bool {
        if let bytes {
            let ignoresCase = options.contains(.caseInsensitive)
            let result = text.utf8.withContiguousStorageIfAvailable { units -> Bool? in
                // Texts with carriage returns are compared by characters, because a carriage return with a line feed is
                // one character.
                if units.contains(where: { $0 >= 0x80 || $0 == 0x0D }) { return nil }
                return fits(units, bytes) { ignoresCase ? StringComparison.lowercased($0) == $1 : $0 == $1 }
            }
            if let result, let result { return result }
        }
        return fits(Array(StringComparison.fold(text, options)), elements, ==)
    }

    private func fits<Text: RandomAccessCollection<Unit>, Unit>(
        _ text: Text, _ elements: [Element<Unit>], _ areEqual: (Unit, Unit) -> Bool
    ) -> Bool where Text.Index == Int {
        var position = 0
        var element = 0
        var lastStar: Int?
        var resume = 0
        while position < text.count {
            if element < elements.count {
                switch elements[element] {
                case .any:
                    lastStar = element
                    resume = position
                    element += 1
                    continue
                case .one:
                    position += 1
                    element += 1
                    continue
                case .unit(let expected) where areEqual(text[position], expected):
                    position += 1
                    element += 1
                    continue
                case .unit:
                    break
                }
            }
            guard let star = lastStar else { return false }
            resume += 1
            // Each of these steps may go through the whole pattern.
            if resume & 0x3FF == 0, let deadline = ProcessorDeadline.current, deadline.isOver { return false }
            position = resume
            element = star + 1
        }
        while element < elements.count, case .any = elements[element] { element += 1 }
        return element == elements.count
    }
}
