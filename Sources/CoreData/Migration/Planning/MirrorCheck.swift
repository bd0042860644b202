/// The changes of an inferred migration after which CloudKit's tables of a store would name other objects.
///
/// These tables have the numbers of entities and the keys of rows. A record also has the name of its entity and of the
/// root entity. Inferred migrations never change keys.
enum MirrorCheck {
    /// The changes of entities that the store holds, in words, each with the name in the store's version.
    static func changes(
        _ difference: ModelDifference, from old: SQLSchema, to new: SQLSchema
    ) -> [(entity: String, text: String)] {
        difference.source.entities.compactMap { entity in
            guard let number = old.numbers[entity.index] else { return nil }
            guard let index = difference.destinationOf[entity.index], let newNumber = new.numbers[index] else {
                return (entity.name, "removes \(entity.name)")
            }
            let newer = difference.destination.entities[index]
            if newer.name != entity.name { return (entity.name, "renames \(entity.name) to \(newer.name)") }
            if difference.destinationOf[entity.rootIndex] != newer.rootIndex {
                let root = difference.destination.entities[newer.rootIndex].name
                return (entity.name, "moves \(entity.name) below \(root)")
            }
            if newNumber != number { return (entity.name, "changes the number of \(entity.name)") }
            return nil
        }
    }
}

extension MirrorCheck {
    /// The change that a mapping model makes.
    static func change(by hop: MigrationHop) -> String { "gives all objects new keys by the mapping model \(hop.name)" }
}
