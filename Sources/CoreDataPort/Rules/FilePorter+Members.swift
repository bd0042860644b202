import CoreDataModelCompiler

// Members that rules write into classes.
extension FilePorter {
    /// Writes a member at the end of a class, in the layout of an existing one if there is one. `lines` get the step of
    /// indentation.
    mutating func append(to body: ScopeMap.Body, like member: Int?, lines: (_ step: String) -> [String]) {
        let end = body.range.upperBound
        let outer = indentation(at: end)
        let inner = member.map { indentation(at: tokens[startOfDeclaration(with: $0)].range.lowerBound) } ?? ""
        let step = inner.count > outer.count && inner.hasPrefix(outer) ? String(inner.dropFirst(outer.count)) : "    "
        let text = "\n" + lines(step).map { outer + step + $0 + "\n" }.joined()
        let start = end - outer.utf8.count
        let isOwnLine = start > 0 && file.bytes[start - 1] == UInt8(ascii: "\n")
        insert(text, at: isOwnLine ? start : end)
    }

    /// Whether a class is visible to other modules.
    func isPublic(_ body: ScopeMap.Body) -> Bool {
        guard let brace = tokens.firstIndex(where: { $0.range.upperBound == body.range.lowerBound }),
            let keyword = tokens[..<brace].lastIndex(where: { $0.isWord("class") })
        else { return false }
        return tokens[startOfDeclaration(with: keyword)..<keyword].contains { $0.isWord("public") || $0.isWord("open") }
    }
}
