import Foundation

// Fetched properties: the results of their requests, kept until the object is refreshed. An accessor gives objects
// alone, key-value coding whatever the request asks for.
extension NSManagedObject {
    /// The objects of a fetched property, fetched when it is read for the first time since the object was refreshed or
    /// the property's user info changed.
    final func fetchedObjects(of property: NSFetchedPropertyDescription) -> [NSManagedObject] {
        guard let context = binding.context, !flags.contains(.detached) else { return [] }
        let userInfo = property.userInfo.map { NSDictionary(dictionary: $0) }
        if let known = overlay?.fetched[property.name], known.userInfo == userInfo, known.others == nil,
            let objects = context.objects(known.keys)
        {
            return objects
        }
        let objects: [NSManagedObject] = context.results(of: property, for: self, as: .managedObjectResultType)
        ensureOverlay().fetched[property.name] = ObjectOverlay.FetchedMembers(
            keys: objects.map(\.objectKey), userInfo: userInfo)
        return objects
    }

    /// What the request of a fetched property asks for: objects, their ids, dictionaries, or a count. It is kept as the
    /// objects are.
    final func fetchedResults(of property: NSFetchedPropertyDescription) -> [Any] {
        guard let context = binding.context, !flags.contains(.detached),
            let resultType = property.fetchRequest?.resultType, resultType != .managedObjectResultType
        else { return fetchedObjects(of: property) }
        let userInfo = property.userInfo.map { NSDictionary(dictionary: $0) }
        if let known = overlay?.fetched[property.name], known.userInfo == userInfo, let results = known.others {
            return results
        }
        let results: [any NSFetchRequestResult] = context.results(of: property, for: self, as: resultType)
        ensureOverlay().fetched[property.name] = ObjectOverlay.FetchedMembers(others: results, userInfo: userInfo)
        return results
    }
}

extension NSManagedObjectContext {
    /// The objects with the keys; nil when a key is that of a new object that was saved or dropped since.
    fileprivate final func objects(_ keys: [ObjectKey]) -> [NSManagedObject]? {
        var objects: [NSManagedObject] = []
        objects.reserveCapacity(keys.count)
        for key in keys {
            if key.isTemporary, registeredObject(for: key) == nil { return nil }
            objects.append(object(for: key))
        }
        return objects
    }

    /// The results of a fetched property's request, with `$FETCH_SOURCE` and `$FETCHED_PROPERTY` in place.
    fileprivate final func results<Result>(
        of property: NSFetchedPropertyDescription, for owner: NSManagedObject,
        as resultType: NSFetchRequestResultType
    ) -> [Result] {
        guard let template = property.fetchRequest, let parameters = template.fetchParameters else { return [] }
        let request = NSFetchRequest<Result>(entityName: template.entityName ?? "")
        request.parameters = parameters
        request.resultType = resultType
        request.predicate = template.predicate?.withSubstitutionVariables([
            "FETCH_SOURCE": owner, "FETCHED_PROPERTY": property,
        ]).rewriting(Self.resolved)
        do {
            return try fetch(request)
        } catch {
            cannotFulfill(
                NSError.coreData(
                    (error as NSError).code,
                    reason:
                        "The fetched property '\(property.name)' of entity '\(owner.binding.layout.name)' cannot be "
                        + "fetched: \(error.localizedDescription)",
                    underlying: error, userInfo: [NSAffectedObjectsErrorKey: [owner.objectID]]))
            return []
        }
    }

    /// Replaces a key path of the owner or of the property by its value, because no store can evaluate a key path of
    /// either.
    private static func resolved(_ expression: NSExpression) -> NSExpression {
        guard case .keyPath(let path, let operand?) = expression.payload,
            case .constant(let constant, _) = operand.payload
        else { return expression }
        switch constant {
        case let object as NSManagedObject:
            return NSExpression(forConstantValue: path.value(in: object))
        case let property as NSPropertyDescription:
            let facts: [String: Any] = ["name": property.name, "userInfo": property.userInfo ?? [:]]
            return NSExpression(forConstantValue: path.value(in: facts))
        default: return expression
        }
    }
}
