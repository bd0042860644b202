import CoreData
import Foundation
import TestSupport

/// All that a store's objects hold, read by the test itself: bytes of transformable values, members in their order.
struct StoreWalk {
    /// The objects by "Entity/number": values as text, and the targets of links.
    struct Object: Equatable {
        var values: [String: String] = [:]
        var links: [String: [String]] = [:]
    }

    private(set) var objects: [String: Object] = [:]

    /// - Parameter isRounded: whether dates are compared to the microsecond.
    init(_ url: URL, type: String, _ model: NSManagedObjectModel, isRounded: Bool = false) throws {
        ValueTransformer.setValueTransformer(BytesAsTheyAre(), forName: NSValueTransformerName(BytesAsTheyAre.name))
        guard let plain = model.copy() as? NSManagedObjectModel else { return }
        for entity in plain.entities {
            entity.managedObjectClassName = nil
            for attribute in entity.attributesByName.values where attribute.attributeType == .transformableAttributeType
            {
                attribute.valueTransformerName = BytesAsTheyAre.name
                attribute.attributeValueClassName = nil
            }
        }
        let options = [NSReadOnlyPersistentStoreOption: true]
        objects = try withStore(url, plain, type: type, options: options) { context in
            var objects: [String: Object] = [:]
            for entity in plain.entities {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
                request.includesSubentities = false
                let toMany = entity.relationshipsByName.values.filter { $0.isToMany && !$0.isTransient }.map(\.name)
                request.relationshipKeyPathsForPrefetching = toMany
                for object in try context.fetch(request) {
                    objects[Self.name(object)] = Self.object(object, isRounded)
                }
            }
            return objects
        }
        // Links to what is not there cannot be written.
        let names = Set(objects.keys)
        for (name, object) in objects {
            objects[name]?.links = object.links.mapValues { $0.filter(names.contains) }.filter { !$1.isEmpty }
        }
    }

    private static func name(_ object: NSManagedObject) -> String {
        "\(object.entity.name ?? "")/\(object.objectID.uriRepresentation().lastPathComponent)"
    }

    private static func object(_ object: NSManagedObject, _ isRounded: Bool) -> Object {
        var result = Object()
        for (key, attribute) in object.entity.attributesByName
        where !attribute.isTransient && !(attribute is NSDerivedAttributeDescription) {
            if let value = object.value(forKey: key) { result.values[key] = text(value, isRounded) }
        }
        for (key, relationship) in object.entity.relationshipsByName where !relationship.isTransient {
            switch object.value(forKey: key) {
            case let target as NSManagedObject: result.links[key] = [name(target)]
            case let list as NSOrderedSet: result.links[key] = list.compactMap { ($0 as? NSManagedObject).map(name) }
            case let set as Set<NSManagedObject>: result.links[key] = set.map(name).sorted()
            default: break
            }
        }
        return result
    }

    private static func text(_ value: Any, _ isRounded: Bool) -> String {
        switch value {
        case let date as Date where isRounded:
            "\((date.timeIntervalSinceReferenceDate * 1e6).rounded()) microseconds"
        case let date as Date: "\(date.timeIntervalSinceReferenceDate.bitPattern) bits"
        case let data as Data: data.base64EncodedString()
        case let elements as [String: Any]:
            elements.sorted { $0.key < $1.key }.map { "\($0.key): \(text($0.value, isRounded))" }
                .joined(separator: ", ")
        default: "\(value)"
        }
    }

    /// The differences from another store whose objects are called the same; the first five.
    func differences(from other: StoreWalk) -> [String] {
        var lines: [String] = []
        for name in Set(objects.keys).union(other.objects.keys).sorted() where objects[name] != other.objects[name] {
            guard let mine = objects[name], let others = other.objects[name] else {
                lines.append("\(name) is \(objects[name] == nil ? "new" : "missing")")
                continue
            }
            for key in Set(mine.values.keys).union(others.values.keys) where mine.values[key] != others.values[key] {
                lines.append("\(name).\(key): \(mine.values[key] ?? "nil") became \(others.values[key] ?? "nil")")
            }
            for key in Set(mine.links.keys).union(others.links.keys) where mine.links[key] != others.links[key] {
                lines.append("\(name).\(key): \(mine.links[key] ?? []) became \(others.links[key] ?? [])")
            }
        }
        return lines.prefix(5).map { String($0.prefix(400)) }
    }

    /// The objects without their names: each by its values, and by those of the objects around it, three links far.
    /// - Parameter model: defines which links have an order.
    func shape(_ model: NSManagedObjectModel) -> [UInt64: Int] {
        func hash(_ text: String) -> UInt64 {
            text.utf8.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        }
        func entity(_ name: String) -> String { String(name.prefix { $0 != "/" }) }
        var signs: [String: UInt64] = [:]
        for (name, object) in objects {
            signs[name] = hash(
                entity(name) + object.values.sorted { $0.key < $1.key }.map { "|\($0.key)=\($0.value)" }.joined())
        }
        for _ in 0..<3 {
            var next: [String: UInt64] = [:]
            for (name, object) in objects {
                let relationships = model.entitiesByName[entity(name)]?.relationshipsByName ?? [:]
                var text = "\(signs[name] ?? 0)"
                for (key, links) in object.links.sorted(by: { $0.key < $1.key }) {
                    var around = links.map { signs[$0] ?? 0 }
                    if relationships[key]?.isOrdered != true { around.sort() }
                    text += "|\(key)=\(around)"
                }
                next[name] = hash(text)
            }
            signs = next
        }
        return signs.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
}

/// Hands transformable values over as the bytes that lie in the store.
private final class BytesAsTheyAre: ValueTransformer {
    static let name = "CoreDataToolTestsBytesAsTheyAre"

    override class func allowsReverseTransformation() -> Bool { true }
    override class func transformedValueClass() -> AnyClass { NSData.self }
    override func transformedValue(_ value: Any?) -> Any? { value }
    override func reverseTransformedValue(_ value: Any?) -> Any? { value }
}
