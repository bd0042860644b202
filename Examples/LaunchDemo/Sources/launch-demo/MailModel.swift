import CoreData

/// The schema of a mail program, in the version that its users have and in two that it ships next.
enum MailModel: String {
    /// An account has folders, a folder has messages, a message has attachments.
    case first
    /// Folders become labels: a message may have many of them. Every message row is read to fill the table between the
    /// two. One column is removed, one is renamed, and one is added that must not be empty.
    case labels
    /// Twelve optional attributes more on every message, as in the article of 2011 whose program no longer started.
    case twelveColumns

    /// The values that the step to `labels` drops on purpose, by name: the framework drops only values that are named.
    static let allowedLosses = ["Message.snippet"]

    /// The model of this version.
    func make() -> NSManagedObjectModel {
        let account = entity("Account")
        let folder = entity("Folder")
        let message = entity("Message")
        let attachment = entity("Attachment")

        let folders = toMany("folders", folder, .cascadeDeleteRule)
        let accountOfFolder = toOne("account", account)
        connect(folders, accountOfFolder)
        let messages = toMany("messages", message, self == .labels ? .nullifyDeleteRule : .cascadeDeleteRule)
        let folderOfMessage = self == .labels ? toMany("labels", folder, .nullifyDeleteRule) : toOne("folder", folder)
        if self == .labels {
            folderOfMessage.renamingIdentifier = "folder"
        }
        connect(messages, folderOfMessage)
        let attachments = toMany("attachments", attachment, .cascadeDeleteRule)
        let messageOfAttachment = toOne("message", message)
        connect(attachments, messageOfAttachment)

        account.properties = [attribute("name", .stringAttributeType), folders]
        folder.properties = [attribute("name", .stringAttributeType), accountOfFolder, messages]
        attachment.properties = [
            attribute("fileName", .stringAttributeType), attribute("byteCount", .integer64AttributeType),
            messageOfAttachment,
        ]
        message.properties = messageAttributes + [folderOfMessage, attachments]
        if let received = message.attributesByName["received"] {
            message.indexes = [
                NSFetchIndexDescription(
                    name: "byReceived",
                    elements: [NSFetchIndexElementDescription(property: received, collationType: .binary)])
            ]
        }

        let model = NSManagedObjectModel()
        model.entities = [account, folder, message, attachment]
        return model
    }

    private var messageAttributes: [NSAttributeDescription] {
        var attributes = [
            attribute("subject", .stringAttributeType), attribute("sender", .stringAttributeType),
            attribute("body", .stringAttributeType), attribute("received", .dateAttributeType),
        ]
        switch self {
        case .first, .twelveColumns:
            attributes.append(attribute("isRead", .booleanAttributeType))
            attributes.append(attribute("snippet", .stringAttributeType, isOptional: true))
        case .labels:
            let isSeen = attribute("isSeen", .booleanAttributeType)
            isSeen.renamingIdentifier = "isRead"
            let priority = attribute("priority", .integer16AttributeType)
            priority.defaultValue = 3
            attributes += [isSeen, priority]
        }
        if self == .twelveColumns {
            attributes += (1...12).map { attribute("extra\($0)", .stringAttributeType, isOptional: true) }
        }
        return attributes
    }

    private func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        return entity
    }

    private func attribute(
        _ name: String, _ type: NSAttributeType, isOptional: Bool = false
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        return attribute
    }

    private func toOne(_ name: String, _ destination: NSEntityDescription) -> NSRelationshipDescription {
        let relationship = toMany(name, destination, .nullifyDeleteRule)
        relationship.maxCount = 1
        return relationship
    }

    private func toMany(
        _ name: String, _ destination: NSEntityDescription, _ deleteRule: NSDeleteRule
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.deleteRule = deleteRule
        relationship.isOptional = true
        return relationship
    }

    private func connect(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
        one.inverseRelationship = other
        other.inverseRelationship = one
    }
}
