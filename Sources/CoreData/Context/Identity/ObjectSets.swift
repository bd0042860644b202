import Foundation

/// The sets of objects in the notifications of a save. The last notification names, as a rule, the objects that the
/// first one named. Making the sets takes a tenth of a large save.
struct ObjectSets {
    private var made: [(objects: [NSManagedObject], set: Set<NSManagedObject>)] = []

    var isEmpty: Bool { made.isEmpty }

    /// The set of some objects. A set that was made of the same list is used again.
    mutating func set(of objects: [NSManagedObject]) -> Set<NSManagedObject> {
        for known in made where Self.isSame(known.objects, objects) { return known.set }
        let set = Self.made(of: objects)
        made.append((objects, set))
        return set
    }

    static func made(of objects: [NSManagedObject]) -> Set<NSManagedObject> {
        var set = Set<NSManagedObject>(minimumCapacity: objects.count)
        // The result of `insert` would count another reference to the object.
        objects.eachAhead { set.update(with: $0) }
        return set
    }

    /// Compares two lists by their bytes: a loop would retain and release each object.
    static func isSame(_ first: [NSManagedObject], _ second: [NSManagedObject]) -> Bool {
        if first.count != second.count { return false }
        return first.withUnsafeBytes { first in
            second.withUnsafeBytes { second in
                guard let these = first.baseAddress, let those = second.baseAddress else { return true }
                return these == those || memcmp(these, those, first.count) == 0
            }
        }
    }
}
