/// Rewrites the types of members so that they mean the same in an extension as in their declarations.
///
/// A member of a nested class can use the types around that class, and every member the types nested in superclasses.
/// An extension elsewhere cannot use the former, and the probe's classes have no superclasses. Such names are written
/// out.
struct TypeQualifier {
    /// Nested types by the type they are in and their name.
    private var nested: Set<String> = []
    /// Superclasses (or protocols, whose names have no effect here) by the name of the class.
    private var parents: [String: [String]] = [:]
    /// Full names by last name.
    private var fullNames: [String: [String]] = [:]

    init(_ modules: [ScannedModule]) {
        for type in modules.flatMap(\.files).flatMap(\.types) {
            if !type.path.isEmpty { nested.insert(type.fullName) }
            if type.kind == "class" { parents[type.fullName] = type.inherited }
            fullNames[type.name, default: []].append(type.fullName)
        }
    }

    /// The type with every name written out that an extension of the class would not find.
    func qualified(_ type: String, in className: String) -> String {
        guard !nested.isEmpty else { return type }
        let path = className.split(separator: ".").map(String.init)
        var result = ""
        var word = ""
        var follows: Character = " "
        func finish() -> String {
            defer { word = "" }
            // A name after a point is looked up in the type before the point.
            return word.isEmpty || follows == "." ? word : place(of: word, in: path) ?? word
        }
        for character in type {
            if character.isLetter || character.isNumber || character == "_" || character == "`" {
                word.append(character)
                continue
            }
            result += finish()
            result.append(character)
            if !character.isWhitespace { follows = character }
        }
        return result + finish()
    }

    /// The full name of a type that is named inside a class, if it has to be written out.
    private func place(of name: String, in path: [String]) -> String? {
        for depth in stride(from: path.count, to: 0, by: -1) {
            let scope = path.prefix(depth).joined(separator: ".")
            if nested.contains("\(scope).\(name)") { return depth == path.count ? nil : "\(scope).\(name)" }
            if let found = inherited(name, by: scope, depth: 0) { return found }
        }
        return nil
    }

    private func inherited(_ name: String, by scope: String, depth: Int) -> String? {
        guard depth < 32 else { return nil }
        for parent in parents[scope] ?? [] {
            let last = parent.prefix { $0 != "<" }.split(separator: ".").last.map(String.init) ?? parent
            for full in fullNames[last] ?? [] where full != scope {
                if nested.contains("\(full).\(name)") { return "\(full).\(name)" }
                if let found = inherited(name, by: full, depth: depth + 1) { return found }
            }
        }
        return nil
    }
}

extension ManagedMember {
    /// The member with types that mean the same in an extension.
    func qualified(by qualifier: TypeQualifier) -> ManagedMember {
        let kind: Kind =
            switch kind {
            case .property(let type, let setter):
                .property(type: qualifier.qualified(type, in: className), setter: setter)
            case .method(let parameters, let result):
                .method(
                    parameters: parameters.map {
                        Parameter(label: $0.label, type: qualifier.qualified($0.type, in: className))
                    }, result: result)
            }
        return ManagedMember(
            kind: kind, name: name, className: className, access: access, conditions: conditions, file: file,
            line: line,
            column: column)
    }
}
