/// The function of an `@NSManaged` member's accessor, by the member's name.
enum MemberAccess: Equatable {
    /// A property with the given key.
    case value(key: String)
    /// A property of the member's name or, if the entity has none, the property whose name follows `primitive` in it.
    /// The accessor finds this out when the program runs, because the model is read only then.
    case primitive(name: String, key: String)
    /// A method of a to-many relationship, with the call on its slot. The parameters are `p0`, `p1`.
    case change(key: String, call: String)

    /// The name of the property in the model.
    var key: String {
        switch self {
        case .value(let key), .primitive(_, let key), .change(let key, _): key
        }
    }

    /// Returns nil for a method that the framework does not implement.
    ///
    /// - Parameters:
    ///   - known: the properties of the class, as far as models have them; a capitalised name is searched among them.
    ///   - isModelled: whether these are all properties, because a model of the target has the class.
    init?(of member: ManagedMember, known: Set<String>, isModelled: Bool) {
        let name = member.plainName
        switch member.kind {
        case .property:
            if !known.contains(name), let key = Self.key(in: name, after: "primitive", known) {
                self = isModelled ? .value(key: key) : .primitive(name: name, key: key)
            } else {
                self = .value(key: name)
            }
        case .method(let parameters, let result):
            guard result.isEmpty || result == "Void" || result == "()" else { return nil }
            for form in Self.forms where form.labels == parameters.map(\.label) {
                if let key = Self.key(in: name, after: form.before, endingWith: form.after, known) {
                    self = .change(key: key, call: form.call)
                    return
                }
            }
            return nil
        }
    }

    private struct Form {
        let before: String
        var after = ""
        let labels: [String]
        let call: String
    }

    /// The more specific forms come first: `addToTags` is not `addX` of a property `toTags`.
    private static let forms = [
        Form(before: "addTo", labels: ["_"], call: "add(p0, to: self)"),
        Form(before: "removeFrom", labels: ["_"], call: "remove(p0, from: self)"),
        Form(before: "removeFrom", labels: ["at"], call: "remove(at: p0, from: self)"),
        Form(before: "insertInto", labels: ["_", "at"], call: "insert(p0, at: p1, into: self)"),
        Form(before: "replace", labels: ["at", "with"], call: "replace(at: p0, with: p1, in: self)"),
        Form(before: "add", after: "Object", labels: ["_"], call: "add(p0, to: self)"),
        Form(before: "remove", after: "Object", labels: ["_"], call: "remove(p0, from: self)"),
        Form(before: "add", labels: ["_"], call: "add(p0, to: self)"),
        Form(before: "remove", labels: ["_"], call: "remove(p0, from: self)"),
    ]

    private static func key(
        in name: String, after before: String, endingWith after: String = "", _ known: Set<String>
    ) -> String? {
        guard name.hasPrefix(before), name.hasSuffix(after), name.count > before.count + after.count else { return nil }
        let capitalised = String(name.dropFirst(before.count).dropLast(after.count))
        guard let first = capitalised.first, !first.isLowercase else { return nil }
        let matches = known.filter { $0.capitalisedAsKey == capitalised }.sorted()
        return matches.first ?? capitalised.prefix(1).lowercased() + capitalised.dropFirst()
    }
}

extension String {
    /// The form of a key in the name of an accessor, which begins with a capital letter.
    var capitalisedAsKey: String { prefix(1).uppercased() + dropFirst() }
}
