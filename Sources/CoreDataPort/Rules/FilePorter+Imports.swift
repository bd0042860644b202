import CoreDataModelCompiler
import SwiftScanning

extension FilePorter {
    static let importKinds: Set<String> = [
        "class", "struct", "enum", "protocol", "typealias", "func", "var", "let",
    ]

    /// An import in the file.
    struct Import {
        let module: SwiftToken
        /// Whether the import is of a single declaration: `import struct Foundation.Date`.
        let isOfDeclaration: Bool
        /// The first and the last token, with attributes and access.
        let tokens: ClosedRange<Int>
        /// The part after the module: a header, or the declaration.
        let part: Range<Int>
    }

    /// The import whose keyword is at an index.
    func importDeclaration(at index: Int) -> Import? {
        if isMark(".", at: index - 1) { return nil }
        let isOfDeclaration = token(index + 1).map { $0.isWord && Self.importKinds.contains($0.text) } == true
        let place = index + (isOfDeclaration ? 2 : 1)
        guard let module = token(place), module.isWord else { return nil }
        var last = place
        while isMark(".", at: last + 1), token(last + 2)?.isWord == true { last += 2 }
        return Import(
            module: module, isOfDeclaration: isOfDeclaration, tokens: startOfDeclaration(with: index)...last,
            part: module.range.upperBound..<tokens[last].range.upperBound)
    }

    /// Whether the file imports a module, or a declaration of it.
    func importsByName(_ module: String) -> Bool {
        let tokens = file.tokens
        return tokens.indices.dropFirst().contains { index in
            guard tokens[index].isWord(module) else { return false }
            let isOfDeclaration = Self.importKinds.contains(tokens[index - 1].text) && index > 1
            return tokens[isOfDeclaration ? index - 2 : index - 1].isWord("import")
        }
    }

    /// Whether the package has a target with the name of a module that Linux does not have.
    private func hasStandIn(for module: String) -> Bool {
        surroundings.targets.contains(module) && AppleModules.advice[module] != nil
    }

    /// Whether no module of a name exists on Linux, and no package has it.
    private func isAbsent(_ found: Import) -> Bool {
        let module = found.module.text
        if AppleModules.ofLogging.contains(module) {
            let isSafe = file.inactive.isGuarded(found.module.range.lowerBound, by: module)
            return !isSafe && !surroundings.options.logging && !hasStandIn(for: module)
        }
        return AppleModules.advice[module] != nil && !hasStandIn(for: module)
    }

    /// Ports `import CoreData.NSFetchRequest`, which names a header. Neither modules of Swift nor targets that replace
    /// a module have such parts.
    mutating func portHeaderImport(at index: Int) {
        guard let found = importDeclaration(at: index), !found.isOfDeclaration, !found.part.isEmpty,
            ["CoreData", "Foundation"].contains(found.module.text) || hasStandIn(for: found.module.text)
        else { return }
        replace(found.part, by: "")
    }

    /// Ports an import that is only for names that Foundation on Linux has.
    mutating func portReplaceableImport(at index: Int) {
        guard let found = importDeclaration(at: index), !found.isOfDeclaration, isAbsent(found),
            AppleModules.isReplaceable(found.module.text, in: file.tokens)
        else { return }
        replace(found.module.range, by: "Foundation")
    }

    /// Ports `import os.log`: the target needs the product that has the module.
    mutating func portLoggingImport(at index: Int) {
        guard let found = importDeclaration(at: index), AppleModules.ofLogging.contains(found.module.text),
            !isAbsent(found), !hasStandIn(for: found.module.text),
            !AppleModules.ofLogging.contains(where: { file.inactive.isGuarded(found.module.range.lowerBound, by: $0) })
        else { return }
        if importsByName(PackageProduct.loggingCore.rawValue) {
            neededProducts.insert(.loggingCore)
            return
        }
        if surroundings.isBesidePackages, importLoggingCore(for: found, index) { return }
        neededProducts.insert(.logging)
        replacedModules[.logging] = replacedModules[.logging] ?? found.module
    }

    /// Imports what is in the module `os` under another name, which other packages of the build do not ask for. Returns
    /// whether the import has lines of its own.
    private mutating func importLoggingCore(for found: Import, _ index: Int) -> Bool {
        guard tokens[found.tokens.lowerBound].follows == .newline || found.tokens.lowerBound == 0,
            token(found.tokens.upperBound + 1)?.follows ?? .newline == .newline
        else { return false }
        let start = tokens[found.tokens.lowerBound].range.lowerBound
        let blank = indentation(at: start)
        let instead =
            text(start..<found.module.range.lowerBound) + PackageProduct.loggingCore.rawValue
            + (found.isOfDeclaration ? text(found.part) : "")
        // Another package may show the module `os`. So the condition asks for the module that is certainly there.
        let condition = "#if canImport(\(PackageProduct.loggingCore.rawValue))"
        insert("\(condition)\n\(blank)\(instead)\n\(blank)#else\n\(blank)", at: start)
        insert("\n\(blank)#endif", at: found.part.upperBound)
        neededProducts.insert(.loggingCore)
        return true
    }

    /// Ports `os.Logger`, because the module has another name beside other packages.
    mutating func portNameOfLogging(at index: Int) {
        guard surroundings.options.logging, surroundings.isBesidePackages, isMark(".", at: index + 1),
            let name = token(index + 2), name.isWord, !isMark(".", at: index - 1), !isWord("import", at: index - 1),
            !isWord("import", at: index - 2), AppleModules.ofLogging.contains(where: importsByName),
            !hasStandIn(for: "os"), name.text.hasPrefix("OS") || name.text.hasPrefix("os_") || name.isWord("Logger"),
            keys.types.declarations[name.text] == nil
        else { return }
        replace(tokens[index].range.lowerBound..<name.range.lowerBound, by: "")
    }

    /// Replaces `import Combine` by an import of OpenCombine if Combine does not exist.
    mutating func portCombineImport(at index: Int) {
        guard surroundings.options.combine, let found = importDeclaration(at: index), found.module.isWord("Combine"),
            !hasStandIn(for: "Combine"), tokens[found.tokens.lowerBound].follows == .newline,
            token(found.tokens.upperBound + 1)?.follows ?? .newline == .newline
        else { return }
        let start = tokens[found.tokens.lowerBound].range.lowerBound
        let blank = indentation(at: start)
        func line(_ module: String, from first: Int) -> String {
            text(first..<found.module.range.lowerBound) + module + text(found.part) + "\n" + blank
        }
        let imports = ["OpenCombineFoundation", "OpenCombineDispatch"].map { module in
            text(start..<tokens[index].range.upperBound) + " \(module)\n" + blank
        }
        replace(
            start..<found.part.upperBound,
            by: "#if canImport(Combine)\n" + blank + line("Combine", from: start) + "#else\n" + blank
                + line("OpenCombine", from: start) + imports.joined() + "#endif")
        neededProducts.formUnion([.openCombine, .openCombineFoundation, .openCombineDispatch])
        replacedModules[.openCombine] = replacedModules[.openCombine] ?? found.module
    }

    /// Ports `Combine.Just`, because the module has another name on Linux.
    mutating func portNameOfCombine(at index: Int) {
        guard surroundings.options.combine, isMark(".", at: index + 1), let name = token(index + 2), name.isWord,
            !isMark(".", at: index - 1), !isWord("import", at: index - 1), !isWord("import", at: index - 2),
            importsByName("Combine"), !hasStandIn(for: "Combine")
        else { return }
        if keys.types.declarations[name.text] != nil {
            return byHand(
                tokens[index],
                "the module is OpenCombine on Linux, and a type of the package has the name '\(name.text)'")
        }
        replace(tokens[index].range.lowerBound..<name.range.lowerBound, by: "")
    }

    /// Ports `Publishers.Merge(a, b)`. Flattening a sequence subscribes to all of its publishers at once, as well.
    mutating func portMerge(at index: Int) {
        guard surroundings.options.combine, isMark(".", at: index - 1), isWord("Publishers", at: index - 2),
            !isMark(".", at: index - 3), isMark("(", at: index + 1), let close = closing(of: index + 1),
            importsByName("Combine"), !hasStandIn(for: "Combine")
        else { return }
        replace(tokens[index - 2].range.lowerBound..<tokens[index + 1].range.upperBound, by: "[")
        var place = index + 2
        while place <= close {
            if ["(", "[", "{"].contains(where: tokens[place].isMark) { place = closing(of: place) ?? close }
            if place == close || isMark(",", at: place) {
                insert(".eraseToAnyPublisher()", at: tokens[place - 1].range.upperBound)
            }
            place += 1
        }
        replace(tokens[close].range, by: "].publisher.flatMap({ $0 })")
    }

    /// Reports an import of a module that does not exist.
    mutating func reportAbsentImport(at index: Int) {
        guard let found = importDeclaration(at: index), isAbsent(found), !isRewritten(index), !isLeftOut(index),
            !edits.contains(where: { $0.range == found.module.range }),
            let advice = AppleModules.advice[found.module.text]
        else { return }
        byHand(found.module, "there is no module '\(found.module.text)' on Linux: \(advice)")
    }

    /// A file for modules that are not there, which no other code needs: all of it goes behind a condition.
    mutating func guardFile() -> Bool {
        guard let modules = surroundings.guardedFiles.modules[file.path], let first = file.tokens.first else {
            return false
        }
        let condition = modules.map { "canImport(\($0))" }.joined(separator: " && ")
        let start = file.bytes[..<first.range.lowerBound].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        insert("#if \(condition)\n", at: start)
        insert((file.bytes.last == UInt8(ascii: "\n") ? "" : "\n") + "#endif\n", at: file.bytes.count)
        hint(first, "the file is for \(modules.joined(separator: ", ")) alone, and is left out on Linux")
        return true
    }
}
