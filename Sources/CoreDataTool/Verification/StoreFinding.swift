/// Something in a store that is not as the model, or the store's own bookkeeping, says.
struct StoreFinding: Equatable {
    enum Kind: String, CaseIterable {
        case damage
        case unreadable
        case dangling
        case oneSided
        case invalid
        case duplicate

        /// What the kind is called for people.
        var title: String {
            switch self {
            case .damage: "damaged file"
            case .unreadable: "objects that cannot be read"
            case .dangling: "references to objects that are not there"
            case .oneSided: "links that one side alone has"
            case .invalid: "values that the model does not allow"
            case .duplicate: "values that should be unique"
            }
        }

        var remedy: String {
            switch self {
            case .damage:
                "copy what can be read into a new file ('sqlite3 STORE .recover'), or take a backup"
            case .unreadable:
                "bring the missing file back from a backup, or let a program set the value anew"
            case .dangling: "let a program set the relationship to another object, or to none"
            case .oneSided: "let a program set the relationship anew from either side"
            case .invalid: "let a program set a value that the model allows, or widen the model"
            case .duplicate: "let a program delete all but one of them, or change their values"
            }
        }
    }

    let kind: Kind
    /// The object's name, `Book/12`; nil where the finding is about more than one, or about the file.
    var object: String?
    var property: String?
    let text: String

    var json: JSON {
        .object([
            ("kind", .string(kind.rawValue)), ("object", object.map(JSON.string) ?? .null),
            ("property", property.map(JSON.string) ?? .null), ("text", .string(text)),
        ])
    }

    /// `Book/12.author: leads to Author/99, which is not there`.
    var line: String {
        guard let object else { return text }
        return "\(object)\(property.map { ".\($0)" } ?? ""): \(text)"
    }
}
