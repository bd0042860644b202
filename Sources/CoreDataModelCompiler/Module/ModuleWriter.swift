/// Writes the code that a target needs once: aliases for the types that Foundation has too, the module's name for the
/// class lookup, and the list of methods that the framework calls by name.
struct ModuleWriter {
    let module: String
    /// Whether the target may import the framework although none of its files does.
    let dependsOnFramework: Bool
    /// The list of methods that the framework calls by name.
    var named = NamedMethodWriter(ClassFamilies(ScannedModule(name: "", files: []), dependencies: []))

    /// The types whose declarations in Foundation on Linux are unavailable. Their names are ambiguous beside `import
    /// Foundation`.
    private static let types = ["NSExpression", "NSComparisonPredicate", "NSCompoundPredicate"]

    /// The text for the files of a target.
    func text(for files: [ScannedFile]) -> String {
        let aliases = aliases(for: files)
        var lines = ["// What is needed once in the module \(module). Generated: changes will be lost.", ""]
        let members = files.flatMap(\.namedMembers)
        // A list that the target has by hand stays its only one.
        let hasList = files.flatMap(\.types).contains { $0.path.isEmpty && $0.name == "CoreDataNamedMethods" }
        let methods = hasList ? [] : named.lines(for: members)
        if let widest = aliases.map(\.access).max() ?? (methods.isEmpty ? nil : .isInternal) {
            let imports = ImportWriter(files)
            lines += imports.lines(for: "CoreData", as: widest)
            lines += named.modules(of: members, except: module).flatMap { imports.lines(for: $0, as: .isInternal) }
            lines += aliases.map { "\($0.access.rawValue) typealias \($0.name) = CoreData.\($0.name)" }
        }
        lines += methods
        let list = hasList || !methods.isEmpty ? "\(module).CoreDataNamedMethods" : nil
        let validates = hasList || methods.contains { $0.contains("\"validate") }
        if hasClasses(files) || list != nil {
            lines += registration([module, list, validates ? list.map { $0 + ".validate" } : nil].compactMap { $0 })
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The types that the target names and does not declare itself. An alias has the access of the declarations in
    /// which it may occur: public if a file that names the type has public declarations, package if one has package
    /// declarations.
    private func aliases(for files: [ScannedFile]) -> [(name: String, access: Access)] {
        // The names are ambiguous beside Foundation's, and an alias is of no use if only Foundation is imported.
        guard dependsOnFramework || files.contains(where: Self.importsFramework) else { return [] }
        let declared = Set(files.flatMap(\.types).filter(\.path.isEmpty).map(\.name))
        return Self.types.compactMap { name in
            let users = files.filter { $0.words.contains(name) }
            guard !declared.contains(name), let access = users.map(Self.reach).max() else { return nil }
            return (name, access)
        }
    }

    private static func reach(_ file: ScannedFile) -> Access {
        if file.words.contains("public") || file.words.contains("open") { return .isPublic }
        return file.words.contains("package") ? .isPackage : .isInternal
    }

    private static func importsFramework(_ file: ScannedFile) -> Bool {
        file.imports.contains { $0.module == "CoreData" }
    }

    private func hasClasses(_ files: [ScannedFile]) -> Bool {
        files.contains { file in
            Self.importsFramework(file) && file.types.contains { $0.kind == "class" && !$0.inherited.isEmpty }
        }
    }

    /// Names in a section of the executable, where the framework finds those of all modules:
    ///
    /// - the module's, because a class that a model names without its module can be in any,
    /// - that of its list of methods, because the runtime takes long to find that there is no class of a name,
    /// - the list's with `.validate` behind it if it has methods of validation, because every save asks for them.
    ///
    /// Nothing runs for it when the program starts.
    private func registration(_ names: [String]) -> [String] {
        let bytes: [UInt8] = names.flatMap { Array($0.utf8) + [0] }
        let type = bytes.map { _ in "UInt8" }.joined(separator: ", ")
        let value = bytes.map { String($0) }.joined(separator: ", ")
        return [
            "#if compiler(>=6.3) && os(Linux)",
            "    @section(\"opencoredata_modules\") @used private let managedModuleName: (\(type)) = (\(value))",
            "#endif",
        ]
    }
}
