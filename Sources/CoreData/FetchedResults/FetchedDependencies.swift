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

    var isEmpty: Bool { dependencies.isEmpty }

    /// Whether the results depend on objects of an entity.
    func contain(_ layoutIndex: Int) -> Bool { dependencies.contains { $0.entities.contains(layoutIndex) } }

    /// `further` are key paths that are read beside those of the predicate and the order.
    init(
        of request: FetchParameters, sectionKeyPath: String?, and further: Set<String> = [], from layout: EntityLayout
    ) {
        var paths = further.union(request.predicate?.keyPaths ?? [])
        for descriptor in request.sortDescriptors ?? [] {
            if let key = descriptor.sortKey { paths.insert(key) }
        }
        if let sectionKeyPath { paths.insert(sectionKeyPath) }
        var known: Set<String> = []
        for path in paths { follow(path, from: layout, &known) }
    }

    private mutating func follow(_ path: String, from layout: EntityLayout, _ known: inout Set<String>) {
        let keys = path.split(separator: ".").filter { !$0.hasPrefix("@") }.map(String.init)
        var current = layout
        var way: [InverseSide]? = []
        for (depth, key) in keys.enumerated() where depth + 1 < keys.count {
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
            default:
                return
            }
            if let step { way?.insert(step, at: 0) } else { way = nil }
            if known.insert(keys[...depth].joined(separator: ".")).inserted {
                dependencies.append(Dependency(entities: current.subtree, way: way))
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
