import Foundation

/// The errors of migrations by mapping models. They name entity mapping, entity, property and source object.
enum MappingErrors {
    /// User-info keys beside those of `MigrationErrors`: the name of an entity mapping, and the URI of a source object.
    static let mappingKey = "entityMapping"
    static let sourceObjectKey = "sourceObject"

    /// A place in a migration at which an error occurred.
    struct Place {
        var mapping: NSEntityMapping?
        var property: String?
        var source: NSManagedObjectID?

        var userInfo: [String: Any] {
            var info: [String: Any] = [:]
            info[mappingKey] = mapping?.name
            info[MigrationErrors.entityKey] = mapping?.destinationEntityName ?? mapping?.sourceEntityName
            info[MigrationErrors.propertyKey] = property
            info[sourceObjectKey] = source?.uriRepresentation()
            return info
        }

        var description: String {
            var parts: [String] = []
            if let name = mapping?.name { parts.append("entity mapping “\(name)”") }
            if let property { parts.append("property “\(property)”") }
            if let source { parts.append("source object \(source.uriRepresentation().absoluteString)") }
            return parts.joined(separator: ", ")
        }
    }

    /// The error that a policy threw, with the place.
    static func policyFailed(_ error: any Error, _ place: Place) -> NSError {
        let failure = error as NSError
        return .coreData(
            NSEntityMigrationPolicyError,
            reason: "The migration policy failed (\(place.description)): \(failure.localizedDescription)",
            underlying: failure, userInfo: place.userInfo)
    }

    /// The error about an object of an abstract entity.
    static func abstract(_ entity: NSEntityDescription, _ place: Place) -> NSError {
        .coreData(
            NSMigrationError,
            reason: "The entity “\(entity.name ?? "")” is abstract but would get an object of its own "
                + "(\(place.description)).",
            remedy: "Delete such objects first, or use a mapping model that moves them to another entity.",
            userInfo: place.userInfo)
    }

    /// The error about a value that a property cannot have.
    static func unacceptable(_ value: Any, for property: String, type: String, _ place: Place) -> NSError {
        var place = place
        place.property = property
        return .coreData(
            NSMigrationError,
            reason: "Unacceptable type of value: desired type = \(type); given type = \(Swift.type(of: value)) "
                + "(\(place.description))", userInfo: place.userInfo)
    }

    /// The error about a number beyond the range of the newer version's attribute.
    static func beyond(_ limit: ClosedRange<Int64>, _ value: NSNumber, _ place: Place) -> NSError {
        .coreData(
            NSMigrationError,
            reason:
                "The value \(value) does not fit the new type, which holds whole numbers from \(limit.lowerBound) to "
                + "\(limit.upperBound) (\(place.description)).",
            remedy: "Use a mapping model to convert it.", userInfo: place.userInfo)
    }

    /// The error about a number that is larger than any decimal.
    static func beyondDecimals(_ value: NSNumber, _ place: Place) -> NSError {
        .coreData(
            NSMigrationError,
            reason: "The value \(value) does not fit the new type: no decimal number is so large "
                + "(\(place.description)).", userInfo: place.userInfo)
    }

    /// The error if two relationships that are each other's inverses now lead to different objects.
    static func disagreement(with inverse: NSRelationshipDescription, _ place: Place) -> NSError {
        .coreData(
            NSMigrationError,
            reason:
                "What the relationship leads to does not agree with “\(inverse.entity.name ?? "").\(inverse.name)”, which "
                + "is its inverse now: one of the objects has another one (\(place.description)).",
            remedy: "Make the two agree with the older version of the program, or use a mapping model of your own.",
            userInfo: place.userInfo)
    }

    static func unknownProperty(_ name: String, _ mapping: NSEntityMapping) -> NSError {
        let place = Place(mapping: mapping, property: name)
        return .coreData(
            NSMigrationError, reason: "The destination entity has no such property (\(place.description)).",
            userInfo: place.userInfo)
    }

    static func unknownFunction(_ name: String, of object: AnyObject) -> NSError {
        .coreData(
            NSEntityMigrationPolicyError,
            reason: "\(type(of: object)) has no function “\(name)” that the plugin sees: make it "
                + "internal in a target with the plugin, or override performFunction(_:arguments:).")
    }

    static func unknownKey(_ key: String, of object: AnyObject) -> NSError {
        .coreData(
            NSMigrationError,
            reason:
                "[<\(type(of: object))> valueForUndefinedKey:]: this class is not key value coding-compliant for the "
                + "key \(key).")
    }

    static func unknownPolicy(_ name: String, _ mapping: NSEntityMapping) -> NSError {
        let place = Place(mapping: mapping)
        return .coreData(
            NSEntityMigrationPolicyError,
            reason: "There is no migration policy of the class “\(name)” (\(place.description)).",
            userInfo: place.userInfo)
    }

    static func unknownMapping(_ name: String) -> NSError {
        .coreData(NSMigrationError, reason: "The mapping model has no entity mapping “\(name)”.")
    }

    static func unknownEntity(_ name: String, side: String, _ mapping: NSEntityMapping) -> NSError {
        let place = Place(mapping: mapping)
        return .coreData(
            NSMigrationError, reason: "The \(side) model has no entity “\(name)” (\(place.description)).",
            userInfo: place.userInfo)
    }

    static func sourceStore(_ error: any Error, _ url: URL) -> NSError {
        let failure = (error as? any SQLFailure)?.nsError(doing: .opening) ?? error as NSError
        return .coreData(
            failure.isOfFullDisk ? NSFileWriteOutOfSpaceError : NSMigrationManagerSourceStoreError,
            reason: "The source store cannot be opened: \(failure.localizedDescription)", url: url,
            underlying: failure)
    }

    static func destinationStore(_ error: any Error, _ url: URL) -> NSError {
        // The first statements of a copy fail by errors of the database, which know whether the disk is full.
        let failure = (error as? any SQLFailure)?.nsError(doing: .saving) ?? error as NSError
        return .coreData(
            failure.isOfFullDisk ? NSFileWriteOutOfSpaceError : NSMigrationManagerDestinationStoreError,
            reason: "The destination store cannot be made: \(failure.localizedDescription)", url: url,
            underlying: failure)
    }

    static func notSaved(_ error: any Error, _ place: Place) -> NSError {
        let failure = error as NSError
        let code =
            switch failure.code {
            case _ where failure.isOfFullDisk: NSFileWriteOutOfSpaceError
            case NSManagedObjectConstraintMergeError: NSMigrationConstraintViolationError
            default: NSMigrationError
            }
        return .coreData(
            code,
            reason: "Objects of the destination cannot be saved (\(place.description)): "
                + failure.localizedDescription, underlying: failure, userInfo: place.userInfo)
    }

    /// The error about objects that the destination model does not allow, with the first ones of them.
    static func invalid(_ errors: [NSError], more: Bool) -> NSError {
        var info: [String: Any] = errors.first?.userInfo ?? [:]
        if errors.count > 1 || more { info[NSDetailedErrorsKey] = errors }
        info[NSLocalizedDescriptionKey] = nil
        let reasons = errors.map(\.localizedDescription).joined(separator: "\n") + (more ? "\n…" : "")
        return .coreData(NSMigrationError, reason: reasons, underlying: errors.first, userInfo: info)
    }
}
