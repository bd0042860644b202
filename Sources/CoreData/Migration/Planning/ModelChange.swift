/// One difference between two models, as far as it concerns the rows of a store.
package enum ModelChange: Equatable, CustomStringConvertible {
    case entityAdded(String)
    case entityRemoved(String)
    case entityRenamed(from: String, to: String)
    case parentChanged(entity: String, from: String?, to: String?)
    case propertyAdded(entity: String, property: String)
    case propertyRemoved(entity: String, property: String)
    case propertyRenamed(entity: String, from: String, to: String)
    case madeOptional(entity: String, property: String)
    case madeMandatory(entity: String, property: String)
    case typeChanged(entity: String, property: String, from: String, to: String)
    case externalStorageChanged(entity: String, property: String, allowed: Bool)
    case madeToMany(entity: String, property: String)
    case orderingChanged(entity: String, property: String, isOrdered: Bool)
    case inverseChanged(entity: String, property: String)
    /// The links are kept if every object to which they can lead is still allowed.
    case destinationChanged(entity: String, property: String, from: String, to: String, keepsLinks: Bool)
    /// A to-many relationship of an entity is now declared by one of its subentities. It starts empty.
    case movedToSubentity(entity: String, property: String)

    package var description: String {
        switch self {
        case .entityAdded(let name): "entity \(name) added"
        case .entityRemoved(let name): "entity \(name) removed"
        case .entityRenamed(let from, let to): "entity \(from) renamed to \(to)"
        case .parentChanged(let entity, let from, let to):
            "parent of \(entity) changed from \(from ?? "none") to \(to ?? "none")"
        case .propertyAdded(let entity, let property): "\(entity).\(property) added"
        case .propertyRemoved(let entity, let property): "\(entity).\(property) removed"
        case .propertyRenamed(let entity, let from, let to): "\(entity).\(from) renamed to \(to)"
        case .madeOptional(let entity, let property): "\(entity).\(property) made optional"
        case .madeMandatory(let entity, let property): "\(entity).\(property) made mandatory"
        case .typeChanged(let entity, let property, let from, let to):
            "type of \(entity).\(property) changed from \(from) to \(to)"
        case .externalStorageChanged(let entity, let property, let allowed):
            "external storage of \(entity).\(property) \(allowed ? "allowed" : "no longer allowed")"
        case .madeToMany(let entity, let property): "\(entity).\(property) made to-many"
        case .orderingChanged(let entity, let property, let isOrdered):
            "\(entity).\(property) made \(isOrdered ? "ordered" : "unordered")"
        case .inverseChanged(let entity, let property): "inverse of \(entity).\(property) changed"
        case .destinationChanged(let entity, let property, let from, let to, let keepsLinks):
            "destination of \(entity).\(property) changed from \(from) to \(to)"
                + (keepsLinks ? "" : ", links dropped")
        case .movedToSubentity(let entity, let property): "\(entity).\(property) moved down, links dropped"
        }
    }
}
