import CoreData
import Foundation

/// Makes a store of objects that are added one after the other. Links may lead to objects that are added later. The
/// writer makes all links at the end, and saves once.
final class GraphWriter {
    /// The given members of a relationship of an object.
    struct Links {
        let relationship: NSRelationshipDescription
        let names: [String]
        /// The line in the input, for messages.
        let line: Int
        let offset: Int
    }

    /// Links that contradict each other.
    struct Contradiction: Error {
        let message: String
        let line: Int
        let offset: Int
    }

    let context: NSManagedObjectContext
    let entities: [String: GraphEntity]
    private let coordinator: NSPersistentStoreCoordinator
    private let store: NSPersistentStore
    /// The metadata of the new store.
    private var description: [String: Any]
    private let shown: String
    private var objects: [String: NSManagedObject] = [:]
    /// The names in the order in which they were added, with the numbers in them.
    private var names: [(name: String, number: Int64?)] = []
    private var links: [(owner: String, links: [Links])] = []
    private let isXML: Bool
    private let isInTables: Bool
    /// Values that the store cannot hold.
    private var unfit: [(entity: String, attribute: String, name: String, problem: String)] = []
    /// The maximum number of them in a message.
    private static let listed = 100
    /// The number of objects of each entity.
    private(set) var counts: [String: Int] = [:]
    /// Links to missing objects; they are left out.
    private(set) var dangling: [String] = []
    /// Whether the objects have the numbers in their given names.
    private(set) var keepsNumbers = false

    var count: Int { objects.count }

    /// Makes an empty store. Use it on the queue of `context` from then on.
    ///
    /// - Parameter model: The model that the new store will keep.
    init(
        _ model: NSManagedObjectModel, type: String, at url: URL, shown: String, metadata: [String: Any],
        identifier: String?
    ) throws {
        self.shown = shown
        isXML = type == NSXMLStoreType
        isInTables = type == NSSQLiteStoreType
        // A store keeps the model that it is made with.
        let maker = NSPersistentStoreCoordinator(managedObjectModel: model)
        let made = try Self.telling(shown) {
            try maker.addPersistentStore(ofType: type, configurationName: nil, at: url, options: nil)
        }
        description = made.metadata ?? [:]
        try maker.remove(made)
        let plain = model.loose()
        if type != NSSQLiteStoreType { try? FileManager.default.removeItem(at: url) }
        entities = GraphEntity.all(of: plain)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: plain)
        store = try Self.telling(shown) { [coordinator] in
            try coordinator.addPersistentStore(
                ofType: type, configurationName: nil, at: url, options: [NSIgnorePersistentStoreVersioningOption: true])
        }
        description.merge(metadata) { _, own in own }
        if let identifier { description[NSStoreUUIDKey] = identifier }
        if type == NSSQLiteStoreType { coordinator.setMetadata(description, for: store) }
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.undoManager = nil
    }

    private static func telling<Result>(_ shown: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw ToolError(error, at: shown)
        }
    }

    func has(_ name: String) -> Bool { objects[name] != nil }

    /// Adds an object with an unused name: `Book/12`.
    func add(_ name: String, _ entity: GraphEntity, values: [String: Any], _ given: [Links]) {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity.name, into: context)
        for attribute in entity.attributes {
            let value = values[attribute.name]
            if let value, let problem = problem(of: value) {
                unfit.append((entity.name, attribute.name, name, problem))
            }
            object.setValue(value, forKey: attribute.name)
        }
        objects[name] = object
        names.append((name, Int64(name.dropFirst(entity.name.count + 1))))
        counts[entity.name, default: 0] += 1
        if !given.isEmpty { links.append((name, given)) }
    }

    /// The reason why the store cannot hold a value; nil if it can. SQLite stores a NaN as NULL.
    private func problem(of value: Any) -> String? {
        switch value {
        case let text as String: isXML && !Self.isWritable(text) ? "has a control character" : nil
        case let date as Date: isInTables && date.timeIntervalSinceReferenceDate.isNaN ? "is not a number" : nil
        case let number as NSDecimalNumber:
            isInTables && !Self.isKept(number.decimalValue) ? "has more digits than are kept" : nil
        case let number as NSNumber: isInTables && number.doubleValue.isNaN ? "is not a number" : nil
        default: nil
        }
    }

    /// Whether a decimal read from a SQLite column, which has an integer or a double, is the written one.
    private static func isKept(_ number: Decimal) -> Bool {
        let text = number.description
        if number.isNaN || Int64(text) != nil { return true }
        return Double(text).flatMap { Decimal(string: $0.description) } == number
    }

    /// Whether XML can contain a text. It has no form for most control characters.
    private static func isWritable(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar.value > 0x1F && ![0xFFFE, 0xFFFF].contains(scalar.value)
                || [0x09, 0x0A, 0x0D].contains(scalar.value)
        }
    }

    /// Throws if the store cannot hold the given values.
    private func requireFit() throws {
        if unfit.isEmpty { return }
        let lines = unfit.prefix(Self.listed).map { entity, attribute, name, problem in
            Table.onOneLine("  “\(entity).\(attribute)” of \(name) \(problem)")
        }
        throw ToolError(
            .failed,
            "\(shown): \(isXML ? "XML" : "SQLite") cannot hold \(unfit.count) value\(unfit.count == 1 ? "" : "s"); nothing was written",
            details: lines + (unfit.count > lines.count ? ["  … and \(unfit.count - lines.count) more"] : []))
    }

    /// Makes the links, saves and closes the store.
    ///
    /// - Returns: the names of the objects in the new store, by the given names.
    func finish() throws -> [String: String] {
        try requireFit()
        try nameObjects()
        for (owner, links) in links {
            for link in links where !link.relationship.isToMany { try make(link, of: owner) }
        }
        for (owner, links) in links {
            for link in links where link.relationship.isToMany { try make(link, of: owner) }
        }
        try Interruption.check()
        let store = store
        return try Self.telling(shown) {
            try context.save()
            let names = objects.mapValues { ObjectName.of($0.objectID) }
            context.reset()
            let (url, type) = (store.url, store.type)
            try coordinator.remove(store)
            if let url, type != NSSQLiteStoreType {
                try NSPersistentStoreCoordinator.setMetadata(
                    description, type: NSPersistentStore.StoreType(rawValue: type), at: url)
            }
            return names
        }
    }

    /// Gives the objects their former numbers, if the store numbers objects as the former one did.
    private func nameObjects() throws {
        guard store.type == NSSQLiteStoreType, names.allSatisfy({ $0.number != nil }) else { return }
        try Self.telling(shown) {
            try context.obtainPermanentIDs(
                for: names.compactMap { objects[$0.name] }, numbers: names.compactMap(\.number))
        }
        keepsNumbers = true
    }

    // MARK: Links

    private func make(_ link: Links, of owner: String) throws {
        guard let object = objects[owner] else { return }
        var targets: [NSManagedObject] = []
        for name in link.names {
            if let target = objects[name] {
                if let wanted = link.relationship.destinationEntity?.name, !Self.isKind(target.entity, of: wanted) {
                    throw Contradiction(
                        message: "'\(link.relationship.name)' leads to '\(name)', which is no \(wanted)",
                        line: link.line, offset: link.offset)
                }
                targets.append(target)
            } else {
                dangling.append("\(owner).\(link.relationship.name) leads to \(name)")
            }
        }
        let key = link.relationship.name
        if !link.relationship.isToMany {
            object.setValue(targets.first, forKey: key)
            return
        }
        try check(object, owner: owner, targets: targets, link: link)
        if link.relationship.isOrdered {
            object.setValue(NSOrderedSet(array: targets), forKey: key)
        } else {
            object.setValue(Set(targets), forKey: key)
        }
    }

    private static func isKind(_ entity: NSEntityDescription, of name: String) -> Bool {
        sequence(first: entity, next: \.superentity).contains { $0.name == name }
    }

    /// Refuses members whose own line gives another owner, because one of the two lines is wrong.
    private func check(_ object: NSManagedObject, owner: String, targets: [NSManagedObject], link: Links) throws {
        func contradiction(_ message: String) -> Contradiction {
            Contradiction(message: message, line: link.line, offset: link.offset)
        }
        let key = link.relationship.name
        if Set(targets).count < targets.count { throw contradiction("'\(key)' has an object twice") }
        guard let inverse = link.relationship.inverseRelationship, !inverse.isToMany else { return }
        for target in targets {
            let other = target.value(forKey: inverse.name) as? NSManagedObject
            if let other, other !== object {
                throw contradiction("'\(key)' has an object whose '\(inverse.name)' leads to another one")
            }
        }
        let present = GraphEntity.targets(object, link.relationship)
        if !Set(present).isSubset(of: Set(targets)) {
            throw contradiction("'\(key)' lacks an object whose '\(inverse.name)' leads to \(owner)")
        }
    }
}
