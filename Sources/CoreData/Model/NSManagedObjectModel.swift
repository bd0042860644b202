import Foundation

/// A schema: the entities of an application, their configurations and their fetch request templates.
///
/// A model is built in code, read from a file, or merged from other models. The first coordinator that uses a model
/// freezes it. From then on any thread may read the model, and a change stops the process with "Can't modify an
/// immutable model.". Until then the model belongs to one thread. Copy a frozen model to get one that can be changed.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel)
// @unchecked Sendable: immutable once frozen (every setter checks); freezing itself happens under `freezeLock`.
open class NSManagedObjectModel: NSObject, NSCopying, @unchecked Sendable {
    /// The name that stands for all entities in place of a configuration.
    static let defaultConfigurationName = "PF_DEFAULT_CONFIGURATION_NAME"
    /// The name under which Xcode's editor shows the configuration of all entities.
    private static let defaultConfigurationTitle = "Default"

    final let freezeLock = NSRecursiveLock()
    private final var storedEntities: [NSEntityDescription] = []
    private final var configurationNames: [String: [String]] = [:]
    private final var storedTemplates: [String: NSFetchRequest<NSFetchRequestResult>] = [:]
    private final var storedLocalizationDictionary: [String: String]?
    private final var storedVersionIdentifiers: Set<AnyHashable> = []
    /// The bundle of versions that the model was read from; nil for a model of a single file, and for one made in code.
    final var bundleOfVersions: URL?
    private final var frozen: FrozenModel?
    private final var storedLayout: ModelLayout?
    /// Computed at first use once the model is frozen; under `freezeLock`.
    private final var cachedVersionHashes: [String: Data]?

    /// Creates an empty model.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/init())
    public override init() {
        super.init()
    }

    deinit {
        for entity in storedEntities where entity.model === self {
            entity.model = nil
            if frozen != nil {
                for case let relationship as NSRelationshipDescription in entity.ownProperties {
                    relationship.thawEnds()
                }
            }
        }
    }

    // MARK: Entities

    /// The entities, in the order in which they were given.
    ///
    /// The setter also takes over all subentities of the given entities.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/entities)
    open var entities: [NSEntityDescription] {
        get { storedEntities }
        set {
            requireMutable()
            for entity in storedEntities where entity.model === self { entity.model = nil }
            storedEntities = []
            var known = Set<ObjectIdentifier>()
            var pending = Array(newValue.reversed())
            while let entity = pending.popLast() {
                guard known.insert(ObjectIdentifier(entity)).inserted else { continue }
                entity.requireMutable()
                entity.model = self
                storedEntities.append(entity)
                pending.append(contentsOf: entity.subentities.reversed())
            }
        }
    }

    /// The entities by name.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/entitiesbyname)
    open var entitiesByName: [String: NSEntityDescription] {
        frozen?.entitiesByName
            ?? Dictionary(storedEntities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Configurations

    /// The names of the configurations, sorted. The name that stands for all entities is not among them.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/configurations)
    open var configurations: [String] { configurationNames.keys.sorted() }

    /// Returns the entities of a configuration.
    ///
    /// - Parameter configuration: The name of a configuration. Nil and `PF_DEFAULT_CONFIGURATION_NAME` stand for all
    ///   entities. So does `Default`, the name in Xcode's editor, unless the model has a configuration of that name.
    /// - Returns: The entities; nil if the model has no such configuration.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/entities(forconfigurationname:))
    open func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        guard let configuration, configuration != Self.defaultConfigurationName else { return storedEntities }
        guard let names = configurationNames[configuration] else {
            return configuration == Self.defaultConfigurationTitle ? storedEntities : nil
        }
        let byName = entitiesByName
        return names.compactMap { byName[$0] }
    }

    /// Defines a configuration, or replaces it.
    ///
    /// Stops the process if the model has no entity of the name of one of the given entities, or if the model is in
    /// use.
    ///
    /// - Parameters:
    ///   - entities: Entities of this model.
    ///   - configuration: The name of the configuration.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/setentities(_:forconfigurationname:))
    open func setEntities(_ entities: [NSEntityDescription], forConfigurationName configuration: String) {
        requireMutable()
        let byName = entitiesByName
        for entity in entities {
            require(
                byName[entity.name ?? ""] != nil,
                "Configurations can only contain entities of the model: configuration '\(configuration)', "
                    + "entity '\(entity.name ?? "")'.")
        }
        configurationNames[configuration] = entities.compactMap(\.name)
    }

    // MARK: Fetch request templates

    /// The fetch request templates by name.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/fetchrequesttemplatesbyname)
    open var fetchRequestTemplatesByName: [String: NSFetchRequest<NSFetchRequestResult>] { storedTemplates }

    /// Adds, replaces or removes a fetch request template.
    ///
    /// The process stops if the model is in use by a coordinator.
    ///
    /// - Parameters:
    ///   - fetchRequestTemplate: The template; nil removes the template of that name.
    ///   - name: The name of the template.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/setfetchrequesttemplate(_:forname:))
    open func setFetchRequestTemplate(
        _ fetchRequestTemplate: NSFetchRequest<NSFetchRequestResult>?, forName name: String
    ) {
        requireMutable()
        storedTemplates[name] = fetchRequestTemplate
    }

    /// Returns the template of a name. It is the template itself: copy it before you change it. Changing it stops the
    /// process once the model is in use.
    ///
    /// - Parameter name: The name of the template.
    /// - Returns: The template; nil if the model has none of that name.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/fetchrequesttemplate(forname:))
    open func fetchRequestTemplate(forName name: String) -> NSFetchRequest<NSFetchRequestResult>? {
        storedTemplates[name]
    }

    /// Returns a copy of a template, with values in place of the variables of its predicate.
    ///
    /// - Parameters:
    ///   - name: The name of the template.
    ///   - variables: The values, by the names of the variables without `$`.
    /// - Returns: A request of its own; nil if the model has no template of that name.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/fetchrequestfromtemplate(withname:substitutionvariables:))
    open func fetchRequestFromTemplate(
        withName name: String, substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<NSFetchRequestResult>? {
        guard let copy = storedTemplates[name]?.copy() as? NSFetchRequest<NSFetchRequestResult> else { return nil }
        copy.predicate = copy.predicate?.substituting(variables)
        return copy
    }

    // MARK: Names and identifiers

    /// Localised names of entities and properties.
    ///
    /// Examples of keys are `Entity/Person` and `Property/name/Entity/Person`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/localizationdictionary)
    open var localizationDictionary: [String: String]? {
        get { storedLocalizationDictionary }
        set {
            requireMutable()
            storedLocalizationDictionary = newValue
        }
    }

    /// Names that the developer gave to this version of the model. They do not affect compatibility.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/versionidentifiers)
    open var versionIdentifiers: Set<AnyHashable> {
        get { storedVersionIdentifiers }
        set {
            requireMutable()
            storedVersionIdentifiers = newValue
        }
    }

    // MARK: Freezing

    /// Whether a coordinator uses the model.
    final var isFrozen: Bool {
        freezeLock.lock()
        defer { freezeLock.unlock() }
        return frozen != nil
    }

    /// Makes the model immutable, and computes values that are read often. Later calls do nothing. Any thread may call.
    ///
    /// Resolves the names of destinations and inverses first. `validate()` reports invalid descriptions.
    package final func freeze() {
        freezeLock.lock()
        defer { freezeLock.unlock() }
        guard frozen == nil else { return }
        resolveReferences()
        let numbering = makeEntityNumbering()
        for (index, entity) in numbering.enumerated() {
            let properties = entity.properties
            let byName = entity.propertiesByName
            for property in entity.ownProperties { (property as? NSRelationshipDescription)?.freezeEnds() }
            for property in entity.ownProperties {
                property.isFrozen = true
                let request: (any ModelRequest)? = (property as? NSFetchedPropertyDescription)?.fetchRequest
                request?.isFrozen = true
            }
            entity.frozen = FrozenEntity(
                properties: properties, propertiesByName: byName,
                attributesByName: byName.compactMapValues { $0 as? NSAttributeDescription },
                relationshipsByName: byName.compactMapValues { $0 as? NSRelationshipDescription },
                number: index + 1)
        }
        for template in storedTemplates.values {
            let request: any ModelRequest = template
            request.isFrozen = true
        }
        frozen = FrozenModel(
            entitiesByName: Dictionary(
                storedEntities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first }),
            numbering: numbering)
        ModelsInUse.add(self)
    }

    /// The places of the values of each entity in a row; freezes the model. Any thread may call.
    final var layout: ModelLayout {
        freeze()
        freezeLock.lock()
        defer { freezeLock.unlock() }
        if let storedLayout { return storedLayout }
        let layout = ModelLayout(model: self)
        storedLayout = layout
        return layout
    }

    /// Resolves the names of entities and inverses in relationships and fetched properties.
    ///
    /// Does nothing once the model is frozen: a relationship without an inverse then stays without one.
    final func resolveReferences() {
        freezeLock.lock()
        defer { freezeLock.unlock() }
        guard frozen == nil else { return }
        let byName = Dictionary(
            storedEntities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
        for entity in storedEntities {
            for case let relationship as NSRelationshipDescription in entity.ownProperties
            where relationship.destinationEntity == nil || relationship.inverseRelationship == nil {
                let destination =
                    relationship.destinationEntity ?? relationship.destinationEntityName.flatMap { byName[$0] }
                let inverse =
                    relationship.inverseRelationship
                    ?? relationship.inverseRelationshipName.flatMap {
                        destination?.propertiesByName[$0] as? NSRelationshipDescription
                    }
                relationship.link(destination: destination, inverse: inverse)
            }
            for case let property as NSFetchedPropertyDescription in entity.ownProperties {
                let found: (any ModelRequest)? = property.fetchRequest
                guard let request = found, request.parameters.entity == nil else { continue }
                request.unretainedEntity = request.parameters.givenEntityName.flatMap { byName[$0] }
            }
        }
    }

    /// The entities in the order of their numbers in a store, from 1: depth first, siblings by name ignoring case.
    final var entityNumbering: [NSEntityDescription] { frozen?.numbering ?? makeEntityNumbering() }

    private final func makeEntityNumbering() -> [NSEntityDescription] {
        func sorted(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
            entities.map { (key: $0.name ?? "", entity: $0) }
                .sorted { left, right in
                    let (folded, otherFolded) = (left.key.lowercased(), right.key.lowercased())
                    return folded == otherFolded
                        ? left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
                        : folded.utf8.lexicographicallyPrecedes(otherFolded.utf8)
                }
                .map(\.entity)
        }
        var result: [NSEntityDescription] = []
        var pending = Array(sorted(storedEntities.filter { $0.superentity?.model !== self }).reversed())
        while let entity = pending.popLast() {
            result.append(entity)
            pending.append(contentsOf: sorted(entity.subentities).reversed())
        }
        return result
    }

    /// The version hashes of all entities by name.
    ///
    /// A frozen model computes them once. Any thread may read them then.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/entityversionhashesbyname)
    open var entityVersionHashesByName: [String: Data] {
        freezeLock.lock()
        defer { freezeLock.unlock() }
        if let cachedVersionHashes { return cachedVersionHashes }
        let hashes = computeVersionHashes()
        if frozen != nil { cachedVersionHashes = hashes }
        return hashes
    }

    /// Stops the process if a coordinator uses the model.
    final func requireMutable() {
        require(!isFrozen, "Can't modify an immutable model.")
    }

    // MARK: Copying and equality

    /// A copy of the whole model that can be changed. Superentities, destinations and inverses are those of the copy.
    open func copy(with zone: NSZone? = nil) -> Any { copied() }

    /// A copy, not frozen, with the same entities under the same version hashes.
    final func copied() -> NSManagedObjectModel {
        let copy = NSManagedObjectModel()
        copy.entities = NSManagedObjectModel.linkedCopies(of: storedEntities)
        copy.configurationNames = configurationNames
        copy.storedTemplates = storedTemplates.compactMapValues {
            guard let template = $0.copy() as? NSFetchRequest<NSFetchRequestResult> else { return nil }
            template.relink(to: copy)
            return template
        }
        copy.storedLocalizationDictionary = storedLocalizationDictionary
        copy.storedVersionIdentifiers = storedVersionIdentifiers
        copy.bundleOfVersions = bundleOfVersions
        return copy
    }

    /// A checksum of the version hashes of all entities: 32 bytes in base64.
    ///
    /// The metadata of a store and the version information of a compiled bundle hold the same text.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/versionchecksum)
    open var versionChecksum: String { VersionHash.checksum(of: entityVersionHashesByName) }

    /// Whether a store with the given metadata has the layout of a configuration.
    ///
    /// The metadata and the configuration must name the same entities, with the same version hashes.
    ///
    /// - Parameters:
    ///   - configuration: The name of a configuration; nil stands for all entities.
    ///   - metadata: The metadata of a store, with ``NSStoreModelVersionHashesKey``.
    /// - Returns: True if they fit; false if they do not, and if the model has no such configuration.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/isconfiguration(withname:compatiblewithstoremetadata:))
    open func isConfiguration(
        withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
    ) -> Bool {
        compatibility(ofConfiguration: configuration, withStoreMetadata: metadata) == .compatible
    }

    /// Merges the models among the resources of bundles.
    ///
    /// Models are `.momd`, `.mom`, `.xcdatamodeld` and `.xcdatamodel`. Of a bundle with several versions the current
    /// version counts. A model that cannot be read is left out, with a line on standard error. Two different entities
    /// of one name stop the process.
    ///
    /// - Parameter bundles: The bundles; nil stands for the main bundle and the bundles of a package's targets beside
    ///   the program.
    /// - Returns: The merged model. It is empty if there are no models.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/mergedmodel(from:))
    open class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        NSManagedObjectModel(byMerging: models(in: bundles))
    }

    /// Merges the entities that a store's metadata name, out of all versions of all models in bundles.
    ///
    /// The function first reads the versions whose bundle records these entities. It reads the other versions only if
    /// the first ones do not have the entities.
    ///
    /// - Parameters:
    ///   - bundles: The bundles; nil stands for the main bundle and the bundles of a package's targets beside the
    ///     program.
    ///   - metadata: The metadata of a store, with ``NSStoreModelVersionHashesKey``.
    /// - Returns: The model of the store; nil if an entity is missing, or the metadata hold no version hashes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/mergedmodel(from:forstoremetadata:))
    open class func mergedModel(
        from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        _mergedModel(from: bundles, forStoreMetadata: metadata)
    }

    /// Returns the version checksum of each version in a model's bundle.
    ///
    /// - Parameter modelURL: The URL of an `.xcdatamodeld` or a `.momd`.
    /// - Returns: The checksums by the names of the versions.
    /// - Throws: An error of reading if a version cannot be read.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodel/checksumsforversionedmodel(at:))
    open class func checksumsForVersionedModel(at modelURL: URL) throws -> [String: String] {
        try ModelBundle.checksums(at: modelURL)
    }

    /// A copy of the whole model that can be changed.
    open override func copy() -> Any { copy(with: nil) }

    /// Moves everything out of a model that has no other user into this empty one. The entities stay the same objects.
    final func takeContents(of other: NSManagedObjectModel) {
        let entities = other.storedEntities
        let recorded = entities.map(\.recordedVersionHash)
        other.entities = []
        self.entities = entities
        for (entity, hash) in zip(entities, recorded) { entity.recordedVersionHash = hash }
        configurationNames = other.configurationNames
        storedTemplates = other.storedTemplates
        storedLocalizationDictionary = other.storedLocalizationDictionary
        storedVersionIdentifiers = other.storedVersionIdentifiers
        bundleOfVersions = other.bundleOfVersions
    }

    /// Whether another model has equal entities, configurations and fetch request templates.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectModel else { return false }
        if self === other { return true }
        return entitiesByName == other.entitiesByName
            && configurationNames.mapValues(Set.init) == other.configurationNames.mapValues(Set.init)
            && storedTemplates == other.storedTemplates
    }

    /// The number of entities.
    open override var hash: Int { storedEntities.count }

    /// The names of the entities and templates, and whether the model can be changed.
    open override var description: String {
        "(<NSManagedObjectModel: \(address(of: self))>) isEditable \(!isFrozen), "
            + "entities \(storedEntities.map { $0.name ?? "(null)" }), "
            + "fetch request templates \(storedTemplates.keys.sorted())"
    }
}

/// Values of a frozen model that are computed once.
private struct FrozenModel {
    let entitiesByName: [String: NSEntityDescription]
    let numbering: [NSEntityDescription]
}

extension NSManagedObjectModel {
    /// Copies of the entities. Their superentities, destinations and inverses are copies, too. References to other
    /// entities are kept as names.
    static func linkedCopies(of entities: [NSEntityDescription]) -> [NSEntityDescription] {
        var copies: [ObjectIdentifier: NSEntityDescription] = [:]
        for entity in entities { copies[ObjectIdentifier(entity)] = entity.copy() as? NSEntityDescription }
        for entity in entities {
            guard let copy = copies[ObjectIdentifier(entity)] else { continue }
            copy.subentities = entity.subentities.compactMap { copies[ObjectIdentifier($0)] }
        }
        for entity in entities {
            guard let copy = copies[ObjectIdentifier(entity)] else { continue }
            for (original, copied) in zip(entity.ownProperties, copy.ownProperties) {
                guard let original = original as? NSRelationshipDescription,
                    let copied = copied as? NSRelationshipDescription
                else { continue }
                let destination = original.destinationEntity.flatMap { copies[ObjectIdentifier($0)] }
                let inverse = original.inverseRelationship.flatMap { inverse in
                    inverse.owner.flatMap { copies[ObjectIdentifier($0)] }?.ownProperties
                        .first { $0.name == inverse.name } as? NSRelationshipDescription
                }
                copied.link(destination: destination, inverse: inverse)
            }
        }
        for entity in entities {
            copies[ObjectIdentifier(entity)]?.recordedVersionHash = entity.recordedVersionHash
        }
        return entities.compactMap { copies[ObjectIdentifier($0)] }
    }
}

extension NSFetchRequest {
    /// Sets the request's entity to the entity of the same name in a model.
    final func relink(to model: NSManagedObjectModel) {
        guard let name = entityName else { return }
        parameters.entity = model.entitiesByName[name]
        parameters.givenEntityName = name
    }
}
