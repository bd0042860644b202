import Foundation

// Fetched properties: the results of their requests, kept until the object is refreshed.
extension NSManagedObject {
    /// The objects of a fetched property, fetched when it is read for the first time since the object was refreshed or
    /// the property's user info changed.
    final func fetchedObjects(of property: NSFetchedPropertyDescription) -> [NSManagedObject] {
        guard let context = binding.context, !flags.contains(.detached) else { return [] }
        let userInfo = property.userInfo.map { NSDictionary(dictionary: $0) }
        if let known = overlay?.fetched[property.name], known.userInfo == userInfo,
            let objects = context.objects(known.keys)
        {
            return objects
        }
        let objects = context.objects(of: property, for: self)
        ensureOverlay().fetched[property.name] = ObjectOverlay.FetchedMembers(
            keys: objects.map(\.objectKey), userInfo: userInfo)
        return objects
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
    fileprivate final func objects(
        of property: NSFetchedPropertyDescription, for owner: NSManagedObject
    ) -> [NSManagedObject] {
        guard let template = property.fetchRequest, let parameters = template.fetchParameters else { return [] }
        let request = NSFetchRequest<NSManagedObject>(entityName: template.entityName ?? "")
        request.parameters = parameters
        request.resultType = .managedObjectResultType
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
