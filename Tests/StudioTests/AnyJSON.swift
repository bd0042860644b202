import Foundation

/// A value of JSON with access by keys and numbers; a missing value is `.null`.
enum AnyJSON: Hashable, Decodable, Sendable {
    case null
    case truth(Bool)
    case number(Double)
    case text(String)
    case list([AnyJSON])
    case object([String: AnyJSON])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let truth = try? container.decode(Bool.self) {
            self = .truth(truth)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([AnyJSON].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: AnyJSON].self))
        }
    }

    init(_ data: Data) throws { self = try JSONDecoder().decode(AnyJSON.self, from: data) }

    subscript(key: String) -> AnyJSON {
        if case .object(let members) = self { members[key] ?? .null } else { .null }
    }

    subscript(place: Int) -> AnyJSON { items.indices.contains(place) ? items[place] : .null }

    var items: [AnyJSON] {
        if case .list(let items) = self { items } else { [] }
    }

    var keys: Set<String> {
        if case .object(let members) = self { Set(members.keys) } else { [] }
    }

    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    var int: Int? {
        if case .number(let number) = self { Int(exactly: number) } else { nil }
    }

    var truth: Bool? {
        if case .truth(let truth) = self { truth } else { nil }
    }

    var isNull: Bool { self == .null }

    /// The member of a list of objects whose value for a key is a text.
    func first(_ key: String, _ text: String) -> AnyJSON { items.first { $0[key].text == text } ?? .null }
}
