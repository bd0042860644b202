/// Writes the imports of generated files, with access levels that agree with the target's own files.
///
/// The compiler refuses a module that one file imports without a level and another one with a level, unless that is
/// public. Under `InternalImportsByDefault` an import without a level is internal, and a module may have both forms. A
/// public import that no public declaration needs is a warning.
struct ImportWriter {
    /// The modules that a file imports without a level.
    private let plain: Set<String>
    /// The modules that a file imports with a level.
    private let levelled: Set<String>

    /// - Parameter files: All files of the target, generated classes included.
    init(_ files: [ScannedFile]) {
        let imports = files.flatMap(\.imports)
        plain = Set(imports.filter { $0.access == nil }.map(\.module))
        levelled = Set(imports.filter { $0.access != nil }.map(\.module))
    }

    /// The lines that import a module for declarations with the access of the level.
    ///
    /// - Parameter text: The part after `import`, such as `struct Foundation.Date`; nil for the module.
    func lines(for module: String, as access: Access, attributes: [String] = [], text: String? = nil) -> [String] {
        let plainLine = (attributes + ["import", text ?? module]).joined(separator: " ")
        let line = (attributes + [access.rawValue, "import", text ?? module]).joined(separator: " ")
        switch access {
        case .isPublic, .isOpen: return [line]
        case .isPackage where plain.contains(module) || !levelled.contains(module):
            return ["#if hasFeature(InternalImportsByDefault)", line, "#else", plainLine, "#endif"]
        case .isPackage: return [line]
        case .isInternal, .isFilePrivate, .isPrivate:
            let internalLine = (attributes + ["internal import", text ?? module]).joined(separator: " ")
            return plain.contains(module) || !levelled.contains(module) ? [plainLine] : [internalLine]
        }
    }

    /// The imports of some files, for accessors of these members. The framework is imported in any case, and once.
    func lines(
        of files: [ScannedFile], for members: [ManagedMember], except own: String, declaringModules: DeclaringModules
    ) -> [String] {
        let imports = files.flatMap(\.imports).filter { $0.module != own }
        let imported = Set(imports.map(\.module))
        /// The level that the accessors need, of the levels in the files.
        func need(_ module: String, upTo levels: [Access]) -> Access {
            let users = members.filter { declaringModules.may(module, declareTypesOf: $0, imported) }
            return min(users.map(\.access).max() ?? .isInternal, levels.max() ?? .isInternal)
        }
        let framework = imports.filter { $0.module == Self.framework }
        var pieces = [
            lines(
                for: Self.framework, as: need(Self.framework, upTo: framework.compactMap(\.level)),
                attributes: Set(framework.flatMap(\.handedAttributes)).sorted())
        ]
        for item in imports where item.module != Self.framework {
            let levels = imports.filter { $0.target == item.target }.compactMap(\.level)
            let lines = lines(
                for: item.module, as: need(item.module, upTo: levels), attributes: item.handedAttributes,
                text: item.target)
            let piece = ManglingProbe.wrapped(lines, in: item.conditions)
            if !pieces.contains(piece) { pieces.append(piece) }
        }
        return pieces.flatMap { $0 }
    }

    private static let framework = "CoreData"
}

extension ImportDeclaration {
    /// The access that declarations with the module's types may have; nil if the language mode decides.
    fileprivate var level: Access? { access ?? (isExported ? .isPublic : nil) }

    /// The attributes for an import in a generated file. One re-export in a target is enough.
    fileprivate var handedAttributes: [String] { attributes.filter { $0 != "@_exported" } }
}
