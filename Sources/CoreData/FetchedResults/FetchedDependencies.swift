import Foundation

/// The objects of other entities on which the results depend through the key paths of a request's predicate, its sort
/// descriptors and its sections, and the inverse relationships that lead back from them.
struct FetchedDependencies {
    /// Objects of `entities` are read at the end of a chain of relationships; `way` leads back, its first step first.
    /// Nil where a relationship of the chain has no inverse.
    private struct Dependency {
        let entities: Range<Int>
        let way: [InverseSide]?
    }

    private var dependencies: [Dependency] = []
    /// The entities from whose saved objects the store derives attributes that the request reads.
    private var sources: [Range<Int>] = []
    /// Whether the request may read more than its key paths say, so that a change of any object may concern it.
    private(set) var areUnknown: Bool

    var isEmpty: Bool { dependencies.isEmpty }

    /// Whether the results depend on objects of an entity.
    func contain(_ layoutIndex: Int) -> Bool { dependencies.contains { $0.entities.contains(layoutIndex) } }

    /// Whether the store may derive another value that the request reads when an object of an entity is saved.
    func derive(from layoutIndex: Int) -> Bool { sources.contains { $0.contains(layoutIndex) } }

    /// `further` are key paths that are read beside those of the predicate and the order.
    init(
        of request: FetchParameters, sectionKeyPath: String?, and further: Set<String> = [], from layout: EntityLayout
    ) {
        var paths = further.union(request.predicate?.keyPaths ?? [])
        for descriptor in request.sortDescriptors ?? [] {
            if let key = descriptor.sortKey { paths.insert(key) }
        }
        if let sectionKeyPath { paths.insert(sectionKeyPath) }
        areUnknown = request.predicate?.readsUnnamedValues == true
        var known: Set<String> = []
        for path in paths {
            let isNamed = follow(path, from: layout, &known)
            // A computed section name belongs to its object.
            if !isNamed, path != sectionKeyPath { areUnknown = true }
        }
    }

    /// Keys that objects have beside the properties of their entity, and that do not change.
    private static let ownKeys: Set<String> = ["self", "objectID", "entity"]

    /// Returns whether the model says what the path reads.
    private mutating func follow(
        _ path: String, from layout: EntityLayout, _ known: inout Set<String>
    ) -> Bool {
        let keys = path.split(separator: ".").filter { !$0.hasPrefix("@") }.map(String.init)
        var current = layout
        var way: [InverseSide]? = []
        for (depth, key) in keys.enumerated() {
            let step: InverseSide?
            switch Self.access(to: key, in: current) {
            case .toOne(let slot)?:
                let layouts = current.model.entities[Self.owner(of: key, in: current)]
                step = layouts.destinations[slot].inverse
                current = current.model.entities[layouts.destinations[slot].layoutIndex]
            case .toMany(let index)?:
                let toMany = current.model.entities[Self.owner(of: key, in: current)].toManys[index]
                switch toMany.kind {
                case .inverseKey(let slot, _): step = .toOne(slot: slot)
                case .join(let inverse, _): step = .toMany(index: inverse)
                case .ownerKey, .transient: step = nil
                }
                current = current.model.entities[toMany.destinationIndex]
            case .attribute(let slot)?:
                let owner = current.model.entities[Self.owner(of: key, in: current)]
                if case .attribute(let attribute) = owner.slots[slot].role { noteSources(of: attribute, in: owner) }
                return true
            case .composite?: return true
            case .fetched?: return false
            case nil: return Self.ownKeys.contains(key)
            }
            if depth + 1 == keys.count { return true }
            if let step { way?.insert(step, at: 0) } else { way = nil }
            if known.insert(keys[...depth].joined(separator: ".")).inserted {
                dependencies.append(Dependency(entities: current.subtree, way: way))
            }
        }
        return true
    }

    /// Notes the entities from which an attribute is derived: its own one, and those that the derivation passes.
    private mutating func noteSources(of attribute: NSAttributeDescription, in layout: EntityLayout) {
        guard let expression = (attribute as? NSDerivedAttributeDescription)?.derivationExpression else { return }
        sources.append(layout.subtree)
        for path in expression.keyPaths {
            var current = layout
            for key in KeyValuePath(path).keys {
                switch current.access[key] {
                case .toOne(let slot)?:
                    current = current.model.entities[current.destinations[slot].layoutIndex]
                case .toMany(let index)?:
                    current = current.model.entities[current.toManys[index].destinationIndex]
                default: continue
                }
                sources.append(current.subtree)
            }
        }
    }

    /// The first layout of the subtree that has a key: a predicate may name a property of a subentity.
    private static func owner(of key: String, in layout: EntityLayout) -> Int {
        layout.subtree.first { layout.model.entities[$0].access[key] != nil } ?? layout.index
    }

    private static func access(to key: String, in layout: EntityLayout) -> PropertyAccess? {
        layout.model.entities[owner(of: key, in: layout)].access[key]
    }

    /// The objects at the beginning of the chains that end at changed objects; nil when they cannot be found.
    func origins(of changed: [NSManagedObject]) -> [NSManagedObject]? {
        var origins: [NSManagedObject] = []
        for dependency in dependencies {
            let ends = changed.filter {
                dependency.entities.contains($0.binding.layout.index) && $0.binding.context != nil
                    && $0.flags.isDisjoint(with: [.deleted, .inaccessible])
            }
            if ends.isEmpty { continue }
            guard let way = dependency.way else { return nil }
            var level = ends
            for step in way { level = level.flatMap { Self.objects(behind: step, of: $0) } }
            origins += level
        }
        return origins
    }

    private static func objects(behind step: InverseSide, of object: NSManagedObject) -> [NSManagedObject] {
        switch step {
        case .toOne(let slot): object.referencedObject(at: slot).map { [$0] } ?? []
        case .toMany(let index): object.memberObjects(of: index)
        }
    }
}
