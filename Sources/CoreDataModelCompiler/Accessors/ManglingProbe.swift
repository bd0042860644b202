import Foundation

/// Source files from whose compilation the mangled names of a target's `@NSManaged` members can be read.
///
/// A mangled name depends on the names, kinds and modules of types only. So the probe declares, under the target's
/// module name, empty types of the right kinds, and each member as an ordinary property or method whose body calls a
/// marker. Private names are mangled with the name of their file: each probe file is named like the source file.
struct ManglingProbe {
    /// A file of the probe.
    struct File: Equatable {
        let name: String
        let text: String
    }

    /// A module from which the target imports types, as one file of public declarations.
    struct Module: Equatable {
        let name: String
        let text: String
    }

    private(set) var files: [File] = []
    /// The modules in the order in which they can be compiled.
    private(set) var modules: [Module] = []

    /// The marker that a member's getter (or method) calls, by the member's number.
    static func marker(_ member: Int) -> String { "coredata_probe_\(member)_g" }
    /// The marker that a member's setter calls.
    static func setterMarker(_ member: Int) -> String { "coredata_probe_\(member)_s" }

    init(members: [ManagedMember], target: ScannedModule, dependencies: [ScannedModule]) {
        let dependencies = dependencies.filter { $0.name != FrameworkTypes.module } + [FrameworkTypes.scanned]
        let needed = NeededTypes(of: members, in: target, dependencies: dependencies)
        // `canImport` is true for an existing module, whether or not the declarations need its types.
        let conditions = members.flatMap(\.conditions) + needed.typesByFile.values.joined().flatMap(\.conditions)
        let asked = Set(conditions).flatMap { BuildCondition($0).modules }
        let known = Set(dependencies.map(\.name)).intersection(needed.modules.union(asked))
        let managed = Set(members.compactMap { $0.className.split(separator: ".").last.map(String.init) })
        for module in Self.sorted(dependencies.filter { known.contains($0.name) }) {
            var lines = ["@_exported import Foundation"]
            for file in module.files { lines += Self.imports(of: file, among: known) }
            for file in module.files {
                for type in needed.typesByFile[file.path] ?? [] {
                    lines += Self.stub(type, access: "public ", isManaged: managed.contains(type.name))
                }
            }
            modules.append(Module(name: module.name, text: lines.joined(separator: "\n") + "\n"))
        }
        for file in target.files {
            let types = needed.typesByFile[file.path] ?? []
            let own = members.enumerated().filter { $0.element.file == file.path }
            guard !types.isEmpty || !own.isEmpty else { continue }
            var lines = ["import Foundation"] + Self.imports(of: file, among: known)
            for type in types { lines += Self.stub(type, access: "", isManaged: managed.contains(type.name)) }
            for (number, member) in own { lines += Self.declaration(of: member, number: number) }
            files.append(File(name: file.fileName, text: lines.joined(separator: "\n") + "\n"))
        }
    }

    /// Modules before those that import them.
    private static func sorted(_ modules: [ScannedModule]) -> [ScannedModule] {
        let byName = Dictionary(modules.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var result: [ScannedModule] = []
        var seen: Set<String> = []
        func visit(_ module: ScannedModule) {
            guard seen.insert(module.name).inserted else { return }
            let conditions = Set(module.files.flatMap(\.types).flatMap(\.conditions))
            let named =
                module.files.flatMap(\.imports).map(\.module) + conditions.flatMap { BuildCondition($0).modules }
            for name in named { if let other = byName[name] { visit(other) } }
            result.append(module)
        }
        for module in modules { visit(module) }
        return result
    }

    /// Modules of the toolchain from which properties take types.
    private static let toolchainModules: Set<String> = ["FoundationNetworking", "FoundationXML", "Dispatch"]

    private static func imports(of file: ScannedFile, among known: Set<String>) -> [String] {
        var lines: [String] = []
        for item in file.imports where known.contains(item.module) || toolchainModules.contains(item.module) {
            let line = (item.isExported ? "@_exported " : "") + "import \(item.module)"
            if !lines.contains(line) { lines.append(line) }
        }
        return lines
    }

    private static func stub(_ type: TypeDeclaration, access: String, isManaged: Bool) -> [String] {
        // Members of sets must be hashable. Mangled names do not depend on a type's conformances. The parameters of a
        // generic managed class are managed classes.
        let isGenericManaged = isManaged && type.kind == "class" && !type.generics.isEmpty
        let generics =
            isGenericManaged
            ? type.generics.dropLast().replacingOccurrences(of: ",", with: ": Hashable,") + ": Hashable>"
            : type.generics
        let name = "\(type.name)\(generics)"
        let declaration =
            switch type.kind {
            case "typealias": "\(access)typealias \(name) = \(type.alias)"
            case "struct": "\(access)struct \(name): Hashable {}"
            // The compiler drops a setter's body if its type has no values.
            case "enum": "\(access)enum \(name): Hashable { case some }"
            case "class":
                """
                \(access)class \(name): Hashable { \
                \(access)static func == (left: \(type.name), right: \(type.name)) -> Bool { left === right }; \
                \(access)func hash(into hasher: inout Hasher) {} }
                """
            default: "\(access)\(type.kind) \(name) {}"
            }
        return wrapped([inside(type.path, declaration)], in: type.conditions)
    }

    private static func inside(_ path: [String], _ declaration: String) -> String {
        path.isEmpty ? declaration : "extension \(path.joined(separator: ".")) { \(declaration) }"
    }

    private static func declaration(of member: ManagedMember, number: Int) -> [String] {
        // The access level is no part of a mangled name, but private names contain their file's name.
        let access = member.access.isOfFile ? "\(member.access.rawValue) " : ""
        var lines = ["#sourceLocation(file: \"\(member.file.escaped)\", line: \(member.line))"]
        switch member.kind {
        case .property(let type, _):
            lines.append(
                """
                extension \(member.className) { \(access)var \(member.name): \(type) { \
                get { \(marker(number))() } set { \(setterMarker(number))() } } }
                """)
        case .method(let parameters, let result):
            let list = parameters.enumerated().map { "\($1.label) p\($0): \($1.type)" }.joined(separator: ", ")
            let arrow = result.isEmpty ? "" : " -> \(result)"
            lines.append(
                "extension \(member.className) { \(access)func \(member.name)(\(list))\(arrow) { \(marker(number))() } }"
            )
        }
        lines.append("#sourceLocation()")
        var markers = [marker(number)]
        if case .property = member.kind { markers.append(setterMarker(number)) }
        lines += markers.map { "@_silgen_name(\"\($0)\") private func \($0)() -> Never" }
        return wrapped(lines, in: member.conditions)
    }

    /// Lines under the conditions of the source.
    static func wrapped(_ lines: [String], in conditions: [String]) -> [String] {
        conditions.map { "#if \($0)" } + lines + conditions.map { _ in "#endif" }
    }
}

/// The types of the framework in declarations of properties, so that its module need not be compiled.
enum FrameworkTypes {
    static let module = "CoreData"

    static let scanned = ScannedModule(
        name: module,
        files: [
            DeclarationScanner.scan(
                source: """
                    public class NSManagedObject {}
                    public class NSManagedObjectID {}
                    public class NSManagedObjectContext {}
                    public class NSManagedObjectModel {}
                    public class NSEntityDescription {}
                    public class NSFetchRequest<ResultType> {}
                    public class NSExpression {}
                    public protocol NSFetchRequestResult {}
                    """, path: "CoreData.swift")
        ])
}

extension String {
    /// The text between the quotes of a string literal.
    var escaped: String {
        var result = ""
        for character in self {
            if character == "\\" || character == "\"" { result.append("\\") }
            result.append(character)
        }
        return result
    }
}
