import CoreData
import Foundation

/// Lines on standard error about parts of classes without effect, each once in a process.
enum SchemaNotes {
    private static let said = Locked<Set<String>>([])

    static func say(_ text: String) {
        guard said.withLock({ $0.insert(text).inserted }) else { return }
        FileHandle.standardError.write(Data("SwiftData: note: \(text).\n".utf8))
    }

    /// Says what to write where a relationship with an annotation has no inverse, and one relationship leads back.
    static func adviseInverse(
        _ relationship: Schema.Relationship, of entity: Schema.Entity,
        among all: [(Schema.Entity, Schema.Relationship)]
    ) {
        let back = all.filter {
            $0.0.name == relationship.destination && $0.1.destination == entity.name && $0.1 !== relationship
                && $0.1.inverseName == nil
        }
        guard back.count == 1, let other = back.first?.1 else { return }
        say(
            "\(entity.name).\(relationship.name) has no inverse; write "
                + "@Relationship(inverse: \\\(relationship.destination).\(other.name)) if it is meant to have one")
    }

    /// Says that a constraint is not enforced where one of its properties has several columns.
    static func checkConstraints(of entity: Schema.Entity) {
        for constraint in entity.uniquenessConstraints {
            for name in constraint {
                switch entity.attributesByName[name]?.kind {
                case .structure, .enumeration, .rawEnumeration:
                    say("\(entity.name).\(name) is not unique: a constraint cannot have enumerations and structures")
                default: continue
                }
            }
        }
    }
}
