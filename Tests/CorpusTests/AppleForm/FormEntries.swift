import Foundation

/// Facts of a file, each at a path that names its place, such as `Car.NSProperties.maker.NSIsOptional`.
///
/// A place has the names of the model in parentheses. Without them it is a kind, such as `NSProperties.*.NSIsOptional`.
struct FormEntries {
    private(set) var texts: [[FormPlace]: String] = [:]

    mutating func add(_ place: [FormPlace], _ text: String) { texts[place] = text }

    mutating func add(_ other: FormEntries) { texts.merge(other.texts) { first, _ in first } }

    /// The differences to the entries of another file.
    ///
    /// A part that one of the two files lacks is one difference, with all that belongs to the part.
    func differences(to other: FormEntries) -> [FormDifference] {
        var found: [FormDifference] = []
        var missing: Set<[FormPlace]> = []
        for place in Set(texts.keys).union(other.texts.keys).sorted(by: { $0.count < $1.count }) {
            let (own, others) = (texts[place], other.texts[place])
            guard own != others, !place.indices.contains(where: { missing.contains(Array(place[..<$0])) }) else {
                continue
            }
            if own == nil || others == nil { missing.insert(place) }
            found.append(FormDifference(place: place, apple: own, ours: others, parts: []))
        }
        return found.map { difference in
            var difference = difference
            if difference.apple == nil { difference.parts = other.parts(of: difference.place) }
            if difference.ours == nil { difference.parts = parts(of: difference.place) }
            return difference
        }
    }

    /// The paths of everything below a place, from the place on.
    private func parts(of place: [FormPlace]) -> [String] {
        texts.keys.filter { $0.count > place.count && $0.starts(with: place) }
            .map { $0.dropFirst(place.count).map(\.text).joined(separator: ".") }.sorted()
    }
}

/// A step of a path.
enum FormPlace: Hashable {
    /// A word of the format.
    case word(String)
    /// A name of the model, or a place in a list.
    case name(String)

    var text: String {
        switch self {
        case .word(let text), .name(let text): text
        }
    }
}

/// One fact in which two files differ. Nil for a file without it.
struct FormDifference: CustomStringConvertible {
    var place: [FormPlace]
    var apple: String?
    var ours: String?
    /// What belongs to a part that one of the two files lacks.
    var parts: [String]

    /// The kind of the difference, without names and values of the model.
    var kind: String {
        let path = place.map { step in if case .word(let word) = step { word } else { "*" } }.joined(separator: ".")
        if ours == nil { return path + ": Apple only" }
        return path + (apple == nil ? ": here only" : ": other")
    }

    var description: String {
        let path = place.map { step in
            switch step {
            case .word(let word): word
            case .name(let name): "(\(name))"
            }
        }
        return "\(path.joined(separator: ".")): \(apple ?? "none") | \(ours ?? "none")"
    }
}
