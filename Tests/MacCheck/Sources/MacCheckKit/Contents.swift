import CoreData

/// The objects of a store, each property as a text.
package struct Contents: Codable, Equatable {
    /// The objects of one entity, without those of its subentities.
    package struct Objects: Codable, Equatable {
        package var count = 0
        /// A digest of all objects, of which the list has the first ones alone if there are many.
        package var digest = ""
        /// The texts of the properties, by key of the object ("p1") and name.
        package var objects: [String: [String: String]] = [:]

        package init() {}

        /// The texts of all objects, of which the first ones are listed, as a run would find them.
        package init(_ objects: [String: [String: String]]) {
            var digest = Digest()
            let sorted = objects.map { (Int($0.dropFirst()) ?? 0, $1) }.sorted { $0.0 < $1.0 }
            for (number, texts) in sorted { digest.add("p\(number)", texts) }
            (count, self.digest) = (sorted.count, digest.text)
            for (number, texts) in sorted.prefix(limit) { self.objects["p\(number)"] = texts }
        }
    }

    /// The most objects of an entity that are listed.
    package static let limit = 200

    package var entities: [String: Objects] = [:]

    package init() {}

    /// Reads every object of a coordinator's stores.
    package init(of coordinator: NSPersistentStoreCoordinator) throws {
        for entity in coordinator.managedObjectModel.entities where !entity.isAbstract {
            guard let name = entity.name else { continue }
            entities[name] = try Self.objects(of: entity, named: name, in: coordinator)
        }
    }

    private static func objects(
        of entity: NSEntityDescription, named name: String, in coordinator: NSPersistentStoreCoordinator
    ) throws -> Objects {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            request.includesSubentities = false
            var result = Objects()
            var digest = Digest()
            let ids = try keys(of: entity, request, in: context)
            result.count = ids.count
            for start in stride(from: 0, to: ids.count, by: 1_000) {
                request.predicate = NSPredicate(
                    format: "SELF IN %@", argumentArray: [Array(ids[start..<min(start + 1_000, ids.count)])])
                let objects = try context.fetch(request).sorted { number(of: $0.objectID) < number(of: $1.objectID) }
                for object in objects {
                    let key = "p\(number(of: object.objectID))"
                    let texts = object.texts
                    if result.objects.count < limit { result.objects[key] = texts }
                    digest.add(key, texts)
                }
                context.reset()
            }
            result.digest = digest.text
            return result
        }
    }

    /// The ids of an entity's objects, in the order of their keys.
    private static func keys(
        of entity: NSEntityDescription, _ request: NSFetchRequest<NSManagedObject>, in context: NSManagedObjectContext
    ) throws -> [NSManagedObjectID] {
        let keys = NSFetchRequest<NSManagedObjectID>(entityName: entity.name ?? "")
        keys.includesSubentities = false
        keys.resultType = .managedObjectIDResultType
        return try context.fetch(keys).sorted { number(of: $0) < number(of: $1) }
    }

    static func number(of id: NSManagedObjectID) -> Int {
        Int(id.uriRepresentation().lastPathComponent.drop { !$0.isNumber }) ?? 0
    }
}

extension NSManagedObject {
    /// The texts of the saved properties, by name.
    var texts: [String: String] {
        var texts: [String: String] = [:]
        for (name, property) in entity.propertiesByName where !property.isTransient {
            if let attribute = property as? NSAttributeDescription {
                texts[name] = PropertyText.text(value(forKey: name), of: attribute)
            } else if let relationship = property as? NSRelationshipDescription {
                texts[name] = PropertyText.text(value(forKey: name), of: relationship)
            }
        }
        return texts
    }

    /// The entity and the key: "Book/p3".
    var shortID: String { objectID.short }
}

extension NSManagedObjectID {
    /// The entity and the key: "Book/p3". The letter says nothing, and differs from kind to kind of store.
    var short: String { "\(entity.name ?? "nil")/p\(Contents.number(of: self))" }
}

/// The texts of values.
package enum PropertyText {
    /// The text of an attribute's value. Two values are equal if their texts are.
    package static func text(_ value: Any?, of attribute: NSAttributeDescription) -> String {
        guard let value, !(value is NSNull) else { return "nil" }
        if let composite = attribute as? NSCompositeAttributeDescription, let values = value as? [String: Any] {
            let parts = composite.elements.sorted { $0.name < $1.name }
            return "(" + parts.map { "\($0.name): \(text(values[$0.name], of: $0))" }.joined(separator: ", ") + ")"
        }
        switch (attribute.type, value) {
        case (.boolean, let number as NSNumber): return number.boolValue ? "true" : "false"
        case (.double, let number as NSNumber): return "\(number.doubleValue)"
        case (.float, let number as NSNumber): return "\(number.floatValue)"
        case (.decimal, let number as NSDecimalNumber): return number.decimalValue.description
        case (.integer16, let number as NSNumber), (.integer32, let number as NSNumber),
            (.integer64, let number as NSNumber):
            return "\(number.int64Value)"
        default: return text(value)
        }
    }

    /// The text of a value without an attribute, as in a transformable one.
    static func text(_ value: Any) -> String {
        switch value {
        case let text as String: quoted(text)
        case let date as Date: "\(date.timeIntervalSinceReferenceDate) s"
        case let bytes as Data: "\(bytes.count) bytes \(Digest(bytes).text)"
        case let uuid as UUID: uuid.uuidString
        case let url as URL: url.absoluteString
        case let number as NSNumber: number.stringValue
        case let list as [Any]: "[" + list.map(text).joined(separator: ", ") + "]"
        case let table as [String: Any]:
            "{" + table.keys.sorted().map { "\($0): \(table[$0].map(text) ?? "nil")" }.joined(separator: ", ") + "}"
        default: "a \(type(of: value))"
        }
    }

    /// The ids that a relationship leads to; in order if it has one.
    static func text(_ value: Any?, of relationship: NSRelationshipDescription) -> String {
        switch value {
        case let object as NSManagedObject: object.shortID
        case let list as NSOrderedSet: "[" + list.map(shortID).joined(separator: ", ") + "]"
        case let set as NSSet: "{" + set.map(shortID).sorted().joined(separator: ", ") + "}"
        default: "nil"
        }
    }

    private static func shortID(_ member: Any) -> String { (member as? NSManagedObject)?.shortID ?? "no object" }

    private static func quoted(_ text: String) -> String {
        guard text.utf8.count <= 200 else { return "text of \(text.utf8.count) bytes \(Digest(Data(text.utf8)).text)" }
        return "'" + text.unicodeScalars.map { $0.value < 32 ? "\\u{\($0.value)}" : String($0) }.joined() + "'"
    }
}

/// FNV-1a over 64 bits: two texts or files with one digest are taken as equal.
struct Digest {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    init() {}

    init(_ bytes: Data) { add(bytes) }

    mutating func add(_ text: String) { add(text.utf8) }

    /// Adds an object's key and the texts of its properties.
    mutating func add(_ key: String, _ texts: [String: String]) {
        add(key)
        for property in texts.keys.sorted() { add("\(property)=\(texts[property] ?? "")") }
    }

    private mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
        state = (state ^ 0xff) &* 0x100_0000_01b3
    }

    var text: String {
        let digits = String(state, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
