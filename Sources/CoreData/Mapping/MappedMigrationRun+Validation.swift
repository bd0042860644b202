import Foundation

// What is looked at when everything is there: objects that were not valid when they were saved.
extension MappedMigrationRun {
    func requireValidObjects() throws {
        let keys = try associations.invalid(limit: 11)
        let errors = keys.prefix(10).compactMap { key -> NSError? in
            let object = destinationContext.object(for: key)
            do {
                try object.validateForInsert()
                return nil
            } catch {
                return place(of: error as NSError, object)
            }
        }
        if !errors.isEmpty { throw MappingErrors.invalid(errors, more: keys.count > 10) }
    }

    /// A validation error with the source object that the invalid one came of.
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
