import CoreData
import MacCheckKit

/// The values that the objects of a store must have by the description of its saves, computed without a store.
///
/// Keys of new objects are not described, so an object is found by its values.
struct PlannedValues {
    /// The texts of the described attributes of each object that is left, by entity.
    private var objects: [String: [[String: String]]] = [:]
    private let decimals: Set<String>

    init(_ saves: [[Change]], _ model: NSManagedObjectModel) throws {
        /// An object with its attributes, as a change names it.
        var made: [(entity: String, texts: [String: String]?)] = []
        decimals = Set(
            model.entities.flatMap { entity in
                entity.attributesByName.values.filter { $0.type == .decimal }.map { "\(entity.name ?? "").\($0.name)" }
            })
        var numbers: [String: Int] = [:]
        var highest: [String: Int] = [:]
        for save in saves {
            var named: [String: Int] = [:]
            for change in save where change.kind == .insert {
                named[change.key] = made.count
                // A save of one object gives it the next key of its hierarchy.
                let root = Self.root(change.entity, model)
                highest[root, default: 0] += 1
                numbers["\(root)/p\(highest[root] ?? 0)"] = made.count
                made.append((change.entity, [:]))
            }
            for change in save {
                let root = Self.root(change.entity, model)
                guard let place = named[change.key] ?? numbers["\(root)/\(change.key)"] else { continue }
                guard change.kind != .delete else {
                    made[place].texts = nil
                    continue
                }
                for (name, text) in change.values {
                    guard let attribute = model.entitiesByName[change.entity]?.attributesByName[name] else { continue }
                    made[place].texts?[name] = try PropertyValue.shown(text, of: attribute)
                }
            }
        }
        for (entity, texts) in made { if let texts { objects[entity, default: []].append(texts) } }
    }

    private static func root(_ name: String, _ model: NSManagedObjectModel) -> String {
        var entity = model.entitiesByName[name]
        while let parent = entity?.superentity { entity = parent }
        return entity?.name ?? name
    }

    /// What the listed objects of a store lack or have beyond the described ones.
    func differences(to contents: Contents) -> [String] {
        contents.entities.keys.sorted().flatMap { name -> [String] in
            guard let found = contents.entities[name] else { return [] }
            let planned = objects[name] ?? []
            guard planned.count == found.count else {
                return ["\(name): \(planned.count) objects described, \(found.count) found"]
            }
            guard found.count == found.objects.count else { return [] }
            var left = Array(found.objects.values)
            return planned.sorted { $0.count > $1.count }.compactMap { texts in
                guard
                    let match = left.firstIndex(where: { object in
                        texts.allSatisfy { isEqual("\(name).\($0)", $1, object[$0]) }
                    })
                else {
                    return "\(name): no object has \(texts.sorted { $0.key < $1.key })"
                }
                left.remove(at: match)
                return nil
            }
        }
    }

    /// A store of SQLite's holds a decimal as a double.
    private func isEqual(_ property: String, _ planned: String, _ found: String?) -> Bool {
        if planned == found { return true }
        guard decimals.contains(property), let planned = Double(planned), let found = found.flatMap(Double.init) else {
            return false
        }
        return planned == found
    }
}
