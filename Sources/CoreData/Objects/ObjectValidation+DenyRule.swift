import Foundation

extension ObjectValidation {
    /// Checks the deny rule: a relationship that has it must be empty, or lead to objects that are deleted too.
    static func validateDeletion(of object: NSManagedObject) throws {
        var errors: [NSError] = []
        for (name, access) in object.binding.layout.access {
            let remaining: [NSManagedObject]
            switch access {
            case .toOne(let slot):
                guard case .toOne(let relationship, _) = object.binding.layout.slots[slot].role,
                    relationship.deleteRule == .denyDeleteRule
                else { continue }
                remaining = object.referencedObject(at: slot).map { [$0] } ?? []
            case .toMany(let index):
                guard object.binding.layout.toManys[index].relationship.deleteRule == .denyDeleteRule else { continue }
                remaining = object.memberObjects(of: index)
            case .attribute, .composite, .fetched: continue
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
