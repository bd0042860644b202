import CoreDataModelCompiler
import SwiftScanning

extension FilePorter {
    /// The tokens that Linux compiles, with those inside strings.
    private var compiledTokens: [SwiftToken] {
        ([file.tokens] + file.interpolations.map(\.tokens)).joined()
            .filter { !file.inactive.contains($0.range.lowerBound) }
    }

    /// Ports an import of a module of Apple's systems if no compiled code uses a name of it. The code that `#if` leaves
    /// out may use the module, so the import stays for the systems that have it.
    mutating func guardImport(at index: Int) {
        guard interpolation == nil, let found = importDeclaration(at: index), !found.isOfDeclaration,
            !isRewritten(index), !edits.contains(where: { $0.range == found.module.range })
        else { return }
        let module = found.module.text
        guard AppleModules.isOfSystem(module), !surroundings.targets.contains(module),
            AppleModules.hasKnownNames(module), !AppleModules.usesNames(of: module, in: compiledTokens),
            !file.inactive.isGuarded(found.module.range.lowerBound, by: module),
            tokens[found.tokens.lowerBound].follows == .newline || found.tokens.lowerBound == 0,
            token(found.tokens.upperBound + 1)?.follows ?? .newline == .newline
        else { return }
        let start = tokens[found.tokens.lowerBound].range.lowerBound
        let blank = indentation(at: start)
        insert("#if canImport(\(module))\n\(blank)", at: start)
        // These modules hand Foundation on.
        let isOnlyImport = !importsByName("Foundation") && !importsByName("CoreData")
        let instead = isOnlyImport ? "\n\(blank)#else\n\(blank)import Foundation" : ""
        let end = tokens[found.tokens.upperBound].range.upperBound
        insert("\(instead)\n\(blank)#endif", at: end)
        leftOut.append(start..<end)
    }
}
