/// A key path that was parsed once: its text and its keys.
package struct KeyValuePath: Equatable {
    /// The whole path, dots included.
    package let text: String
    /// The keys between the dots; a collection operator keeps its `@`.
    package let keys: [String]

    /// Whether the path begins with a collection operator.
    let isOperator: Bool

    package init(_ text: String) {
        self.text = text
        isOperator = text.utf8.first == 0x40  // @
        keys =
            text.utf8.contains(0x2E)  // .
            ? text.split(separator: ".", omittingEmptySubsequences: false).map(String.init) : [text]
    }

    /// The path with reserved words escaped by `#`.
    var printed: String {
        guard keys.contains(where: { PredicateLexer.needsEscape($0) }) else { return text }
        return keys.map { PredicateLexer.needsEscape($0) ? "#" + $0 : $0 }.joined(separator: ".")
    }
}

extension KeyValuePath {
    /// The value at the path, beginning at `object`.
    ///
    /// A key of a collection is read from each element; the result is an array (with `NSNull` for missing values; the
    /// elements of nested collections are joined). Operators: `@count`, `@sum`, `@avg`, `@min`, `@max`,
    /// `@unionOfObjects`, `@distinctUnionOfObjects` and their relatives for arrays and sets.
    func value(in object: Any?) -> Any? {
        read(object, from: 0, to: keys.count)
    }

    /// The value at the path, beginning at an object that conforms to `KeyValueReadable`. This version needs no cast of
    /// the object, which costs more than the reading.
    func value(of object: any KeyValueReadable) -> Any? {
        guard let key = keys.first, key.utf8.first != 0x40, key != "self", key != "SELF" else {
            return value(in: object)
        }
        let first = object.value(inPredicateForKey: key)
        return keys.count == 1 ? first : read(first, from: 1, to: keys.count)
    }

    private func read(_ start: Any?, from first: Int, to end: Int) -> Any? {
        var current = start
        var index = first
        while index < end {
            let key = keys[index]
            guard let object = current else { return nil }
            if key.utf8.first == 0x40 {
                return apply(key, to: object, restAt: index + 1)
            }
            if key == "self" || key == "SELF" {
                index += 1
            } else if type(of: object) == [String: Any].self {
                current = (object as! [String: Any])[key]
                index += 1
            } else if let readable = KeyValueAccess.readable(object) {
                current = readable.value(inPredicateForKey: key)
                index += 1
            } else if let elements = Self.elements(object) {
                // An operator further down works on the combined values of all elements.
                let next = keys[index..<end].firstIndex { $0.first == "@" } ?? end
                current = gather(elements, from: index, to: next)
                index = next
            } else {
                current = KeyValueAccess.value(of: object, forKey: key)
                index += 1
            }
        }
        return current
    }

    private func gather(_ elements: [Any], from index: Int, to end: Int) -> [Any] {
        var result: [Any] = []
        result.reserveCapacity(elements.count)
        for element in elements {
            let value = read(element, from: index, to: end)
            if let value, let nested = Self.elements(value) {
                result.append(contentsOf: nested)
            } else {
                result.append(value ?? NSNull())
            }
        }
        return result
    }

    private static func elements(_ object: Any) -> [Any]? {
        if case .collection(let elements) = ExpressionValue(object) { elements } else { nil }
    }

    private func apply(_ name: String, to object: Any, restAt index: Int) -> Any? {
        let elements = ExpressionValue(object).elements ?? [object]
        if name == "@count" { return NSNumber(value: elements.count) }
        let values = index < keys.count ? gather(elements, from: index, to: keys.count) : elements
        return CollectionOperator.apply(name, to: values)
    }
}

/// The `@` operators of key paths.
enum CollectionOperator {
    /// The names of all operators.
    static let names: Set<String> = [
        "@count", "@sum", "@avg", "@min", "@max", "@unionOfObjects", "@unionOfArrays", "@unionOfSets",
        "@distinctUnionOfObjects", "@distinctUnionOfArrays", "@distinctUnionOfSets",
    ]

    static func apply(_ name: String, to values: [Any]) -> Any? {
        let present = values.filter { !($0 is NSNull) }
        switch name {
        case "@count":
            return NSNumber(value: values.count)
        case "@sum":
            return ExpressionFunction.sum(present)
        case "@avg":
            return ExpressionFunction.average(present)
        case "@min":
            return ExpressionFunction.extremum(present, .orderedAscending)
        case "@max":
            return ExpressionFunction.extremum(present, .orderedDescending)
        case "@unionOfObjects", "@unionOfArrays", "@unionOfSets":
            return present
        case "@distinctUnionOfObjects", "@distinctUnionOfArrays", "@distinctUnionOfSets":
            return ExpressionFunction.distinct(present)
        default:
            return UndecidedPredicate.noValue(
                "valueForKeyPath: the key path has an operator that is not known: \(name)")
        }
    }
}
