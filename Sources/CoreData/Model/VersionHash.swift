// About version hashes.
//
// - Version hashes are those of Apple's files. The rules were derived from published pairs of model and hash.
// - A composite attribute's hash is the SHA-256 of the hashes of its elements, sorted by name. All 11 entities with
//   such attributes in the available stores that SwiftData wrote agree.
// - A derived attribute's hash is the SHA-256 of the text of its expression, with `.@count` at its end as `count:(…)`.
//   The three derived attributes of a compiled model agree, and so do all entities with one in two stores and that
//   model. Name, type and flags do not count for either kind.
// - So two versions may have one hash, and metadata note another hash that depends on names (`StoredVersion`). Stores
//   with hashes of older versions of this library count as the version that they are (`formerVersionHash`).

import Foundation

/// The version hashes of Core Data, "hashes version 3": 32 bytes per property and per entity that change when the
/// layout of a store would.
///
/// The rules were found by experiments on published pairs of model and hash. Those for derived attributes and for
/// nested composite ones rest on few pairs or none; entities with such attributes are marked by `isVersionHashExact`.
enum VersionHash {
    /// The rule by which composite and derived attributes are hashed.
    enum Rule {
        /// As in Apple's framework: only by their elements, or by the text of the derivation.
        case current
        /// As in older versions of this library, which were written before Apple's rule was found: by their own names
        /// and flags, too.
        case former
    }

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
    static func hash(of property: NSPropertyDescription, by rule: Rule = .current) -> Data {
        var elements: [UInt8] = []
        if let composite = property as? NSCompositeAttributeDescription {
            for element in composite.elements.sorted(by: { precedes($0.name, $1.name) }) {
                elements.append(contentsOf: hash(of: element, by: rule))
            }
            if rule == .current { return SHA2.sha256(elements) }
        }
        if rule == .current, let derived = property as? NSDerivedAttributeDescription {
            return SHA2.sha256(Array(text(of: derived.derivationExpression).utf8))
        }
        var message = Array(base(of: property))
        switch property {
        case let attribute as NSAttributeDescription:
            message.append(contentsOf: littleEndian(UInt32(attribute.attributeType.rawValue)))
            if attribute.allowsExternalBinaryDataStorage { message.append(1) }
            if attribute.preservesValueInHistoryOnDeletion { message.append(1) }
            message.append(contentsOf: elements)
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

    /// A derivation in the form that Apple's tools write: a collection operator at the end is a function of the path
    /// before it.
    private static func text(of derivation: NSExpression?) -> String {
        let text = derivation?.description ?? ""
        guard derivation?.expressionType == .keyPath, let sign = text.range(of: ".@", options: .backwards) else {
            return text
        }
        return "\(text[sign.upperBound...]):(\(text[..<sign.lowerBound]))"
    }

    /// The inverse's name is left out when a relationship is its own inverse: same entity and same name.
    private static func isOwnInverse(_ relationship: NSRelationshipDescription) -> Bool {
        if let inverse = relationship.inverseRelationship { return inverse === relationship }
        return relationship.inverseRelationshipName == relationship.name
            && relationship.destinationEntityName == relationship.owner?.name
    }

    /// The hash of an entity; `parent` is the hash of its superentity. Hashes of properties are read from `known` and
    /// added to it, because subentities hash inherited properties again.
    static func hash(
        of entity: NSEntityDescription, parent: Data?, by rule: Rule = .current, known: inout [ObjectIdentifier: Data]
    ) -> Data {
        var message = Array((entity.name ?? "").utf8)
        message.append(entity.isAbstract ? 1 : 0)
        message.append(contentsOf: parent ?? Data())
        for property in entity.properties.sorted(by: { precedes($0.name, $1.name) }) where !property.isTransient {
            let hash = known[ObjectIdentifier(property)] ?? hash(of: property, by: rule)
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

extension NSEntityDescription {
    /// Whether the computed hash is certainly the one that Apple's framework computes. It may differ for entities that
    /// have or inherit derived attributes, or composite ones of a kind that no available file has; the hash that the
    /// model's file recorded counts then.
    final var isVersionHashExact: Bool {
        properties.allSatisfy { property in
            guard !property.isTransient else { return true }
            guard let composite = property as? NSCompositeAttributeDescription else {
                return !(property is NSDerivedAttributeDescription)
            }
            return composite.versionHashModifier == nil
                && !composite.elements.contains {
                    $0 is NSCompositeAttributeDescription || $0 is NSDerivedAttributeDescription
                }
        }
    }

    /// The hash that older versions of this library computed, if it differs: for entities that have or inherit
    /// composite or derived attributes. Stores with it are of this version of the model.
    final var formerVersionHash: Data? {
        let differs = properties.contains {
            !$0.isTransient && ($0 is NSCompositeAttributeDescription || $0 is NSDerivedAttributeDescription)
        }
        guard differs else { return nil }
        var known: [ObjectIdentifier: Data] = [:]
        let parent = superentity.map { $0.formerVersionHash ?? $0.versionHash }
        return VersionHash.hash(of: self, parent: parent, by: .former, known: &known)
    }

    /// The hash without the cache of a frozen model.
    final func computeVersionHash() -> Data {
        if let recordedVersionHash, !isVersionHashExact { return recordedVersionHash }
        var known: [ObjectIdentifier: Data] = [:]
        return VersionHash.hash(of: self, parent: superentity?.computeVersionHash(), known: &known)
    }
}

extension NSManagedObjectModel {
    /// A checksum like `versionChecksum` that also depends on the names of composite and derived attributes.
    package final var layoutChecksum: String {
        var hashes = entityVersionHashesByName
        for entity in entities { hashes[entity.name ?? ""] = entity.formerVersionHash ?? hashes[entity.name ?? ""] }
        return VersionHash.checksum(of: hashes)
    }

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
