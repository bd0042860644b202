/// What the accessor of an `@NSManaged` member does, found from its name.
enum MemberAccess: Equatable {
    /// A property, under the key it stands for.
    case value(key: String)
    /// A property of the member's name, or where the entity has none, the one behind `primitive` in that name: the
    /// model is not known before the program runs.
    case primitive(name: String, key: String)
    /// A method of a to-many relationship: what to call on its slot, with the parameters as `p0`, `p1`.
    case change(key: String, call: String)

    /// The name of the property in the model.
    var key: String {
        switch self {
        case .value(let key), .primitive(_, let key), .change(let key, _): key
        }
    }

    /// Nil for a method that the framework does not implement.
    ///
    /// - Parameters:
    ///   - known: the properties that the class is known to have; a capitalised name is looked for among them.
    ///   - isModelled: whether those are all, because a model of the target has the class.
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

    /// The more telling forms first: `addToTags` is not `addX` of a property `toTags`.
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
    /// As a key stands in the name of an accessor: the first letter a capital.
    var capitalisedAsKey: String { prefix(1).uppercased() + dropFirst() }
}
