import CoreData

/// The properties of classes, by the sources and the models.
struct KnownKeys {
    /// The reason why a key path cannot be followed.
    enum Failure: Error, Equatable {
        case unknownType(String)
        case unknownKey(String, of: String)
        case renamedKey(String, to: String)
    }

    let types: DeclaredTypes
    /// Entities by the last part of their class's name.
    private let entities: [String: [NSEntityDescription]]
    /// The Swift names of classes, by the names in `@objc(Name)`, which models use.
    private let renamedClasses: [String: String]

    init(types: DeclaredTypes, models: [NSManagedObjectModel], renamedClasses: [String: String] = [:]) {
        self.types = types
        self.renamedClasses = renamedClasses
        entities = Dictionary(grouping: models.flatMap(\.entities)) { Self.className(of: $0, renamedClasses) }
    }

    /// The keys that managed objects have without declaring them.
    private static let keysOfManagedObjects: Set<String> = [
        "objectID", "entity", "managedObjectContext", "hasChanges", "isInserted", "isUpdated", "isDeleted", "isFault",
        "hasPersistentChangedValues", "faultingState", "description", "hash",
    ]

    /// The keys of the framework's own classes for which requests are made.
    private static let keysOfHistory: [String: Set<String>] = [
        "NSPersistentHistoryTransaction": [
            "author", "bundleID", "changes", "contextName", "processID", "storeID", "timestamp", "token",
            "transactionNumber",
        ],
        "NSPersistentHistoryChange": [
            "changeID", "changeType", "changedObjectID", "tombstone", "transaction", "updatedProperties",
        ],
    ]

    private static func className(of entity: NSEntityDescription, _ renamed: [String: String]) -> String {
        let name = entity.managedObjectClassName ?? "NSManagedObject"
        let last = String(name.split(separator: ".").last ?? "")
        return renamed[last] ?? last
    }

    private func entities(ofClass name: String) -> [NSEntityDescription] {
        let last = String(name.split(separator: ".").last ?? "")
        return last == "NSManagedObject" ? [] : entities[last] ?? []
    }

    func isKnownType(_ name: String, seenFrom scope: String?) -> Bool {
        types.fullName(of: name, seenFrom: scope) != nil || !entities(ofClass: name).isEmpty
            || Self.keysOfHistory[name] != nil || name == "NSManagedObject"
    }

    /// Whether a class is one of managed objects.
    func isManaged(_ name: String) -> Bool { types.isManaged(name) || !entities(ofClass: name).isEmpty }

    /// Whether a model has a property of a class.
    func isModelled(_ key: String, of type: String) -> Bool {
        types.chain(from: type).flatMap(entities).contains { property(key, of: $0) != nil }
    }

    /// `NSSet` or `NSMutableSet` if every property of a name has this type: by the declarations in the sources or, if
    /// there are none, by the classes that are generated for to-many relationships of this name in models.
    func foundationSet(named name: String) -> String? {
        let declared = Set(
            types.declarations.values.compactMap { declaration in
                declaration.properties[name]?.filter { $0 != "?" && $0 != "!" }
            })
        if declared.isEmpty {
            let relationships = entities.values.joined().compactMap { $0.relationshipsByName[name] }
            return !relationships.isEmpty && relationships.allSatisfy { $0.isToMany && !$0.isOrdered } ? "NSSet" : nil
        }
        guard declared.count == 1, let type = declared.first, type == "NSSet" || type == "NSMutableSet" else {
            return nil
        }
        return type
    }

    /// Follows keys from a type. Throws the reason if a key cannot be followed.
    func follow(_ keys: ArraySlice<String>, from type: String, seenFrom scope: String?) throws(Failure) {
        guard let key = keys.first else { return }
        let next = try step(key, from: type, seenFrom: scope)
        let rest = keys.dropFirst()
        if rest.isEmpty { return }
        guard let next else { throw .unknownType("of '\(key)'") }
        try follow(rest, from: next, seenFrom: type)
    }

    /// The type at the end of a key; `nil` if neither sources nor models determine it.
    private func step(_ key: String, from type: String, seenFrom scope: String?) throws(Failure) -> String? {
        guard isKnownType(type, seenFrom: scope) else { throw .unknownType("'\(type)'") }
        if let known = Self.keysOfHistory[type] {
            if !known.contains(key) { throw .unknownKey(key, of: type) }
            return nil
        }
        let chain = types.chain(from: types.fullName(of: type, seenFrom: scope) ?? type)
        for name in chain {
            guard let declaration = types.declarations[name] else { continue }
            if let other = declaration.otherNames[key] { throw .renamedKey(key, to: other) }
            if let declared = declaration.properties[key] {
                let element = Self.element(declared)
                if let full = types.fullName(of: element, seenFrom: name) { return full }
                if isKnownType(element, seenFrom: name) { return element }
                return destination(key, chain) ?? (element.isEmpty ? nil : element)
            }
        }
        for entity in chain.flatMap(entities) where property(key, of: entity) != nil { return destination(key, chain) }
        if chain.contains(where: isManaged), Self.keysOfManagedObjects.contains(key) { return nil }
        // A class with an unknown superclass may have any key.
        if let last = chain.last, types.declarations[last]?.isClass == nil, entities(ofClass: last).isEmpty,
            last != "NSManagedObject", last != "NSObject"
        {
            throw .unknownType("'\(last)'")
        }
        throw .unknownKey(key, of: type)
    }

    private func property(_ key: String, of entity: NSEntityDescription) -> NSPropertyDescription? {
        entity.propertiesByName[key] ?? entity.superentity.flatMap { property(key, of: $0) }
    }

    /// The class at the other end of a relationship.
    private func destination(_ key: String, _ chain: [String]) -> String? {
        for entity in chain.flatMap(entities) {
            guard let relationship = property(key, of: entity) as? NSRelationshipDescription else { continue }
            return relationship.destinationEntity.map { Self.className(of: $0, renamedClasses) }
        }
        return nil
    }

    /// The type without optionality; for a collection the type of its elements.
    private static func element(_ type: String) -> String {
        var text = type[...]
        while text.hasSuffix("?") || text.hasSuffix("!") { text = text.dropLast() }
        for prefix in ["Optional<", "Set<", "Array<"] where text.hasPrefix(prefix) && text.hasSuffix(">") {
            return element(String(text.dropFirst(prefix.count).dropLast()))
        }
        if text.hasPrefix("["), text.hasSuffix("]"), !text.contains(":") {
            return element(String(text.dropFirst().dropLast()))
        }
        return String(text)
    }
}
