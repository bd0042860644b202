import Foundation

extension ObjectValidation {
    /// Checks the deny rule: a relationship that has it must be empty, or lead to objects that are deleted too.
    static func validateDeletion(of object: NSManagedObject) throws {
        let denied = object.binding.layout.deletionRules.denied
        if denied.isEmpty { return }
        var errors: [NSError] = []
        for (name, access) in denied {
            let remaining =
                switch access {
                case .toOne(let slot): object.referencedObject(at: slot).map { [$0] } ?? []
                case .toMany(let index): object.memberObjects(of: index)
                case .attribute, .composite, .fetched: [NSManagedObject]()
                }
            if remaining.contains(where: { !$0.flags.contains(.deleted) }) {
                errors.append(deniedDeletion(of: object, name))
            }
        }
        try raise(errors)
    }

    static func deniedDeletion(of object: NSManagedObject, _ name: String) -> NSError {
        failure(
            NSValidationRelationshipDeniedDeleteError, object: object, name: name,
            value: object._primitiveValue(forKey: name), reason: "Items cannot be deleted from \(name).")
    }
}
