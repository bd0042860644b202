import CoreDataModelCompiler

extension FilePorter {
    /// Adds imports that names in the file need here.
    mutating func addImports() {
        let active = file.tokens.indices.filter { !file.inactive.contains(file.tokens[$0].range.lowerBound) }
        let imported = Set(active.compactMap(importedModule))
        var text = ""
        func isNamed(_ names: Set<String>) -> Bool { active.contains(where: self.names(names)) }
        if !imported.contains("CoreData"), usesAdditions || isNamed(FrameworkNames.framework) || usesMembers(active) {
            text += access(to: FrameworkNames.framework, active) + "import CoreData\n"
        }
        for (module, names) in FrameworkNames.partsOfFoundation where !imported.contains(module) && isNamed(names) {
            text += "#if canImport(\(module))\n\(access(to: names, active))import \(module)\n#endif\n"
        }
        if surroundings.options.logging, !imported.contains(PackageProduct.loggingCore.rawValue),
            imported.isDisjoint(with: AppleModules.ofLogging), isNamed(FrameworkNames.unfairLocks)
        {
            let product: PackageProduct = surroundings.isBesidePackages ? .loggingCore : .logging
            let line = access(to: FrameworkNames.unfairLocks, active) + "import "
            let core = product.rawValue
            text += product == .logging ? "\(line)os\n" : "#if canImport(\(core))\n\(line)\(core)\n#endif\n"
            neededProducts.insert(product)
        }
        if imported.isDisjoint(with: Self.modulesWithObservation),
            active.contains(where: { isWord("Observable", at: $0) && isMark("@", at: $0 - 1) })
        {
            text += "import Observation\n"
        }
        for module in modulesOfMembers(active, imported).sorted() { text += "import \(module)\n" }
        if imported.contains("CoreData") || text.contains("import CoreData\n") { neededProducts.insert(.framework) }
        if imported.contains(PackageProduct.swiftData.rawValue) { neededProducts.insert(.swiftData) }
        guard !text.isEmpty else { return }
        let (position, isBehind) = placeForImports(active)
        insert(isBehind ? "\n" + text.dropLast() : text, at: position)
    }

    /// Whether each file of the target has to import the modules of the members that it uses, and this file uses
    /// members that belong to Foundation on a Mac and to the framework here.
    private func usesMembers(_ active: [Int]) -> Bool {
        surroundings.hasFeature("MemberImportVisibility")
            && active.contains { FrameworkNames.members.contains(tokens[$0].text) && isMark(".", at: $0 - 1) }
    }

    /// The modules whose extensions of SwiftData's types the file uses, and only other files of its target import. The
    /// compiler prefers a member of the module that the file itself imports, so it would take OpenCoreData's.
    private func modulesOfMembers(_ active: [Int], _ imported: Set<String>) -> Set<String> {
        guard imported.contains(PackageProduct.swiftData.rawValue), let target = surroundings.target else { return [] }
        let used = Set(active.lazy.filter { isMark(".", at: $0 - 1) }.map { tokens[$0].text })
        let members = used.intersection(FrameworkNames.membersOfModels)
        let modules = Set(members.flatMap { surroundings.targetsOfMembers[$0] ?? [] })
        return modules.intersection(surroundings.importedModules[target] ?? []).subtracting(imported.union([target]))
    }

    /// The access that an import needs whose module has some names, followed by a space.
    private func access(to known: Set<String>, _ active: [Int]) -> String {
        let isStated = active.contains { index in
            isWord("import", at: index)
                && ["public", "package", "internal"].contains { isWord($0, at: index - 1) }
        }
        guard isStated || surroundings.hasFeature("InternalImportsByDefault") else { return "" }
        return isShown(known) ? "public " : isStated ? "internal " : ""
    }

    /// The modules that bring the macro `@Observable` along. On a Mac, Foundation is one of them.
    private static let modulesWithObservation: Set<String> = ["Observation", "SwiftData", "SwiftUI"]

    /// Names that another module re-exports publicly on a Mac, by the module that has them on Linux.
    private static let handedOn: [String: Set<String>] = [
        "CoreData": FrameworkNames.ofFoundation,
        "Observation": ["Observation", "Observable", "ObservationRegistrar"],
    ]

    /// Makes the import of a module public in a file whose public declarations use names that another import re-exports
    /// on a Mac.
    mutating func openImport(at index: Int) {
        guard let found = importDeclaration(at: index), !found.isOfDeclaration,
            let names = Self.handedOn[found.module.text]
        else { return }
        let attributes = tokens[found.tokens.lowerBound..<index]
        if attributes.contains(where: { $0.isWord("public") || $0.isWord("_exported") }) { return }
        let access = attributes.first { $0.isWord("internal") || $0.isWord("package") }
        guard access != nil || surroundings.hasFeature("InternalImportsByDefault"),
            isShown(names)
        else { return }
        if let access { return replace(access.range, by: "public") }
        insert("public ", at: tokens[index].range.lowerBound)
    }

    /// Whether a public declaration contains one of some names.
    private func isShown(_ known: Set<String>) -> Bool {
        let isNamed = names(known)
        // Members of these are public without the keyword, and inlinable code shows its body.
        let isInlinable = file.tokens.contains { $0.isWord("inlinable") }
        return file.tokens.indices.contains { index in
            guard isWord("public", at: index) || isWord("open", at: index), !isWord("import", at: index + 1) else {
                return false
            }
            // The declaration ends at the body, or at the end of the line if no bracket is open.
            var position = index + 1
            var depth = 0
            let showsBody = isInlinable || ["extension", "protocol", "enum"].contains { isWord($0, at: position) }
            while let token = token(position), showsBody || depth > 0 || !token.isMark("{") {
                if ["(", "[", "{"].contains(where: token.isMark) { depth += 1 }
                if [")", "]", "}"].contains(where: token.isMark) { depth -= 1 }
                if depth < 0 || depth == 0 && token.follows == .newline && !isMark("->", at: position) { return false }
                if isNamed(position) { return true }
                position += 1
            }
            return false
        }
    }

    /// The module that a token imports, if it is the word before the module.
    private func importedModule(_ index: Int) -> String? {
        guard isWord("import", at: index), !isMark(".", at: index - 1), let next = token(index + 1), next.isWord else {
            return nil
        }
        guard Self.importKinds.contains(next.text) else { return next.text }
        // `import class Foundation.ValueTransformer` becomes an import of the framework.
        let isMoved = FrameworkNames.ofFoundation.contains(token(index + 4)?.text ?? "")
        return isMoved ? "CoreData" : token(index + 2)?.text
    }

    /// Returns a check whether a token is one of some names and has their meaning.
    private func names(_ known: Set<String>) -> (Int) -> Bool {
        { index in
            let token = tokens[index]
            guard token.isWord else { return false }
            if token.text == "NSPredicate" || token.text == "NSSortDescriptor" {
                // Foundation has the types, and the framework the initialisers.
                let labels = ["format", "argumentArray", "key"]
                return known.contains("NSExpression") && isMark("(", at: index + 1)
                    && labels.contains { isWord($0, at: index + 2) }
            }
            guard known.contains(token.text), !isMark(".", at: index - 1) else { return false }
            // The token is a label, or a name of the program's own.
            if isMark(":", at: index + 1), isMark("(", at: index - 1) || isMark(",", at: index - 1) { return false }
            return keys.types.declarations[token.text]?.isWhole != true
        }
    }

    /// The place after the first import outside of all conditions, otherwise before the first token.
    private func placeForImports(_ active: [Int]) -> (position: Int, isBehind: Bool) {
        var depth = 0
        for index in tokens.indices {
            if case .directive(let directive) = tokens[index].kind {
                if directive == .ifCondition { depth += 1 }
                if directive == .end { depth -= 1 }
            }
            guard depth == 0, importedModule(index) != nil else { continue }
            var last = index + 1
            while let next = token(last + 1), next.follows != .newline, !next.isMark(";") { last += 1 }
            // A comment may follow on the line.
            let end = file.bytes[tokens[last].range.upperBound...].firstIndex(of: UInt8(ascii: "\n"))
            return (end ?? file.bytes.count, true)
        }
        // The place is before the attributes and comments of the first declaration.
        return (file.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0, false)
    }
}
