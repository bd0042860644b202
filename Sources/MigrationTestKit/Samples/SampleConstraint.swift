import CoreData

/// A uniqueness constraint, and the values that objects have taken. The entity that declares it and its subentities
/// share it.
final class SampleConstraint {
    /// The attributes and to-one relationships of the constraint.
    let names: [String]
    private var taken: Set<[String]> = []

    private init(_ names: [String]) { self.names = names }

    /// The constraints for objects of an entity: its own and those of its superentities.
    static func all(of entity: NSEntityDescription, known: inout [String: [SampleConstraint]]) -> [SampleConstraint] {
        let name = entity.name ?? ""
        if let found = known[name] { return found }
        let own = entity.uniquenessConstraints.map { elements in
            SampleConstraint(elements.compactMap { ($0 as? NSPropertyDescription)?.name ?? $0 as? String })
        }
        let inherited = entity.superentity.map { all(of: $0, known: &known) } ?? []
        // A subentity may repeat an inherited constraint.
        let result = inherited + own.filter { one in !inherited.contains { $0.names == one.names } }
        known[name] = result
        return result
    }

    /// Whether no object has these values. A missing value differs from every value.
    func isFree(_ values: [String: Any]) -> Bool { key(values).map { !taken.contains($0) } ?? true }

    /// Records the values.
    func take(_ values: [String: Any]) {
        if let key = key(values) { taken.insert(key) }
    }

    /// Records an object's values.
    func take(_ object: NSManagedObject) {
        var values: [String: Any] = [:]
        for name in names { values[name] = object.value(forKey: name) }
        take(values)
    }

    private func key(_ values: [String: Any]) -> [String]? {
        var key: [String] = []
        for name in names {
            guard let value = values[name] else { return nil }
            key.append((value as? NSManagedObject).map { "\($0.objectID.uriRepresentation())" } ?? "\(value)")
        }
        return key
    }
}
