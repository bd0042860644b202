import Foundation

/// The derived attributes of a model in the order of their computation: an attribute comes after those that it reads.
package enum DerivationOrder {
    /// A derived attribute, at the entity that declares it.
    package struct Place {
        package let entity: EntityLayout
        package let slot: Int
        package let expression: NSExpression
    }

    /// Attributes that read each other in a cycle come in the order of the model.
    package static func places(in layout: ModelLayout) -> [Place] {
        var places: [Place] = []
        var numbers: [ObjectIdentifier: Int] = [:]
        for entity in layout.entities {
            for (slot, content) in entity.slots.enumerated() where content.declaringIndex == entity.index {
                guard case .attribute(let attribute) = content.role,
                    let derived = attribute as? NSDerivedAttributeDescription,
                    let expression = derived.derivationExpression
                else { continue }
                numbers[ObjectIdentifier(derived)] = places.count
                places.append(Place(entity: entity, slot: slot, expression: expression))
            }
        }
        var result: [Place] = []
        var seen: Set<Int> = []
        func visit(_ number: Int) {
            guard seen.insert(number).inserted else { return }
            let place = places[number]
            for path in place.expression.keyPaths.sorted() {
                if let read = derived(at: path, of: place.entity.entity).flatMap({ numbers[ObjectIdentifier($0)] }) {
                    visit(read)
                }
            }
            result.append(place)
        }
        for number in places.indices { visit(number) }
        return result
    }

    /// The derived attribute at the end of a path.
    private static func derived(at path: String, of entity: NSEntityDescription) -> NSDerivedAttributeDescription? {
        var entity = entity
        for key in KeyValuePath(path).keys where !key.hasPrefix("@") {
            switch entity.propertiesByName[key] {
            case let relationship as NSRelationshipDescription:
                guard let destination = relationship.destinationEntity else { return nil }
                entity = destination
            case let derived as NSDerivedAttributeDescription: return derived
            default: return nil
            }
        }
        return nil
    }
}
