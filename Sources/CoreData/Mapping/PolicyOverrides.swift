/// Which of the hooks a policy class has made its own.
///
/// What the framework's own version of a hook would do can be done for many objects at a time, if nobody has put another one
/// in its place. A class's metadata hold a pointer to each method: where it is the framework's, the method is. The place of a
/// hook's pointer is found with two classes that differ in that hook alone; should it not be found, the hook counts as
/// overridden.
enum PolicyOverrides {
    /// Whether a class, or one between it and the framework's, overrides `createRelationships(forDestination:in:manager:)`.
    static func createRelationships(_ policy: NSEntityMigrationPolicy.Type) -> Bool {
        if policy == NSEntityMigrationPolicy.self { return false }
        guard let place = placeOfCreateRelationships else { return true }
        return word(policy, place) != word(NSEntityMigrationPolicy.self, place)
    }

    private final class NothingOverridden: NSEntityMigrationPolicy {}
    private final class RelationshipsOverridden: NSEntityMigrationPolicy {
        override func createRelationships(
            forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
        ) throws {
            manager.cancelMigrationWithError(CancellationError())
        }
    }

    private static let placeOfCreateRelationships: Int? = {
        #if _runtime(_ObjC)
            return nil
        #else
            let base = NSEntityMigrationPolicy.self
            // The fourth word says how large the metadata are and how much of them lies before the first word.
            let sizes = word(base, 4)
            let words = (Int(sizes & 0xFFFF_FFFF) - Int(sizes >> 32)) / 8
            guard words > 7, words < 1_000 else { return nil }
            let places = (7..<words).filter { place in
                word(RelationshipsOverridden.self, place) != word(base, place)
                    && word(NothingOverridden.self, place) == word(base, place)
            }
            return places.count == 1 ? places[0] : nil
        #endif
    }()

    private static func word(_ type: AnyClass, _ place: Int) -> UInt {
        unsafeBitCast(type, to: UnsafePointer<UInt>.self)[place]
    }
}
