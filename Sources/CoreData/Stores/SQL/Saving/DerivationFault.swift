import Foundation

/// A derived attribute whose expression no store in tables can keep, so that none is opened with its model.
package struct DerivationFault: Hashable, Sendable, CustomStringConvertible {
    package let entity: String
    package let property: String
    /// The expression, and the reason why it has no translation.
    package let reason: String

    package var description: String { "\(entity).\(property): \(reason)" }
}

extension NSManagedObjectModel {
    /// The derived attributes that no store in tables can keep.
    package var derivationFaults: [DerivationFault] {
        let layout = layout
        let places = DerivationOrder.places(in: layout)
        if places.isEmpty { return [] }
        let schema = SQLSchemaBuilder.schema(of: layout)
        return places.compactMap { place in
            guard let error = DerivedAttributes.error(of: place, in: schema) else { return nil }
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            let reason = cause?.localizedDescription ?? error.localizedDescription
            return DerivationFault(
                entity: place.entity.name, property: place.entity.slots[place.slot].name,
                reason: "no store can compute \(place.expression): \(reason)")
        }
    }
}
