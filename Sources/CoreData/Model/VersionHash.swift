import Foundation

/// The version hashes of Core Data, "hashes version 3": 32 bytes per property and per entity that change when the
/// layout of a store would.
///
/// The rules were found by experiments on published pairs of model and hash. They are exact for everything but
/// derived and composite attributes; entities that hold those are marked by `isVersionHashExact`.
enum VersionHash {
    /// SHA-256 of name, flags and modifier: the common beginning of every property's hash.
    private static func base(of property: NSPropertyDescription) -> Data {
        let flags =
            (property.isOptional ? 1 : 0) | (property.isTransient ? 2 : 0) | (property.isReadOnly ? 4 : 0) as UInt16
        var message = Array(property.name.utf8)
        message.append(contentsOf: littleEndian(flags))
        message.append(contentsOf: Array((property.versionHashModifier ?? "").utf8))
        return SHA2.sha256(message)
    }

    /// The hash of a property.
    static func hash(of property: NSPropertyDescription) -> Data {
        var message = Array(base(of: property))
        switch property {
        case let attribute as NSAttributeDescription:
            message.append(contentsOf: littleEndian(UInt32(attribute.attributeType.rawValue)))
            if attribute.allowsExternalBinaryDataStorage { message.append(1) }
            if attribute.preservesValueInHistoryOnDeletion { message.append(1) }
            // Own rules: what Apple's framework mixes in for these two is not known. They make sure that a change
            // of the elements or of the derivation changes the hash.
            if let composite = attribute as? NSCompositeAttributeDescription {
                for element in composite.elements.sorted(by: { precedes($0.name, $1.name) }) {
                    message.append(contentsOf: hash(of: element))
                }
            }
            if let derived = attribute as? NSDerivedAttributeDescription {
                message.append(contentsOf: Array((derived.derivationExpression?.description ?? "").utf8))
            }
        case let relationship as NSRelationshipDescription:
            message.append(contentsOf: Array((relationship.destinationEntityName ?? "").utf8))
            if !isOwnInverse(relationship) {
                message.append(contentsOf: Array((relationship.inverseRelationshipName ?? "").utf8))
            }
            message.append(contentsOf: littleEndian(UInt32(truncatingIfNeeded: relationship.maxCount)))
            message.append(contentsOf: littleEndian(UInt32(truncatingIfNeeded: relationship.minCount)))
            if relationship.isOrdered { message.append(contentsOf: [1, 0]) }
        default:
            return Data(message)
        }
        return SHA2.sha256(message)
    }

    /// The inverse's name is left out when a relationship is its own inverse: same entity and same name.
    private static func isOwnInverse(_ relationship: NSRelationshipDescription) -> Bool {
        if let inverse = relationship.inverseRelationship { return inverse === relationship }
        return relationship.inverseRelationshipName == relationship.name
            && relationship.destinationEntityName == relationship.owner?.name
    }

    /// The hash of an entity; `parent` is the hash of its superentity. Hashes of properties are taken from `known` and
    /// added to it: subentities hash what they inherit again.
    static func hash(
        of entity: NSEntityDescription, parent: Data?, known: inout [ObjectIdentifier: Data]
    ) -> Data {
        var message = Array((entity.name ?? "").utf8)
        message.append(entity.isAbstract ? 1 : 0)
        message.append(contentsOf: parent ?? Data())
        for property in entity.properties.sorted(by: { precedes($0.name, $1.name) }) where !property.isTransient {
            let hash = known[ObjectIdentifier(property)] ?? hash(of: property)
            known[ObjectIdentifier(property)] = hash
            message.append(contentsOf: hash)
        }
        message.append(contentsOf: Array((entity.versionHashModifier ?? "").utf8))
        let tuples = entity.uniquenessConstraintNames.map { $0.joined(separator: ".") }.sorted(by: precedes)
        message.append(contentsOf: Array(tuples.joined().utf8))
        return SHA2.sha256(message)
    }

    /// Base64 of the SHA-512 over names and hashes, names in binary order: `NSStoreModelVersionHashesDigest`.
    static func storeDigest(of hashes: [String: Data]) -> String {
        var message: [UInt8] = []
        for (name, hash) in hashes.sorted(by: { precedes($0.key, $1.key) }) {
            message.append(contentsOf: Array(name.utf8))
            message.append(contentsOf: hash)
        }
        return SHA2.sha512(message).base64EncodedString()
    }

    /// Base64 of the SHA-256 over the hashes, names in binary order: `NSStoreModelVersionChecksumKey`.
    static func checksum(of hashes: [String: Data]) -> String {
        var message: [UInt8] = []
        for (_, hash) in hashes.sorted(by: { precedes($0.key, $1.key) }) { message.append(contentsOf: hash) }
        return SHA2.sha256(message).base64EncodedString()
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    private static func littleEndian<Word: FixedWidthInteger>(_ word: Word) -> [UInt8] {
        withUnsafeBytes(of: word.littleEndian) { Array($0) }
    }
}

extension NSPropertyDescription {
    /// 32 bytes that change when the property changes in a way that concerns the layout of a store.
    ///
    /// Name, optionality, transience, type or ends, counts, order and `versionHashModifier` count; default values,
    /// validation, delete rules, indexes and user info do not.
    public final var versionHash: Data { VersionHash.hash(of: self) }
}

extension NSEntityDescription {
    /// 32 bytes that change when the entity, one of its properties or its superentity changes in a way that concerns
    /// the layout of a store.
    public final var versionHash: Data {
        if isFrozen, let model, let hash = model.entityVersionHashesByName[name ?? ""] { return hash }
        return computeVersionHash()
    }

    /// Whether the computed hash is the one Apple's framework computes. Entities that have or inherit derived or
    /// composite attributes use a rule of our own, unless the model's file recorded the hash.
    final var isVersionHashExact: Bool {
        !properties.contains {
            !$0.isTransient && ($0 is NSCompositeAttributeDescription || $0 is NSDerivedAttributeDescription)
        }
    }

    /// The hash without the cache of a frozen model.
    final func computeVersionHash() -> Data {
        if let recordedVersionHash, !isVersionHashExact { return recordedVersionHash }
        var known: [ObjectIdentifier: Data] = [:]
        return VersionHash.hash(of: self, parent: superentity?.computeVersionHash(), known: &known)
    }
}

extension NSManagedObjectModel {
    /// Base64 of 32 bytes that identify the layout of all entities; the same string as in a store's metadata and in
    /// the version information of a compiled bundle.
    public final var versionChecksum: String { VersionHash.checksum(of: entityVersionHashesByName) }

    /// Base64 of the digest that a store's metadata holds under `NSStoreModelVersionHashesDigest`.
    final var storeDigest: String { VersionHash.storeDigest(of: entityVersionHashesByName) }

    /// The hash of every entity by name, each superentity's hash computed once.
    final func computeVersionHashes() -> [String: Data] {
        var hashes: [ObjectIdentifier: Data] = [:]
        var properties: [ObjectIdentifier: Data] = [:]
        func hash(of entity: NSEntityDescription) -> Data {
            if let known = hashes[ObjectIdentifier(entity)] { return known }
            var result: Data
            if let recorded = entity.recordedVersionHash, !entity.isVersionHashExact {
                result = recorded
            } else {
                result = VersionHash.hash(of: entity, parent: entity.superentity.map(hash), known: &properties)
            }
            hashes[ObjectIdentifier(entity)] = result
            return result
        }
        var result: [String: Data] = [:]
        for entity in entities { result[entity.name ?? ""] = hash(of: entity) }
        return result
    }
}
