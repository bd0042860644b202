import CoreDataModelCompiler

extension FilePorter {
    private static let importKinds: Set<String> = [
        "class", "struct", "enum", "protocol", "typealias", "func", "var", "let",
    ]

    /// Imports of modules that Linux does not have, and of parts of modules that it does not know as such.
    mutating func portImport(at index: Int) {
        if isMark(".", at: index - 1) { return }
        let isKind = token(index + 1).map { $0.isWord && Self.importKinds.contains($0.text) } == true
        let place = index + (isKind ? 2 : 1)
        guard let module = token(place), module.isWord else { return }
        if surroundings.targets.contains(module.text), AppleModules.advice[module.text] != nil {
            // The package has something in the module's place, which has no such parts.
            if !isKind, isMark(".", at: place + 1), let part = token(place + 2), part.isWord {
                replace(module.range.upperBound..<part.range.upperBound, by: "")
            }
            return
        }
        if let advice = AppleModules.advice[module.text] {
            if !isKind, AppleModules.isReplaceable(module.text, in: file.tokens) {
                return replace(module.range, by: "Foundation")
            }
            return byHand(module, "there is no module '\(module.text)' on Linux: \(advice)")
        }
        // `import CoreData.NSFetchRequest` names a header; modules of Swift have no such parts.
        guard !isKind, module.text == "CoreData" || module.text == "Foundation", isMark(".", at: place + 1),
            let part = token(place + 2), part.isWord
        else { return }
        replace(module.range.upperBound..<part.range.upperBound, by: "")
    }

    /// Adds imports that names in the file need here.
    mutating func addImports() {
        let active = file.tokens.indices.filter { !file.inactive.contains(file.tokens[$0].range.lowerBound) }
        let imported = Set(active.compactMap(importedModule))
        var missing: [(module: String, isFramework: Bool)] = []
        if !imported.contains("CoreData"), usesAdditions || active.contains(where: names(FrameworkNames.framework)) {
            missing.append(("CoreData", true))
        }
        for (module, types) in FrameworkNames.partsOfFoundation
        where !imported.contains(module) && active.contains(where: names(types)) { missing.append((module, false)) }
        importsFramework = imported.contains("CoreData") || missing.first?.isFramework == true
        guard !missing.isEmpty else { return }
        let (position, prefix) = placeForImports(active)
        // Where imports say who may see them, one that says nothing is internal to the file's module.
        let access = active.contains { isWord("public", at: $0) && isWord("import", at: $0 + 1) } ? "public " : ""
        var text = ""
        for (module, isFramework) in missing {
            text +=
                isFramework
                ? "\(access)import \(module)\n" : "#if canImport(\(module))\n\(access)import \(module)\n#endif\n"
        }
        insert(prefix ? "\n" + text.dropLast() : text, at: position)
    }

    /// The module that a token imports, if it is the word before one.
    private func importedModule(_ index: Int) -> String? {
        guard isWord("import", at: index), !isMark(".", at: index - 1), let next = token(index + 1), next.isWord else {
            return nil
        }
        guard Self.importKinds.contains(next.text) else { return next.text }
        // `import class Foundation.ValueTransformer` becomes one of the framework.
        let isMoved = FrameworkNames.ofFoundation.contains(token(index + 4)?.text ?? "")
        return isMoved ? "CoreData" : token(index + 2)?.text
    }

    /// Whether a token is one of some names and stands for what they mean.
    private func names(_ known: Set<String>) -> (Int) -> Bool {
        { index in
            let token = tokens[index]
            guard token.isWord else { return false }
            if token.text == "NSPredicate" || token.text == "NSSortDescriptor" {
                // Foundation has the types, the framework the initialisers.
                let labels = ["format", "argumentArray", "key"]
                return known.contains("NSExpression") && isMark("(", at: index + 1)
                    && labels.contains { isWord($0, at: index + 2) }
            }
            guard known.contains(token.text), !isMark(".", at: index - 1) else { return false }
            // A label, or a name of the program's own.
            if isMark(":", at: index + 1), isMark("(", at: index - 1) || isMark(",", at: index - 1) { return false }
            return keys.types.declarations[token.text]?.isWhole != true
        }
    }

    /// Behind the first import that no condition surrounds; else before the first of all tokens.
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
            // A comment may stand behind it on the line.
            let end = file.bytes[tokens[last].range.upperBound...].firstIndex(of: UInt8(ascii: "\n"))
            return (end ?? file.bytes.count, true)
        }
        // Before the attributes of the first declaration and what is written above it.
        return (file.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0, false)
    }

    /// Says that nothing of a file is left where `#if` leaves out all that it declares.
    mutating func reportVanished() {
        var condition: SwiftToken?
        var isInImport = false
        for (index, token) in file.tokens.enumerated() {
            if case .directive(let directive) = token.kind {
                if condition == nil, directive == .ifCondition { condition = token }
                continue
            }
            if token.follows == .newline { isInImport = false }
            if isWord("import", at: index) || isMark("@", at: index) && isWord("testable", at: index + 1) {
                isInImport = true
            }
            if !isInImport, !file.inactive.contains(token.range.lowerBound) { return }
        }
        guard let condition else { return }
        hint(
            condition, "nothing of this file is left on Linux: '#if \(condition.text)' leaves out all that it declares")
    }
}
