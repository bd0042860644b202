import Foundation

/// The key paths by which registrars of Observation know the properties of managed objects.
///
/// A property has a place: an attribute or a to-one relationship that of its slot, a to-many relationship one after all
/// slots, and the deletion the last one. All entities share the key paths, because a registrar belongs to one object.
enum ObservedPlaces {
    typealias Path = KeyPath<NSManagedObject, ObservedPlace>

    // nonisolated(unsafe): the paths are not changed, and nothing reads what the arguments note.
    nonisolated(unsafe) private static let first: [Path] = (0..<128).map(make)
    private static let later = Locked<UncheckedSendable<[Int: Path]>>(UncheckedSendable([:]))

    private static func make(_ place: Int) -> Path { path(TrackingProbe.Argument(place)) }

    static func path(_ argument: TrackingProbe.Argument) -> Path { \NSManagedObject[observed: argument] }

    static func keyPath(_ place: Int) -> Path {
        if place < first.count { return first[place] }
        return later.withLock { paths in
            if let known = paths.value[place] { return known }
            let path = make(place)
            paths = UncheckedSendable(paths.value.merging([place: path]) { $1 })
            return path
        }
    }
}

/// A property of an object as a registrar of Observation knows it. It has no value.
struct ObservedPlace {}

extension NSManagedObject {
    final subscript(observed argument: TrackingProbe.Argument) -> ObservedPlace { ObservedPlace() }
}

extension EntityLayout {
    final func observedPlace(ofToMany index: Int) -> Int { slots.count + index }

    final var observedPlaceOfDeletion: Int { slots.count + toManys.count }

    /// The places of the values of a property. A fetched property has none, because only a fetch shows its changes.
    final func observedPlaces(of access: PropertyAccess) -> [Int] {
        switch access {
        case .attribute(let slot), .toOne(let slot): [slot]
        case .toMany(let index): [observedPlace(ofToMany: index)]
        case .composite(let composite): composite.slots
        case .fetched: []
        }
    }

    /// The places of the values of a key; none for a key that the entity does not have.
    final func observedPlaces(ofKey key: String) -> [Int] {
        if let access = access[key] { return observedPlaces(of: access) }
        return key == "isDeleted" ? [observedPlaceOfDeletion] : []
    }

    /// The place by which a registrar knows a value: the elements of a composite attribute fire as one.
    final func firingPlace(of place: Int) -> Int {
        for case .composite(let composite) in access.values where composite.slots.contains(place) {
            return composite.slots[0]
        }
        return place
    }

    /// The keys of key-value coding that lead to the value at a place.
    final func observedKeys(of place: Int) -> [String] {
        if place == observedPlaceOfDeletion { return ["isDeleted"] }
        if place >= slots.count { return [toManys[place - slots.count].relationship.name] }
        return access.keys.filter { observedPlaces(ofKey: $0).contains(place) }
    }
}
