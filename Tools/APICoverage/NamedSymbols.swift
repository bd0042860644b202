/// Which symbols a set of Swift sources names: those whose base name stands in them as a word. Of an initialiser it is
/// the type's name.
public struct NamedSymbols {
    private var words: Set<Substring> = []

    public init(sources: [String]) {
        for source in sources {
            words.formUnion(source.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map { $0 })
        }
    }

    /// Whether the sources name the symbol.
    public func contains(_ symbol: APISymbol) -> Bool {
        let parts = symbol.path.prefix { $0 != "(" }.split(separator: ".")
        guard let name = parts.last else { return false }
        if name == "subscript" || name == "init" { return parts.dropLast().last.map { words.contains($0) } ?? false }
        return words.contains(name)
    }
}
