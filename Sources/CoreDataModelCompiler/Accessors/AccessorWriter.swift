/// Writes the accessors of the `@NSManaged` members of source files.
///
/// `@NSManaged` makes callers refer to accessors that no source file defines. Each is defined here under its mangled
/// name, in a computed property (or method) of another name. It is `dynamic`, because the compiler treats managed
/// members as dynamic, and has the member's own access level. A member that is private to its file becomes internal,
/// because this file must be able to use it.
struct AccessorWriter {
    let module: String
    let imports: ImportWriter
    let declaringModules: DeclaringModules

    /// The text for some files. The members are numbered as in `names`.
    func text(
        for files: [ScannedFile], members: [(number: Int, member: ManagedMember, access: MemberAccess)],
        names: MangledNames
    ) -> String {
        let places = files.isEmpty ? "other files" : files.map(\.fileName).joined(separator: ", ")
        var lines = [
            "// The accessors of the @NSManaged declarations in \(places). Generated: changes will be lost.", "",
        ]
        if !members.isEmpty {
            lines += imports.lines(
                of: files, for: members.map(\.member), except: module, declaringModules: declaringModules)
        }
        for (number, member, access) in members {
            guard let getter = names.getters[number] else { continue }
            let body: [String]
            switch member.kind {
            case .property(let type, _):
                guard let setter = names.setters[number] else { continue }
                body = property(member, type: type, number: number, getter: getter, setter: setter)
            case .method(let parameters, _):
                guard case .change(_, let call) = access else { continue }
                body = method(member, parameters: parameters, number: number, symbol: getter, call: call)
            }
            lines.append("")
            let slot = "private let slot\(number) = ManagedSlot(\(arguments(for: access)))"
            lines += ManglingProbe.wrapped(
                [slot, "extension \(member.className) {"] + body + ["}"], in: member.conditions)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The arguments for the slot of a member.
    private func arguments(for access: MemberAccess) -> String {
        guard case .primitive(let name, let key) = access else { return "\"\(access.key.escaped)\"" }
        return "\"\(name.escaped)\", or: \"\(key.escaped)\""
    }

    private func property(
        _ member: ManagedMember, type: String, number: Int, getter: String, setter: String
    ) -> [String] {
        var access = visible(member.access).rawValue
        if case .property(_, let setterAccess) = member.kind, visible(setterAccess) != visible(member.access) {
            access += " \(visible(setterAccess).rawValue)(set)"
        }
        return [
            "    dynamic final \(access) var \(name(of: member)): \(type) {",
            "        @_silgen_name(\"\(getter)\") get { slot\(number).value(of: self) }",
            "        @_silgen_name(\"\(setter)\") set { slot\(number).set(newValue, of: self) }", "    }",
        ]
    }

    private func method(
        _ member: ManagedMember, parameters: [ManagedMember.Parameter], number: Int, symbol: String, call: String
    ) -> [String] {
        let list = parameters.enumerated().map { "_ p\($0): \($1.type)" }.joined(separator: ", ")
        return [
            "    @_silgen_name(\"\(symbol)\") dynamic final \(visible(member.access).rawValue) func \(name(of: member))(\(list)) {",
            "        slot\(number).\(call)", "    }",
        ]
    }

    private func name(of member: ManagedMember) -> String {
        let path = member.className.map { $0.isLetter || $0.isNumber ? $0 : "_" }
        return "_managed_\(module)_\(String(path))_\(member.plainName)"
    }

    private func visible(_ access: Access) -> Access { min(max(access, .isInternal), .isPublic) }
}
