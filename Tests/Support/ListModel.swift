import CoreData

/// Owners and items that lead to each other in lists on both sides, and items in lists of each other.
public enum ListModel {
    public static func make() -> NSManagedObjectModel {
        let owner = entity("Owner")
        let item = entity("Item")
        let lefts = list("lefts", item)
        let rights = list("rights", owner)
        lefts.inverseRelationship = rights
        rights.inverseRelationship = lefts
        let peers = list("peers", item)
        peers.inverseRelationship = peers
        owner.properties.append(lefts)
        item.properties += [rights, peers]
        let model = NSManagedObjectModel()
        model.entities = [owner, item]
        return model
    }

    private static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        let attribute = NSAttributeDescription()
        attribute.name = "name"
        attribute.attributeType = .stringAttributeType
        attribute.isOptional = true
        entity.properties = [attribute]
        return entity
    }

    private static func list(_ name: String, _ destination: NSEntityDescription) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = 0
        relationship.isOptional = true
        relationship.isOrdered = true
        relationship.deleteRule = .nullifyDeleteRule
        return relationship
    }
}
