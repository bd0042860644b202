/// Writes the list of a module's methods that the framework calls by their names in Objective-C.
///
/// | member | where | name |
/// |---|---|---|
/// | `validateEmail(_:) throws` | managed objects | `validateEmail:error:` |
/// | a method without parameters, a property | managed objects | its own |
/// | `setFullName(_:)`, a property that can be set | managed objects | `setFullName:` |
/// | any method that does not throw | policies, migration managers | as Objective-C makes it of the labels |
struct NamedMethodWriter {
    private let families: ClassFamilies

    init(_ families: ClassFamilies) { self.families = families }

    private struct Element {
        let member: NamedMember
        let name: String
        let body: String
    }

    /// The modules other than the target that declare the classes of the members.
    func modules(of members: [NamedMember], except own: String) -> [String] {
        Set(members.filter { !elements(of: $0).isEmpty }.compactMap { families.family(of: $0)?.module })
            .subtracting([own, "CoreData"]).sorted()
    }

    /// The lines of the list; none if the module has no such methods.
    func lines(for members: [NamedMember]) -> [String] {
        let elements = members.flatMap(elements)
        // A call of an overloaded method is ambiguous.
        let counts = Dictionary(grouping: elements) { "\($0.member.className) \($0.name) \($0.member.conditions)" }
        let unique = elements.filter {
            counts["\($0.member.className) \($0.name) \($0.member.conditions)"]?.count == 1
        }
        if unique.isEmpty { return [] }
        return [
            "/// What the framework calls by name. It finds the class by its own name.",
            "nonisolated final class CoreDataNamedMethods: NamedMethodList {",
            "    static var methods: [NamedMethod] {",
            "        var methods: [NamedMethod] = []",
        ] + unique.flatMap(line) + ["        return methods", "    }", "}"]
    }

    private func line(for element: Element) -> [String] {
        let start = "        methods.append(NamedMethod(of: \(element.member.className).self, \"\(element.name)\") "
        return ManglingProbe.wrapped(
            [start + "{ object, values in \(element.body) })"], in: element.member.conditions)
    }

    /// The warnings about validations that generated code cannot call.
    func warnings(about members: [NamedMember]) -> [Diagnostic] {
        members.filter { member in
            validation(member) != nil && families.family(of: member) == nil
                && families.family(ofClass: member.className) == .managed
        }.map { member in
            Diagnostic(
                file: member.file, line: member.line, column: member.column, isWarning: true,
                message: "validation does not call '\(member.name)': it has to be internal, in a class without "
                    + "parameters, and of no actor")
        }
    }

    private func elements(of member: NamedMember) -> [Element] {
        guard let (family, _) = families.family(of: member) else { return [] }
        switch (family, member.kind) {
        case (.managed, .property(let isSettable)):
            let setter = "set\(member.plainName.capitalisedAsKey):"
            return [Element(member: member, name: member.plainName, body: "object.\(member.name)")]
                + (isSettable
                    ? [Element(member: member, name: setter, body: "object.\(member.name) = try values(0); return nil")]
                    : [])
        case (.managed, .method(let parameters, let canThrow, let hasResult)):
            if let validation = validation(member) { return [validation] }
            if canThrow { return [] }
            if parameters.isEmpty, hasResult {
                return [Element(member: member, name: member.plainName, body: "object.\(member.name)()")]
            }
            guard parameters.map(\.label) == ["_"], !hasResult, key(in: member.plainName, after: "set") != nil,
                !parameters[0].type.hasPrefix("inout ")
            else { return [] }
            let body = "object.\(member.name)(try values(0)); return nil"
            return [Element(member: member, name: "\(member.plainName):", body: body)]
        case (.mapping, .method(let parameters, false, let hasResult)):
            if parameters.contains(where: { $0.type.hasPrefix("inout ") }) { return [] }
            let arguments = parameters.enumerated().map { index, parameter in
                (parameter.label == "_" ? "" : "\(parameter.label): ") + "values(\(index))"
            }
            let call = "object.\(member.name)(\(arguments.joined(separator: ", ")))"
            let attempt = (parameters.isEmpty ? "" : "try ") + call
            return [
                Element(
                    member: member, name: SelectorName.of(member.plainName, labels: parameters.map(\.label)),
                    body: hasResult ? attempt : "\(attempt); return nil")
            ]
        case (.mapping, _): return []
        }
    }

    /// The element for a method of validation, whose parameter is any value, an inout value, or a pointer to a value.
    private func validation(_ member: NamedMember) -> Element? {
        guard case .method(let parameters, true, false) = member.kind, parameters.map(\.label) == ["_"],
            let key = key(in: member.plainName, after: "validate")
        else { return nil }
        let (type, call) = (parameters[0].type, "try object.\(member.name)")
        let body: String
        if type == "Any?" || type == "AnyObject?" {
            body = "\(call)(values(0)); return nil"
        } else if type.hasPrefix("inout "), type.hasSuffix("?") {
            body = "try values.changing { \(call)(&$0) }; return nil"
        } else if type.hasPrefix("UnsafeMutablePointer<"), type.hasSuffix("?>") {
            body = "try values.changing { try unsafe object.\(member.name)(&$0) }; return nil"
        } else if type.hasPrefix("AutoreleasingUnsafeMutablePointer<"), type.hasSuffix("?>") || type.hasSuffix("?>?") {
            body = "try values.pointing { \(call)($0) }; return nil"
        } else {
            return nil
        }
        return Element(member: member, name: "validate\(key):error:", body: body)
    }

    /// The part after a word in the name of a method, if it begins with a capital letter.
    private func key(in name: String, after word: String) -> String? {
        guard name.hasPrefix(word), let first = name.dropFirst(word.count).first, !first.isLowercase else { return nil }
        return String(name.dropFirst(word.count))
    }
}
