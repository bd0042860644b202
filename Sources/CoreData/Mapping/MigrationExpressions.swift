import Foundation

// The keys and functions of the manager, and the functions of the policy, that value expressions use.

extension NSMigrationManager: KeyValueReadable {
    /// The value of a key, as in `$manager.sourceContext`.
    package func value(forKey key: String) -> Any? {
        switch key {
        case "sourceContext": return sourceContext
        case "destinationContext": return destinationContext
        case "sourceModel": return sourceModel
        case "destinationModel": return destinationModel
        case "mappingModel": return mappingModel
        case "currentEntityMapping": return currentEntityMapping
        case "migrationProgress": return NSNumber(value: migrationProgress)
        case "userInfo": return userInfo
        case "self": return self
        default:
            let error = MappingErrors.unknownKey(key, of: self)
            guard let run else { fatalError(error.localizedDescription) }
            return run.noting(nil) { _ -> Any? in throw error }
        }
    }
}

extension NSMigrationManager: ExpressionFunctionReceiver {
    package func callExpressionFunction(_ name: String, arguments: [Any?]) -> Any?? {
        guard let run else { return nil }
        return .some(
            run.noting(nil) { run -> Any? in
                switch (name, arguments.count) {
                case (MappingExpressions.fetchRequest, 2):
                    return try run.fetchRequest(arguments[0], predicate: arguments[1], includesSubentities: false)
                case (MappingExpressions.fetchRequestWithSubentities, 3):
                    return try run.fetchRequest(
                        arguments[0], predicate: arguments[1],
                        includesSubentities: (arguments[2] as? NSNumber)?.boolValue ?? false)
                case (MappingExpressions.instancesByMapping, 2):
                    let objects = try run.objects(arguments[1], of: name)
                    return self.destinationInstances(
                        forEntityMappingName: arguments[0] as? String ?? "", sourceInstances: objects)
                case (MappingExpressions.instancesByRelationship, 2):
                    return try run.destinations(ofAnyMapping: try run.objects(arguments[1], of: name))
                case (MappingExpressions.compositeValue, 3):
                    return try run.compositeValue(
                        named: arguments[0] as? String ?? "", from: arguments[1] as? String ?? "",
                        of: arguments[2] as? NSManagedObject)
                case (MappingExpressions.sourceInstances, 2):
                    let objects = try run.objects(arguments[1], of: name)
                    return self.sourceInstances(
                        forEntityMappingName: arguments[0] as? String ?? "", destinationInstances: objects)
                default:
                    return try self.performFunction(name, arguments: arguments)
                }
            })
    }
}

extension NSEntityMigrationPolicy: ExpressionFunctionReceiver {
    package func callExpressionFunction(_ name: String, arguments: [Any?]) -> Any?? {
        // Without a migration no caller can receive the error.
        guard let run = MappedMigrationRun.current else {
            do { return .some(try performFunction(name, arguments: arguments)) } catch { return .none }
        }
        return .some(run.noting(nil) { _ in try self.performFunction(name, arguments: arguments) })
    }
}
