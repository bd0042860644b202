import Foundation

/// The third pass of a migration by a mapping model: calls the policies' own validation, and checks the objects that
/// were not valid when they were saved.
///
/// Saves of the destination do not validate, because an object that is not valid yet may become so by the end.
final class ValidationPass {
    private unowned let run: MappedMigrationRun
    private var invalidOnes: [NSManagedObject] = []
    private var validOnes: [NSManagedObject] = []

    private static let mostErrors = 10

    init(_ run: MappedMigrationRun) { self.run = run }

    private var associations: MigrationAssociations { run.associations }

    func carryOut() throws {
        for step in run.steps where step.number >= run.firstStep(in: .validation) {
            try run.begin(step)
            try run.callValidationAndEnd(step)
            try run.keep(MappedPosition(pass: .validation, step: step.number + 1), always: true)
        }
        run.end()
        try run.holding { try requireValidObjects() }
    }

    // MARK: Before saves

    /// Takes the place of a save's validation: notes which objects are valid.
    func sort(_ work: NSManagedObjectContext.SaveWork) {
        for object in work.inserted + work.updated {
            if (try? object.validateForInsert()) != nil {
                // A valid object is recorded only if objects were invalid before.
                if associations.knowsInvalid { validOnes.append(object) }
            } else {
                invalidOnes.append(object)
            }
        }
        if associations.knowsInvalid { validOnes += work.deleted }
    }

    /// Records the sorted objects under the keys that the save gave them.
    func record() throws {
        try associations.note(valid: validOnes.map(\.objectKey), invalid: invalidOnes.map(\.objectKey))
    }

    func releaseObjects() {
        validOnes = []
        invalidOnes = []
    }

    // MARK: At the end

    private func requireValidObjects() throws {
        var errors: [NSError] = []
        var last: ObjectKey?
        while errors.count <= Self.mostErrors {
            let keys = try associations.invalid(after: last, limit: 100)
            guard let final = keys.last else { break }
            last = final
            errors += keys.compactMap { problem(of: run.destinationContext.object(for: $0)) }
        }
        let listed = Array(errors.prefix(Self.mostErrors))
        if !listed.isEmpty { throw MappingErrors.invalid(listed, more: errors.count > listed.count) }
    }

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
        for step in run.steps {
            guard let source = associations.sources(of: object, mapping: step.number).first else { continue }
            let place = MappingErrors.Place(
                mapping: step.mapping, property: error.userInfo[NSValidationKeyErrorKey] as? String,
                source: run.sourceContext.object(for: source).objectID)
            return .coreData(
                NSMigrationError, reason: "\(error.localizedDescription) (\(place.description))", underlying: error,
                userInfo: place.userInfo)
        }
        return error
    }
}
