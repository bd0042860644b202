import Foundation

/// The entities of history itself, for fetch requests that restrict a history request; in a model of their own.
enum HistoryEntities {
    static let transaction = entity(named: "TRANSACTION")
    static let change = entity(named: "CHANGE")
    /// The relationship of transactions to their changes.
    static let changesName = "changes"
    static let transactionName = "transaction"

    /// Keeps the entities alive.
    private static let model: NSManagedObjectModel = {
        let model = NSManagedObjectModel()
        let transaction = NSEntityDescription()
        transaction.name = "TRANSACTION"
        transaction.properties = [
            attribute("author", .stringAttributeType), attribute("bundleID", .stringAttributeType),
            attribute("contextName", .stringAttributeType), attribute("processID", .stringAttributeType),
            attribute("timestamp", .dateAttributeType), attribute("token", .integer64AttributeType),
            attribute("transactionNumber", .integer64AttributeType),
        ]
        let change = NSEntityDescription()
        change.name = "CHANGE"
        change.properties = [
            attribute("changeID", .integer64AttributeType), attribute("changedID", .integer64AttributeType),
            attribute("changedEntity", .integer64AttributeType), attribute("changeType", .integer64AttributeType),
            attribute("changedObjectID", .undefinedAttributeType),
        ]
        let changes = relationship(changesName, to: change, maxCount: 0)
        let owner = relationship(transactionName, to: transaction, maxCount: 1)
        changes.inverseRelationship = owner
        owner.inverseRelationship = changes
        transaction.properties.append(changes)
        change.properties.append(owner)
        model.entities = [transaction, change]
        return model
    }()

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        attribute.isTransient = type == .undefinedAttributeType
        return attribute
    }

    private static func relationship(
        _ name: String, to entity: NSEntityDescription, maxCount: Int
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = entity
        relationship.maxCount = maxCount
        relationship.isOptional = true
        return relationship
    }

    private static func entity(named name: String) -> NSEntityDescription {
        guard let entity = model.entitiesByName[name] else { fatalError("History has no entity \(name)") }
        return entity
    }

    static func fetchRequest(for entity: NSEntityDescription) -> NSFetchRequest<NSFetchRequestResult> {
        let request = NSFetchRequest<NSFetchRequestResult>()
        request.entity = entity
        return request
    }
}
