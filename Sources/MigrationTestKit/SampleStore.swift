import CoreData

/// Makes a store with objects of every entity of a model: values for all kinds of attributes, relationships of every
/// cardinality. The same seed gives the same objects.
public struct SampleStore {
    /// How many objects of each entity that is not abstract.
    public var rowsPerEntity: Int
    /// What all values follow from.
    public var seed: UInt64

    /// A maker of stores.
    public init(rowsPerEntity: Int = 20, seed: UInt64 = 1) {
        self.rowsPerEntity = rowsPerEntity
        self.seed = seed
    }

    /// Makes the store at an address where nothing lies, or adds to the one that is there.
    ///
    /// Throws the store's error: a model may have rules that made-up values break; it names entity and property.
    public func make(at url: URL, _ version: ModelVersion, options: [AnyHashable: Any]? = nil) throws {
        try TrialStore.open(url, version.freshModel(), options: options) { context in
            var maker = SampleMaker(context: context, seed: seed)
            maker.make(rowsPerEntity)
            try context.save()
        }
    }
}

/// Opens a store for as long as a body runs.
enum TrialStore {
    @discardableResult
    static func open<Result>(
        _ url: URL, _ model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil,
        _ body: (NSManagedObjectContext) throws -> Result
    ) throws -> Result {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let result = Swift.Result { try context.performAndWait { try body(context) } }
        try coordinator.remove(store)
        return try result.get()
    }
}

/// Fills a context with made-up objects.
struct SampleMaker {
    let context: NSManagedObjectContext
    private var random: SampleRandom
    /// No number twice: constraints may span several entities.
    private var number = 0
    private var objects: [String: [NSManagedObject]] = [:]

    init(context: NSManagedObjectContext, seed: UInt64) {
        self.context = context
        random = SampleRandom(state: seed)
    }

    mutating func make(_ count: Int) {
        let entities = (context.persistentStoreCoordinator?.managedObjectModel.entities ?? [])
            .sorted { ($0.name ?? "") < ($1.name ?? "") }
        let counts = counts(entities, count)
        for entity in entities where !entity.isAbstract {
            for _ in 0..<(counts[entity.name ?? ""] ?? count) { insert(entity) }
        }
        var done: Set<String> = []
        for entity in entities {
            for (name, relationship) in entity.relationshipsByName.sorted(by: { $0.key < $1.key })
            where relationship.entity.name == entity.name {
                // One side makes the links of both.
                guard done.insert("\(entity.name ?? "").\(name)").inserted else { continue }
                if let inverse = relationship.inverseRelationship {
                    // The side that has one member does it; of two such, the one that must have it.
                    if relationship.isToMany, !inverse.isToMany { continue }
                    if !relationship.isToMany, !inverse.isToMany, relationship.isOptional, !inverse.isOptional {
                        continue
                    }
                    done.insert("\(inverse.entity.name ?? "").\(inverse.name)")
                }
                link(relationship, objects[entity.name ?? ""] ?? [])
            }
        }
    }

    /// How many objects each entity gets: more where others need one each for themselves.
    private func counts(_ entities: [NSEntityDescription], _ count: Int) -> [String: Int] {
        func subtree(_ entity: NSEntityDescription) -> [NSEntityDescription] {
            [entity] + entity.subentities.flatMap(subtree)
        }
        func concrete(_ entity: NSEntityDescription) -> [String] {
            subtree(entity).filter { !$0.isAbstract }.compactMap(\.name)
        }
        var counts = Dictionary(
            entities.filter { !$0.isAbstract }.map { ($0.name ?? "", count) }, uniquingKeysWith: { first, _ in first })
        // Needs may lead to other needs; where they lead in a circle, a few rounds are as good as many.
        for _ in 0..<4 {
            for entity in entities {
                for (_, relationship) in entity.relationshipsByName
                where relationship.entity.name == entity.name && !relationship.isOptional && !relationship.isToMany {
                    guard relationship.inverseRelationship?.isToMany == false,
                        let target = relationship.destinationEntity, let first = concrete(target).first
                    else { continue }
                    let owners = concrete(entity).reduce(0) { $0 + (counts[$1] ?? 0) }
                    let targets = concrete(target).reduce(0) { $0 + (counts[$1] ?? 0) }
                    if owners > targets { counts[first, default: 0] += owners - targets }
                }
            }
        }
        return counts
    }

    private mutating func insert(_ entity: NSEntityDescription) {
        number += 1
        let object = NSManagedObject(entity: entity, insertInto: context)
        for (name, attribute) in entity.attributesByName.sorted(by: { $0.key < $1.key })
        where !(attribute is NSDerivedAttributeDescription) {
            // Some values are missing where they may be.
            if attribute.isOptional, random.next() % 7 == 0 { continue }
            if let value = value(attribute) { object.setValue(value, forKey: name) }
        }
        var next: NSEntityDescription? = entity
        while let current = next {
            objects[current.name ?? "", default: []].append(object)
            next = current.superentity
        }
    }

    // MARK: Values

    /// A value that the attribute's rules allow, if one of a few does.
    private mutating func value(_ attribute: NSAttributeDescription) -> Any? {
        let candidates = candidates(attribute)
        return candidates.first { value in
            attribute.validationPredicates.allSatisfy { $0.evaluate(with: value) }
        } ?? candidates.first
    }

    private mutating func candidates(_ attribute: NSAttributeDescription) -> [Any] {
        let text = "\(attribute.name) \(number)"
        let noise = random.next()
        switch attribute.attributeType {
        case .integer16AttributeType: return [number % 30_000, 1, 0, 100].map { NSNumber(value: $0) }
        case .integer32AttributeType, .integer64AttributeType: return [number, 1, 0, 100].map { NSNumber(value: $0) }
        case .doubleAttributeType: return [Double(number) + 0.5, 0.5, 0].map { NSNumber(value: $0) }
        case .floatAttributeType: return [Float(number) + 0.25, 0.5, 0].map { NSNumber(value: $0) }
        case .decimalAttributeType: return [NSDecimalNumber(value: number), NSDecimalNumber.one, NSDecimalNumber.zero]
        case .booleanAttributeType: return [NSNumber(value: noise % 2 == 0), NSNumber(value: true)]
        case .stringAttributeType:
            return [text, "\(number)", "a", text + String(repeating: " more", count: 20), "a\(number)@example.org"]
        case .dateAttributeType:
            return [0, 300_000_000, 700_000_000].map {
                Date(timeIntervalSinceReferenceDate: $0 + Double(number) * 1000 + 0.25)
            }
        case .binaryDataAttributeType:
            let isLarge = attribute.allowsExternalBinaryDataStorage && number % 10 == 0
            return [Data(text.utf8) + Data(repeating: UInt8(truncatingIfNeeded: noise), count: isLarge ? 150_000 : 3)]
        case .UUIDAttributeType:
            let other = random.next()
            func byte(_ place: Int) -> UInt8 {
                UInt8(truncatingIfNeeded: (place < 8 ? noise : other) >> UInt64(place % 8 * 8))
            }
            return [
                UUID(
                    uuid: (
                        byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7), byte(8), byte(9),
                        byte(10), byte(11), byte(12), byte(13), byte(14), byte(15)
                    ))
            ]
        case .URIAttributeType: return [URL(string: "https://example.org/\(number)")].compactMap(\.self)
        case .transformableAttributeType where !attribute.isOptional: return [NSArray(array: [text])]
        default: return []
        }
    }

    // MARK: Relationships

    private mutating func link(_ relationship: NSRelationshipDescription, _ owners: [NSManagedObject]) {
        let targets = objects[relationship.destinationEntity?.name ?? ""] ?? []
        guard !targets.isEmpty else { return }
        let isExclusive = relationship.inverseRelationship.map { !$0.isToMany } ?? false
        for (place, owner) in owners.enumerated() {
            if relationship.isOptional, random.next() % 5 == 0 { continue }
            guard relationship.isToMany else {
                let target = isExclusive ? place : (place * 3 + 1) % targets.count
                if target < targets.count { owner.setValue(targets[target], forKey: relationship.name) }
                continue
            }
            let most = relationship.maxCount > 0 ? relationship.maxCount : 3
            let count = max(relationship.minCount, min(most, 1 + Int(random.next() % 3)))
            let members = (0..<min(count, targets.count)).map { targets[(place + $0 * 2) % targets.count] }
            let unique = NSOrderedSet(array: members)
            owner.setValue(relationship.isOrdered ? unique : unique.set as Any, forKey: relationship.name)
        }
    }
}

/// SplitMix64.
struct SampleRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
