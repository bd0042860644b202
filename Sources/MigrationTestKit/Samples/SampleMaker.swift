import CoreData

/// Fills a context with sample objects.
struct SampleMaker {
    let context: NSManagedObjectContext
    private let seed: UInt64
    private var random: SampleRandom
    /// The last number. Each number is used once, because constraints may span several entities.
    private var number = 0
    /// The objects by entity, including those of subentities.
    private(set) var objects: [String: [NSManagedObject]] = [:]
    private var values: [ObjectIdentifier: SampleValues] = [:]
    private(set) var constraints: [String: [SampleConstraint]] = [:]
    private var notes: [String] = []

    private let given: (_ entity: String, _ attribute: String) -> ((Int) -> Any?)?

    init(
        context: NSManagedObjectContext, seed: UInt64,
        values: @escaping (_ entity: String, _ attribute: String) -> ((Int) -> Any?)?
    ) {
        self.context = context
        given = values
        self.seed = seed
        random = SampleRandom(state: seed)
    }

    /// Makes the objects, and returns the parts of the model that they do not cover, one in each line.
    ///
    /// Throws 1570 if no value can be made for a mandatory property.
    mutating func make(_ count: Int) throws -> [String] {
        let entities = (context.persistentStoreCoordinator?.managedObjectModel.entities ?? [])
            .sorted { ($0.name ?? "") < ($1.name ?? "") }
        for entity in entities { _ = SampleConstraint.all(of: entity, known: &constraints) }
        try readWhatIsThere(entities)
        let counts = SampleCounts(entities, count)
        for entity in entities where !entity.isAbstract {
            let wanted = counts[entity]
            for place in 0..<wanted where try !insert(entity, isFirst: place == 0) {
                notes.append(
                    "\(entity.name ?? ""): \(place) objects instead of \(wanted), as its uniqueness constraints allow")
                break
            }
        }
        var links = SampleLinks(objects: objects, constraints: constraints, random: random)
        notes += try links.make(entities)
        var known: Set<String> = []
        return notes.filter { known.insert($0).inserted }
    }

    /// The error with a text about the property without a value.
    static func error(_ text: String) -> NSError {
        CocoaError(.validationMissingMandatoryProperty, userInfo: [NSLocalizedDescriptionKey: text]) as NSError
    }

    /// Reads the objects that a store has, because new ones must differ from them.
    private mutating func readWhatIsThere(_ entities: [NSEntityDescription]) throws {
        for entity in entities where !entity.isAbstract {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            request.includesSubentities = false
            number += try context.count(for: request)
            guard let constraints = constraints[entity.name ?? ""], !constraints.isEmpty else { continue }
            for object in try context.fetch(request) { for constraint in constraints { constraint.take(object) } }
        }
    }

    // MARK: Objects

    /// Makes one more object. Returns false if the constraints allow no further one.
    private mutating func insert(_ entity: NSEntityDescription, isFirst: Bool) throws -> Bool {
        number += 1
        var found: [String: Any] = [:]
        for (name, attribute) in entity.attributesByName.sorted(by: { $0.key < $1.key })
        where !(attribute is NSDerivedAttributeDescription) {
            // Some values of optional attributes are missing.
            if attribute.isOptional, !isFirst, random.next() % 7 == 0 { continue }
            if attribute.isTransient, attribute.isOptional || attribute.defaultValue != nil { continue }
            if let value = values(of: attribute).value(number) {
                found[name] = value
            } else if attribute.isOptional {
                notes.append("\(entity.name ?? "").\(name) is empty: \(Self.reason(attribute))")
            } else if attribute.defaultValue == nil {
                throw Self.error("\(entity.name ?? "").\(name) cannot be filled: \(Self.reason(attribute))")
            }
        }
        let constraints = (constraints[entity.name ?? ""] ?? []).filter { constraint in
            constraint.names.allSatisfy { entity.attributesByName[$0] != nil }
        }
        guard distinguish(&found, entity, constraints) else { return false }
        let object = NSManagedObject(entity: entity, insertInto: context)
        for (name, value) in found { object.setValue(value, forKey: name) }
        for constraint in constraints { constraint.take(object) }
        var next: NSEntityDescription? = entity
        while let current = next {
            objects[current.name ?? "", default: []].append(object)
            next = current.superentity
        }
        return true
    }

    /// Changes the values until they differ from those of every other object, constraint by constraint. If no unused
    /// values are left, one optional value is left out.
    private mutating func distinguish(
        _ found: inout [String: Any], _ entity: NSEntityDescription, _ constraints: [SampleConstraint]
    ) -> Bool {
        var fixed: Set<String> = []
        for constraint in constraints.sorted(by: { $0.names.count < $1.names.count }) {
            defer { fixed.formUnion(constraint.names) }
            if constraint.isFree(found) { continue }
            let free = constraint.names.filter { !fixed.contains($0) }.compactMap { entity.attributesByName[$0] }
            let choices = free.map { values(of: $0).differing(most: 200) }
            let ways = choices.reduce(1) { min($0 * max(1, $1.count), 20_000) }
            let start = found
            func candidate(_ way: Int) -> [String: Any] {
                var (rest, candidate) = (way, start)
                for (attribute, values) in zip(free, choices) where !values.isEmpty {
                    candidate[attribute.name] = values[rest % values.count]
                    rest /= values.count
                }
                return candidate
            }
            if let way = (0..<ways).first(where: { constraint.isFree(candidate($0)) }) {
                found = candidate(way)
            } else if let optional = free.first(where: \.isOptional) {
                found[optional.name] = nil
            } else {
                return false
            }
        }
        return true
    }

    private mutating func values(of attribute: NSAttributeDescription) -> SampleValues {
        let key = ObjectIdentifier(attribute)
        if let known = values[key] { return known }
        var made = SampleValues(attribute, seed: seed)
        made.given = given(attribute.entity.name ?? "", attribute.name)
        values[key] = made
        return made
    }

    private static func reason(_ attribute: NSAttributeDescription) -> String {
        let name = attribute.valueTransformerName ?? ""
        if attribute.attributeType == .transformableAttributeType, !name.isEmpty {
            return "no made-up value is of the class that its transformer “\(name)” takes"
        }
        let rules = attribute.validationPredicates.map { "\($0)" }
        return rules.isEmpty
            ? "values of its type cannot be made up"
            : "no made-up value satisfies \(rules.joined(separator: " and "))"
    }
}
