import CoreData

/// An insertion, an update or a deletion, as data.
package struct Change: Codable, Equatable {
    package enum Kind: String, Codable, Sendable { case insert, update, delete }

    package var kind: Kind
    package var entity: String
    /// The key of the object ("p3"), or the name of a new one within its save ("@a").
    package var key: String
    /// The texts of the values: see `PropertyValue`.
    package var values: [String: String]

    package init(_ kind: Kind, _ entity: String, _ key: String = "", _ values: [String: String] = [:]) {
        self.kind = kind
        self.entity = entity
        self.key = key
        self.values = values
    }

    /// Carries out saves one after the other, in a context of their own.
    package static func apply(_ saves: [[Change]], to coordinator: NSPersistentStoreCoordinator) throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.transactionAuthor = "mac-check"
        try context.performAndWait {
            for save in saves {
                var session = ChangeSession(context: context)
                for change in save { try session.make(change) }
                for change in save { try session.fill(change) }
                try context.save()
            }
        }
    }
}

/// The objects of one save.
private struct ChangeSession {
    let context: NSManagedObjectContext
    private var named: [String: NSManagedObject] = [:]

    init(context: NSManagedObjectContext) { self.context = context }

    /// Inserts the object of an insertion, so that values can lead to it.
    mutating func make(_ change: Change) throws {
        guard change.kind == .insert else { return }
        let object = NSEntityDescription.insertNewObject(forEntityName: change.entity, into: context)
        named[change.key] = object
    }

    func fill(_ change: Change) throws {
        let object = try object(change.kind == .insert ? change.key : "\(change.entity)/\(change.key)")
        guard change.kind != .delete else { return context.delete(object) }
        var composites: [String: [String: Any]] = [:]
        for (name, text) in change.values {
            let path = name.split(separator: ".").map(String.init)
            guard let property = object.entity.propertiesByName[path[0]] else {
                throw KitError("\(change.entity) has no property \(name)")
            }
            if path.count == 2, let composite = property as? NSCompositeAttributeDescription {
                guard let element = composite.elements.first(where: { $0.name == path[1] }) else {
                    throw KitError("\(change.entity).\(path[0]) has no element \(path[1])")
                }
                composites[path[0], default: [:]][path[1]] = try PropertyValue.value(text, of: element)
            } else if let attribute = property as? NSAttributeDescription {
                object.setValue(try PropertyValue.value(text, of: attribute), forKey: name)
            } else {
                try link(object, name, to: text)
            }
        }
        for (name, values) in composites { object.setValue(values, forKey: name) }
    }

    private func link(_ object: NSManagedObject, _ name: String, to text: String) throws {
        let ids = text.trimmingCharacters(in: CharacterSet(charactersIn: "[]{}")).components(separatedBy: ", ")
        let members = try ids.filter { !$0.isEmpty && $0 != "nil" }.map(self.object)
        if text.hasPrefix("[") {
            object.setValue(NSOrderedSet(array: members), forKey: name)
        } else if text.hasPrefix("{") {
            object.setValue(NSSet(array: members), forKey: name)
        } else {
            object.setValue(members.first, forKey: name)
        }
    }

    /// The object of an id ("Book/p3"), or the new one of a name.
    private func object(_ id: String) throws -> NSManagedObject {
        if let object = named[id] { return object }
        guard let coordinator = context.persistentStoreCoordinator, let store = coordinator.persistentStores.first,
            let uuid = store.identifier, let url = URL(string: "x-coredata://\(uuid)/\(id)"),
            let key = coordinator.managedObjectID(forURIRepresentation: url)
        else { throw KitError("no id \(id)") }
        return try context.existingObject(with: key)
    }
}

/// The values of texts.
package enum PropertyValue {
    /// The text that `Contents` shows of the value of a described text.
    package static func shown(_ text: String, of attribute: NSAttributeDescription) throws -> String {
        PropertyText.text(try value(text, of: attribute), of: attribute)
    }

    /// The value of a text, by the type of the attribute.
    ///
    /// "bytes:3:65" are three bytes that begin with 65, and "text:3:65" is a text of such characters. The members of a
    /// transformable value stand between commas.
    static func value(_ text: String, of attribute: NSAttributeDescription) throws -> Any? {
        guard text != "nil" else { return nil }
        let result: Any? =
            switch attribute.type {
            case .integer16, .integer32, .integer64: Int64(text).map { NSNumber(value: $0) }
            case .double: Double(text).map { NSNumber(value: $0) }
            case .float: Float(text).map { NSNumber(value: $0) }
            case .boolean: NSNumber(value: text == "true")
            case .decimal: NSDecimalNumber(string: text)
            case .string: sized(text, "text:").map { String(decoding: $0, as: UTF8.self) } ?? text
            case .date: Double(text).map { Date(timeIntervalSinceReferenceDate: $0) }
            case .binaryData: sized(text, "bytes:")
            case .uuid: UUID(uuidString: text)
            case .uri: URL(string: text)
            case .transformable: text.isEmpty ? [] : text.components(separatedBy: ", ")
            default: nil
            }
        guard let result else { throw KitError("'\(text)' is no value of \(attribute.name)") }
        return result
    }

    private static func sized(_ text: String, _ prefix: String) -> Data? {
        guard text.hasPrefix(prefix) else { return nil }
        let numbers = text.dropFirst(prefix.count).split(separator: ":").compactMap { Int($0) }
        guard numbers.count == 2 else { return nil }
        let isText = prefix == "text:"
        return Data((0..<numbers[0]).map { UInt8(truncatingIfNeeded: numbers[1] + (isText ? $0 % 26 : $0 &* 7)) })
    }
}

/// An error of the checks themselves.
package struct KitError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
