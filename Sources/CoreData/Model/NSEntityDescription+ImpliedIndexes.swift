/// Indexes that files of models do not list, because a mark of the attribute implies them.
///
/// An attribute that is marked as indexed has an index of its own name. A compiled model leaves out such an index if
/// another index has only this attribute, and a Mac adds it when it reads the file. Models that are made in code have
/// only the indexes that the code gives them.
extension NSEntityDescription {
    /// Adds the index of each attribute that is marked as indexed, or that is alone in an index of the file, before the
    /// indexes of the file.
    final func addImpliedIndexes() {
        let names = Set(indexes.map(\.name))
        let alone = Set(indexes.compactMap(\.soleName))
        let implied = ownAttributes.filter {
            ($0.isMarkedIndexed || alone.contains($0.name)) && !names.contains($0.name)
        }
        if !implied.isEmpty { indexes = implied.map { Self.impliedIndex(of: $0) } + indexes }
    }

    /// The indexes that a compiled model lists: all but those that `addImpliedIndexes()` adds.
    final var listedIndexes: [NSFetchIndexDescription] {
        var counts: [String: Int] = [:]
        for name in indexes.compactMap(\.soleName) { counts[name, default: 0] += 1 }
        let own = Set(ownAttributes.map(\.name))
        return indexes.filter { index in
            guard let name = index.soleName, name == index.name, own.contains(name) else { return true }
            return counts[name] == 1
        }
    }

    /// An index for each attribute that is marked as indexed, and alone in no index.
    final var uncoveredIndexes: [NSFetchIndexDescription] {
        let alone = Set(indexes.compactMap(\.soleName))
        return ownAttributes.filter { $0.isMarkedIndexed && !alone.contains($0.name) }
            .map { Self.impliedIndex(of: $0) }
    }

    /// All indexes in the order of their names.
    package final var comparableIndexes: [NSFetchIndexDescription] {
        (indexes + uncoveredIndexes).sorted { $0.name < $1.name }
    }

    private final var ownAttributes: [NSAttributeDescription] {
        ownProperties.compactMap { $0 as? NSAttributeDescription }.sorted { $0.name < $1.name }
    }

    private static func impliedIndex(of attribute: NSAttributeDescription) -> NSFetchIndexDescription {
        NSFetchIndexDescription(
            name: attribute.name,
            elements: [NSFetchIndexElementDescription(property: attribute, collationType: .binary)])
    }
}
