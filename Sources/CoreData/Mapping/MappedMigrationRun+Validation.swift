import Foundation

// The check at the end: objects that were not valid when they were saved.
extension MappedMigrationRun {
    func requireValidObjects() throws {
        var errors: [NSError] = []
        var last: ObjectKey?
        while errors.count <= Self.mostErrors {
            let keys = try associations.invalid(after: last, limit: 100)
            guard let final = keys.last else { break }
            last = final
            errors += keys.compactMap { problem(of: destinationContext.object(for: $0)) }
        }
        let told = Array(errors.prefix(Self.mostErrors))
        if !told.isEmpty { throw MappingErrors.invalid(told, more: errors.count > told.count) }
    }

    private static let mostErrors = 10

    private func problem(of object: NSManagedObject) -> NSError? {
        do {
            try object.validateForInsert()
            return nil
        } catch {
            return place(of: error as NSError, object)
        }
    }

    /// The validation error with the source object of the invalid one.
    private func place(of error: NSError, _ object: NSManagedObject) -> NSError {
        for step in steps {
            guard let source = associations.sources(of: object, mapping: step.number).first else { continue }
            let place = MappingErrors.Place(
                mapping: step.mapping, property: error.userInfo[NSValidationKeyErrorKey] as? String,
                source: sourceContext.object(for: source).objectID)
            return .coreData(
                NSMigrationError, reason: "\(error.localizedDescription) (\(place.description))", underlying: error,
                userInfo: place.userInfo)
        }
        return error
    }
}
