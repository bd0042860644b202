/// A scanned module: the target itself or a dependency of it.
package struct ScannedModule {
    package let name: String
    package let files: [ScannedFile]

    package init(name: String, files: [ScannedFile]) {
        self.name = name
        self.files = files
    }
}

/// The types in the declarations of a target's `@NSManaged` members. A mangled name depends only on these.
///
/// A name leads to every declaration that has it, in whatever type it is nested; the compiler chooses among them.
struct NeededTypes {
    /// The declarations by module and file, in order of declaration.
    private(set) var typesByFile: [String: [TypeDeclaration]] = [:]
    private(set) var modules: Set<String> = []

    init(of members: [ManagedMember], in target: ScannedModule, dependencies: [ScannedModule]) {
        var declarations: [String: [(source: SourceFile, type: TypeDeclaration)]] = [:]
        for module in [target] + dependencies {
            for file in module.files {
                for type in file.types where !type.access.isOfFile {
                    let source = SourceFile(module: module.name, file: file.path)
                    declarations[type.name, default: []].append((source, type))
                }
            }
        }
        var pending = members.flatMap(Self.words)
        var seen: Set<String> = []
        var needed: Set<String> = []
        while let name = pending.popLast() {
            guard seen.insert(name).inserted else { continue }
            for (source, type) in declarations[name] ?? [] {
                needed.insert("\(source.file):\(type.line):\(type.fullName)")
                modules.insert(source.module)
                pending += type.path + Self.words(in: type.alias)
            }
        }
        for module in [target] + dependencies {
            for file in module.files {
                let types = file.types.filter {
                    !$0.access.isOfFile && needed.contains("\(file.path):\($0.line):\($0.fullName)")
                }
                if !types.isEmpty { typesByFile[file.path] = types }
            }
        }
    }

    private struct SourceFile {
        let module: String
        let file: String
    }

    /// Every name in the declaration of a member.
    static func words(of member: ManagedMember) -> [String] {
        let types: [String] =
            switch member.kind {
            case .property(let type, _): [type]
            case .method(let parameters, let result): parameters.map(\.type) + [result]
            }
        return words(in: member.className) + types.flatMap(words)
    }

    /// Every name in a piece of source.
    static func words(in text: String) -> [String] {
        text.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "`") }.map(String.init)
    }
}
