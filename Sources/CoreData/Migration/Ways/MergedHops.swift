/// Consecutive inferred hops. They are merged if a direct hop to the last version gives the same rows as hops through
/// every version between. Rows are then rewritten once, however many hops there are.
struct MergedHops {
    var target: NSManagedObjectModel
    /// The number of merged hops.
    var count: Int
    /// The origins of entities and properties, if there are several hops.
    var origins: ModelOrigins?

    /// The hops through versions, merged where the rows stay the same.
    ///
    /// - Parameters:
    ///   - stored: the names of the entities that the store holds at first; nil for all.
    ///   - configuration: the store's configuration.
    static func merge(
        from source: NSManagedObjectModel, storing stored: Set<String>?, through versions: [NSManagedObjectModel],
        configuration: String?
    ) -> [MergedHops] {
        guard versions.count > 1 else { return versions.map { MergedHops(target: $0, count: 1) } }
        var merged: [MergedHops] = []
        var (start, last) = (source, source)
        var heldAtStart = stored.map { MigrationMap.layouts(of: $0, in: source) }
        var heldAtLast = heldAtStart
        var origins: ModelOrigins?
        for version in versions {
            let heldThere = MigrationMap.layouts(ofConfiguration: configuration, in: version)
            guard
                let difference = try? ModelDifference(
                    from: last.layout, to: version.layout, storedSource: heldAtLast, storedDestination: heldThere)
            else {
                // The migration itself reports the obstacle.
                merged.append(MergedHops(target: version, count: 1))
                (start, heldAtStart, origins) = (version, heldThere, nil)
                (last, heldAtLast) = (version, heldThere)
                continue
            }
            var whole = origins
            whole?.follow(difference)
            if let whole, whole.isSame, let before = merged.last,
                let direct = try? ModelDifference(
                    from: start.layout, to: version.layout, storedSource: heldAtStart, storedDestination: heldThere,
                    origins: whole), whole.agree(with: direct), !direct.replacesNames
            {
                merged[merged.count - 1] = MergedHops(target: version, count: before.count + 1, origins: whole)
                origins = whole
            } else {
                if origins != nil { (start, heldAtStart) = (last, heldAtLast) }
                merged.append(MergedHops(target: version, count: 1))
                origins = ModelOrigins(difference)
            }
            (last, heldAtLast) = (version, heldThere)
        }
        return merged
    }
}

extension ModelDifference {
    /// Whether an addition has the name of a removal. Between the two versions neither existed.
    fileprivate var replacesNames: Bool {
        let gone = Set(source.entities.filter { destinationOf[$0.index] == nil }.map(\.name))
        return destination.entities.contains { entity in
            guard let origin = sourceOf[entity.index] else { return gone.contains(entity.name) }
            let kept = Set(properties[entity.index].values.map(\.name))
            let older = Set(Self.stored(source.entities[origin]).map(\.name)).subtracting(kept)
            return Self.stored(entity).contains { property in
                properties[entity.index][property.name] == nil && older.contains(property.name)
            }
        }
    }
}
