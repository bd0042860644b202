import CoreData
import Foundation

/// Checks every object of a store and its links.
struct StoreVerification {
    let store: ResolvedStore
    let context: NSManagedObjectContext
    /// Receives each finding.
    let report: (StoreFinding) throws -> Void
    /// Objects with a value that their attribute cannot hold. The finding about the value also covers that they cannot
    /// be read.
    private var unfit: Set<String> = []
    /// Rows of no entity.
    private var strays: Set<StoreIrregularity.Row> = []
    private static let part = 200

    init(
        store: ResolvedStore, context: NSManagedObjectContext, report: @escaping (StoreFinding) throws -> Void
    ) {
        (self.store, self.context, self.report) = (store, context, report)
    }

    /// - Returns: the number of checked objects. Call it on the context's queue.
    mutating func run() throws -> Int {
        try checkFile()
        var count = 0
        for entity in store.model.entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) {
            if !entity.isAbstract { count += try checkObjects(of: entity) }
            try checkUniqueness(of: entity)
        }
        return count
    }

    private mutating func checkFile() throws {
        guard let coordinator = context.persistentStoreCoordinator, let file = coordinator.persistentStores.first else {
            return
        }
        let found = try store.reading { try coordinator.inspect(file, for: .damage) }
        for line in found.damage ?? [] { try report(StoreFinding(kind: .damage, text: line)) }
        if let damage = store.address.archivedModel().damage { try report(StoreFinding(kind: .damage, text: damage)) }
        let sizes = try store.reading { try coordinator.inspect(file, for: .sizes) }
        if sizes.hasLargeHistory {
            let data = sizes.entitySizes.values.reduce(0, +)
            let text =
                "the history has \(Measure.bytes(sizes.historySize ?? 0)), and the objects \(Measure.bytes(data))"
            try report(StoreFinding(kind: .history, text: text))
        }
        let rows = try store.reading { try coordinator.inspect(file, for: .irregularities) }
        for irregularity in rows.irregularities ?? [] {
            if irregularity.kind == .entity { strays.insert(irregularity.row) }
            if irregularity.kind == .value { unfit.insert(ObjectName.of(irregularity.row)) }
            try report(StoreFinding(irregularity, store.model))
        }
    }

    private func checkObjects(of entity: NSEntityDescription) throws -> Int {
        let request = store.ownObjects(of: entity, NSManagedObjectID.self)
        request.resultType = .managedObjectIDResultType
        let ids = try store.reading { try context.fetch(request) }
        for start in stride(from: 0, to: ids.count, by: Self.part) {
            try Interruption.check()
            try check(Array(ids[start..<min(start + Self.part, ids.count)]), of: entity)
            // The checked objects are released, because otherwise the whole store would be in memory.
            context.reset()
        }
        return ids.count
    }

    private func check(_ ids: [NSManagedObjectID], of entity: NSEntityDescription) throws {
        var objects = ids.map { context.object(with: $0) }
        do {
            try context.fulfillFaults(of: objects, relationshipKeyPaths: [])
        } catch {
            // One of the objects cannot be read. Reading each by itself finds which one.
            objects = try ids.compactMap(readable)
        }
        for relationship in entity.relationshipsByName.values.sorted(by: { $0.name < $1.name })
        where !relationship.isTransient {
            try checkLinks(of: objects, relationship)
        }
        for attribute in entity.attributesByName.values.sorted(by: { $0.name < $1.name })
        where attribute.allowsExternalBinaryDataStorage {
            try checkFiles(of: objects, attribute, entity)
        }
        if let derived = DerivedValues(entity) { try checkDerived(derived, objects) }
        for object in objects {
            if !store.address.isInTables { try checkRanges(of: object) }
            try checkValues(of: object)
        }
    }

    private func checkDerived(_ derived: DerivedValues, _ objects: [NSManagedObject]) throws {
        // If a database cannot compute an expression, the program does it, as when it saves.
        let computed = store.address.isInTables ? try? derived.differences(objects.map(\.objectID), context) : nil
        let differences =
            try computed ?? store.reading { try context.readingFaults { derived.differences(objects) } }
        for difference in differences {
            func text(_ value: Any?) -> String { value.map { "'\(ValueText.text($0))'" } ?? "nil" }
            try report(
                StoreFinding(
                    kind: .derived, object: ObjectName.of(difference.id), property: difference.attribute,
                    text: "is \(text(difference.stored)), and would be \(text(difference.computed))",
                    repair: .derive(difference.id, attribute: difference.attribute)))
        }
    }

    /// Finds numbers beyond the range of their attributes, in files that can contain them.
    private func checkRanges(of object: NSManagedObject) throws {
        for (name, attribute) in object.entity.attributesByName.sorted(by: { $0.key < $1.key }) {
            guard !attribute.isTransient, let number = object.value(forKey: name) as? NSNumber else { continue }
            let isFitting =
                switch attribute.attributeType {
                case .integer16AttributeType: Int16(exactly: number.int64Value) != nil
                case .integer32AttributeType: Int32(exactly: number.int64Value) != nil
                default: true
                }
            if isFitting { continue }
            try report(
                StoreFinding(
                    kind: .range, object: ObjectName.of(object.objectID), property: name,
                    text: "'\(number)' is no value of the type \(attribute.attributeType.readableName)",
                    repair: attribute.isOptional ? .clear(object.objectID, attribute: name) : nil))
        }
    }

    /// Finds values whose file is missing. Such a value reads as nil, while the row has the file's name.
    private func checkFiles(
        of objects: [NSManagedObject], _ attribute: NSAttributeDescription, _ entity: NSEntityDescription
    ) throws {
        for id in try store.objectsWithoutFile(objects, attribute: attribute, entity: entity.name ?? "", in: context) {
            try report(
                StoreFinding(
                    kind: .unreadable, object: ObjectName.of(id), property: attribute.name,
                    text: "the file that holds the value is missing",
                    repair: attribute.isOptional ? .clear(id, attribute: attribute.name) : nil))
        }
    }

    /// The object, with its values; nil, after a finding, if it cannot be read.
    private func readable(_ id: NSManagedObjectID) throws -> NSManagedObject? {
        do {
            return try context.existingObject(with: id)
        } catch {
            if !unfit.contains(ObjectName.of(id)) {
                try report(StoreFinding(kind: .unreadable, object: ObjectName.of(id), text: ToolError(error).message))
            }
            return nil
        }
    }

    // MARK: - Relationships

    private func checkLinks(of objects: [NSManagedObject], _ relationship: NSRelationshipDescription) throws {
        let links = try links(of: objects, relationship.name)
        let present = try existing(Set(links.flatMap(\.1)), relationship)
        for (object, targets) in links {
            for target in targets.sorted(by: ObjectName.order) {
                let (id, name) = (object.objectID, relationship.name)
                if !present.contains(target) {
                    let stray = stray(target, relationship)
                    let problem = stray.map { "\(ObjectName.of($0)), which is of no entity" }
                    try report(
                        StoreFinding(
                            kind: .dangling, object: ObjectName.of(id), property: name,
                            text: "leads to \(problem ?? "\(ObjectName.of(target)), which is not there")",
                            repair: stray == nil ? .unlink(id, relationship: name, target: target) : nil))
                } else if try !leadsBack(target, to: object, relationship) {
                    try report(
                        StoreFinding(
                            kind: .oneSided, object: ObjectName.of(id), property: name,
                            text: "leads to \(ObjectName.of(target)), which does not lead back",
                            repair: .match(id, relationship: name, target: target)))
                }
            }
        }
    }

    /// The objects of a relationship. A relationship to a row of a foreign entity cannot be read, which is a finding.
    private func links(
        of objects: [NSManagedObject], _ name: String
    ) throws -> [(NSManagedObject, [NSManagedObjectID])] {
        do {
            return try context.readingFaults { objects.map { ($0, $0.objectIDs(forRelationshipNamed: name)) } }
        } catch let error as NSError where error.code == CocoaError.fileReadCorruptFile.rawValue {
            guard objects.count == 1 else { return try objects.flatMap { try links(of: [$0], name) } }
            let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
            try report(
                StoreFinding(
                    kind: .dangling, object: ObjectName.of(objects[0].objectID), property: name,
                    text: "cannot be read: \(cause.localizedFailureReason ?? cause.localizedDescription)"))
            return []
        } catch {
            throw ToolError(error, at: store.shown)
        }
    }

    /// The row to which a relationship leads, if it exists and belongs to no entity.
    private func stray(
        _ target: NSManagedObjectID, _ relationship: NSRelationshipDescription
    ) -> StoreIrregularity.Row? {
        if strays.isEmpty { return nil }
        var root = relationship.destinationEntity
        while let parent = root?.superentity { root = parent }
        let number = ObjectName.number(of: target)
        return strays.first { $0.entityName == root?.name && $0.number == number }
    }

    /// The existing ones of the objects to which a relationship leads.
    private func existing(
        _ ids: Set<NSManagedObjectID>, _ relationship: NSRelationshipDescription
    ) throws -> Set<NSManagedObjectID> {
        guard !ids.isEmpty, let destination = relationship.destinationEntity?.name else { return [] }
        let ids = Array(ids)
        var found: Set<NSManagedObjectID> = []
        for start in stride(from: 0, to: ids.count, by: Self.part) {
            let request = NSFetchRequest<NSManagedObjectID>(entityName: destination)
            request.resultType = .managedObjectIDResultType
            request.predicate = NSPredicate(format: "SELF IN %@", Array(ids[start..<min(start + Self.part, ids.count)]))
            found.formUnion(try store.reading { try context.fetch(request) })
        }
        return found
    }

    /// Whether the object at the other end has this one, too. If a table has a link once, both ends have it.
    private func leadsBack(
        _ target: NSManagedObjectID, to object: NSManagedObject, _ relationship: NSRelationshipDescription
    ) throws -> Bool {
        guard let inverse = relationship.inverseRelationship,
            !store.address.isInTables || !relationship.isToMany && !inverse.isToMany
        else { return true }
        do {
            return try context.readingFaults {
                context.object(with: target).objectIDs(forRelationshipNamed: inverse.name).contains(object.objectID)
            }
        } catch let error as NSError where error.code == CocoaError.fileReadCorruptFile.rawValue {
            // The check of the other side finds this.
            return true
        } catch {
            throw ToolError(error, at: store.shown)
        }
    }

    // MARK: - Values

    private func checkValues(of object: NSManagedObject) throws {
        do {
            try context.readingFaults { try object.validateForUpdate() }
        } catch {
            let error = error as NSError
            for one in error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error] {
                try report(
                    StoreFinding(
                        kind: .invalid, object: ObjectName.of(object.objectID),
                        property: one.userInfo[NSValidationKeyErrorKey] as? String, text: ToolError(one).message))
            }
        }
    }

    private func checkUniqueness(of entity: NSEntityDescription) throws {
        for constraint in entity.uniquenessConstraints {
            let keys = constraint.compactMap { $0 as? String ?? ($0 as? NSPropertyDescription)?.name }
            guard !keys.isEmpty, keys.count == constraint.count else { continue }
            let number = NSExpressionDescription()
            number.name = "count"
            number.expression = NSExpression(
                forFunction: "count:", arguments: [NSExpression.expressionForEvaluatedObject()])
            number.expressionResultType = .integer64AttributeType
            let request = NSFetchRequest<NSDictionary>(entityName: entity.name ?? "")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = keys + [number]
            request.propertiesToGroupBy = keys
            // Objects without a value do not violate uniqueness.
            request.predicate = NSCompoundPredicate(
                andPredicateWithSubpredicates: keys.map { NSPredicate(format: "%K != nil", $0) })
            request.havingPredicate = NSPredicate(format: "%K > 1", number.name)
            for group in try store.reading({ try context.fetch(request) }) {
                let values = keys.map { key in "\(key) \(group[key].map { ValueText.text($0) } ?? "")" }
                try report(
                    StoreFinding(
                        kind: .duplicate, property: keys.joined(separator: ", "),
                        text: "\(entity.name ?? ""): \(group[number.name] ?? "") objects have "
                            + values.joined(separator: " and ")))
            }
        }
    }
}
