import CoreData

/// A question of behaviour that no document of Apple's answers.
package struct Question: Sendable {
    package let name: String
    /// The first column of the row of DEVIATIONS.md that the answer settles. Nil if OpenCoreData has Apple's text from
    /// documents: another answer is a fault then.
    package let row: String?
    /// Words of which one is in the text of an exception that may be the answer. Any other stop is a failure of the
    /// question, and no answer.
    package var stops: [String] = []
    let body: @Sendable (Bench) throws -> String

    init(_ name: String, _ row: String?, _ body: @escaping @Sendable (Bench) throws -> String) {
        self.name = name
        self.row = row
        self.body = body
    }

    /// The question, to which an exception with one of some words may be the answer.
    func mayStop(_ words: String...) -> Question {
        var copy = self
        copy.stops = words
        return copy
    }

    /// Whether the end of its process is an answer to the question.
    package func expects(_ finding: Finding) -> Bool {
        guard finding.outcome == .stopped, finding.stop == .exception || finding.stop == .fatalError else {
            return false
        }
        let text = finding.text?.lowercased() ?? ""
        return stops.contains { text.contains($0) }
    }
}

/// All questions.
package enum Questions {
    package static let all =
        messages + aboutStores + aboutFiles + aboutObjects + aboutConflicts
        + aboutPredicates.map { $0.mayStop("predicate", "format string", "sql", "keypath", "key path", "expression") }
        + aboutRequests.map { $0.mayStop("fetch", "predicate", "sql", "keypath", "key path", "expression", "property") }
        + aboutMigrations

    /// Asks the framework a question, with files in a folder of its own.
    package static func answer(_ name: String, in folder: URL) throws -> String {
        guard let question = all.first(where: { $0.name == name }) else { throw KitError("no question \(name)") }
        let place = folder.appendingPathComponent("Questions/\(name)", isDirectory: true)
        try? FileManager.default.removeItem(at: place)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder.appendingPathComponent("Questions")) }
        return try question.body(Bench(folder: place))
    }
}

/// Stores and models for a question.
struct Bench {
    let folder: URL

    func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

    /// A coordinator with a store of the model.
    func coordinator(
        _ model: NSManagedObjectModel = QuestionModel.model(), _ name: String = "Store.sqlite",
        type: String = NSSQLiteStoreType, options: [String: Any] = [:]
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url(name), options: options)
        return coordinator
    }

    /// A context on a queue of its own, over a store of the model.
    func context(
        _ model: NSManagedObjectModel = QuestionModel.model(), type: String = NSSQLiteStoreType,
        options: [String: Any] = [:]
    ) throws -> NSManagedObjectContext {
        try coordinator(model, type: type, options: options).context()
    }

    /// The names of the files in the folder, without those that SQLite has while a store is open.
    func files(in name: String = "") throws -> String {
        try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(name).path)
            .filter { !$0.hasSuffix("-shm") }.sorted().joined(separator: ", ")
    }

    /// Saves objects, and names their entity and their values.
    func fill(_ context: NSManagedObjectContext, _ objects: [(String, [String: Any])]) throws {
        try context.performAndWait {
            for (entity, values) in objects { context.insert(entity, values) }
            try context.save()
        }
    }
}

extension NSPersistentStoreCoordinator {
    func context() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = self
        return context
    }
}

extension NSManagedObjectContext {
    @discardableResult
    func insert(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    /// All objects of an entity, in the order of their keys.
    func all(_ entity: String) throws -> [NSManagedObject] {
        try fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
            .sorted { Contents.number(of: $0.objectID) < Contents.number(of: $1.objectID) }
    }

    /// The values of a text property of the objects that satisfy a predicate, sorted.
    func names(
        _ entity: String, _ format: String, _ arguments: [Any]? = nil, key: String = "name"
    ) throws -> String {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        return try fetch(request).map { $0.value(forKey: key) as? String ?? "nil" }.sorted().joined(separator: ", ")
    }

    /// The number of an entity's objects.
    func count(_ entity: String) throws -> Int { try count(for: NSFetchRequest<NSManagedObject>(entityName: entity)) }
}

/// What a body returns, or the text of its error.
func outcome(_ body: () throws -> String) -> String {
    do { return try body() } catch { return "error \(ErrorText.text(error))" }
}

/// The model of the questions.
enum QuestionModel {
    /// A version of it.
    struct Version {
        var number = NSAttributeDescription.AttributeType.integer16
        var hasCards = true
        var hasExtraColumn = false
        var isUnique = false
        var transformer: String?
    }

    /// Groups of items, a subentity of the items, and cards that need an item.
    static func model(_ version: Version = Version()) -> NSManagedObjectModel {
        let (group, item, special) = (entity("Group"), entity("Item"), entity("SpecialItem"))
        var itemProperties: [NSPropertyDescription] = [
            attribute("name", .string), attribute("number", version.number), attribute("score", .double),
            attribute("code", .string), attribute("tags", .transformable, transformer: version.transformer),
        ]
        let note = attribute("note", .string)
        note.isTransient = true
        itemProperties.append(note)
        if version.hasExtraColumn { itemProperties.append(attribute("added", .string)) }
        let items = relationship("items", item, isMany: true)
        let owner = relationship("group", group, isMany: false)
        (items.inverseRelationship, owner.inverseRelationship) = (owner, items)
        group.properties = [
            attribute("title", .string), items, relationship("friends", item, isMany: true),
            relationship("leader", item, isMany: false),
        ]
        itemProperties.append(owner)
        special.properties = [attribute("extra", .string)]
        let model = NSManagedObjectModel()
        var entities = [group, item, special]
        if version.hasCards {
            let card = entity("Card")
            let label = attribute("label", .string)
            label.isOptional = false
            let cards = relationship("cards", card, isMany: true)
            let holder = relationship("holder", item, isMany: false)
            holder.isOptional = false
            holder.minCount = 1
            (cards.inverseRelationship, holder.inverseRelationship) = (holder, cards)
            card.properties = [label, holder]
            itemProperties.append(cards)
            entities.append(card)
        }
        item.properties = itemProperties
        item.subentities = [special]
        if version.isUnique { item.uniquenessConstraints = [["code"]] }
        model.entities = entities
        return model
    }

    private static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = "NSManagedObject"
        return entity
    }

    static func attribute(
        _ name: String, _ type: NSAttributeDescription.AttributeType, transformer: String? = nil
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.type = type
        attribute.isOptional = true
        if type == .transformable { attribute.valueTransformerName = transformer ?? "NSSecureUnarchiveFromData" }
        return attribute
    }

    private static func relationship(
        _ name: String, _ destination: NSEntityDescription, isMany: Bool
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.minCount = 0
        relationship.maxCount = isMany ? 0 : 1
        relationship.isOptional = true
        relationship.deleteRule = .nullifyDeleteRule
        return relationship
    }
}
