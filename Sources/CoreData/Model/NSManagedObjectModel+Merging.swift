import Foundation

extension NSManagedObjectModel {
    /// Creates a model with copies of the entities, configurations and templates of several models.
    ///
    /// An entity that several models have is taken once. The process stops if two models have different entities of one
    /// name. Relationships that lead from one model to another find their destination by name.
    ///
    /// - Parameter models: The models; they are not changed. For nil the result is nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/init(bymerging:))
    public convenience init?(byMerging models: [NSManagedObjectModel]?) {
        guard let models else { return nil }
        self.init()
        var chosen: [NSEntityDescription] = []
        var byName: [String: NSEntityDescription] = [:]
        for entity in models.flatMap(\.entities) {
            let name = entity.name ?? ""
            if let other = byName[name] {
                require(
                    other.isEqual(entity), "Can't merge models with two different entities named '\(name)'")
                continue
            }
            byName[name] = entity
            chosen.append(entity)
        }
        adopt(chosen, from: models)
    }

    /// Creates a model from the entities of several models whose version hashes a store's metadata name.
    ///
    /// The result is nil if none of the models has one of the entities, or if the metadata hold no version hashes.
    ///
    /// - Parameters:
    ///   - models: The models, usually all versions of one model; they are not changed.
    ///   - metadata: The metadata of a store, with ``NSStoreModelVersionHashesKey``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/init(bymerging:forstoremetadata:))
    public convenience init?(byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]) {
        guard let wanted = metadata[NSStoreModelVersionHashesKey] as? [String: Data] else { return nil }
        // One version usually has them all; entities of one version also agree on parts that have no hash.
        for model in models where model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) {
            self.init()
            adopt(model.entities, from: [model])
            return
        }
        var chosen: [NSEntityDescription] = []
        for (name, hash) in wanted.sorted(by: { $0.key < $1.key }) {
            let candidates = models.lazy.compactMap { $0.entitiesByName[name] }
            guard let entity = candidates.first(where: { $0.versionHash == hash || $0.formerVersionHash == hash })
            else { return nil }
            chosen.append(entity)
        }
        self.init()
        adopt(chosen, from: models)
    }

    /// Fills an empty model with linked copies of the entities, and with the configurations, templates and names of the
    /// models.
    private final func adopt(_ chosen: [NSEntityDescription], from models: [NSManagedObjectModel]) {
        let copies = Self.linkedCopies(of: chosen)
        // A parent taken from another model has not been linked by identity.
        var byName: [String: NSEntityDescription] = [:]
        for copy in copies { byName[copy.name ?? ""] = copy }
        for (original, copy) in zip(chosen, copies) where copy.superentity == nil {
            if let parent = original.superentity?.name.flatMap({ byName[$0] }) { parent.subentities.append(copy) }
        }
        entities = copies
        resolveReferences()
        for (original, copy) in zip(chosen, copies) { copy.recordedVersionHash = original.recordedVersionHash }
        for model in models {
            for configuration in model.configurations {
                let members = model.entities(forConfigurationName: configuration)?.compactMap(\.name) ?? []
                let present = entities(forConfigurationName: configuration)?.compactMap(\.name) ?? []
                let names = present + members.filter { !present.contains($0) }
                setEntities(names.compactMap { byName[$0] }, forConfigurationName: configuration)
            }
            for (name, template) in model.fetchRequestTemplatesByName {
                guard let copy = template.copy() as? NSFetchRequest<NSFetchRequestResult> else { continue }
                copy.relink(to: self)
                setFetchRequestTemplate(copy, forName: name)
            }
            versionIdentifiers.formUnion(model.versionIdentifiers)
            if let localization = model.localizationDictionary {
                localizationDictionary = (localizationDictionary ?? [:]).merging(localization) { first, _ in first }
            }
        }
    }
}
