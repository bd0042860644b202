import Foundation
import Observation

/// What a context keeps of an object whose properties a program observes. Used on the queue of the object's context.
final class ObservedObject {
    private(set) weak var object: NSManagedObject?
    /// Made when a property is tracked for the first time.
    private(set) var registrar: ObservationRegistrar?
    /// The places that were read during a tracking.
    private(set) var tracked = SlotMask()
    /// The places whose observers are being informed. Observation ends a tracking only after its `onChange`, which may
    /// change the same property.
    private var informing = SlotMask()
    /// The observers of keys.
    var observers: [Attachment] = []
    /// The changes that `willChangeValue(forKey:)` has begun, by key.
    var begun: [String: [[KeyValueNotice]]] = [:]
    /// The values of an object that has become a fault, as its observers know them.
    var known: ObservedValues?
    /// The values before the change of which observers are being notified.
    var former: ObservedValues?

    /// An observer of key-value observing, and the key of the object that it follows.
    struct Attachment {
        let key: String
        let observer: PropertyObserver
    }

    init(_ object: NSManagedObject) { self.object = object }

    func ensureRegistrar() -> ObservationRegistrar {
        if let registrar { return registrar }
        let new = ObservationRegistrar()
        registrar = new
        return new
    }

    func track(_ place: Int) { tracked.insert(place) }

    /// The places whose values have to be compared.
    func places(_ layout: EntityLayout) -> [Int] {
        var places = tracked
        for attachment in observers {
            for place in layout.observedPlaces(ofKey: attachment.key) { places.insert(place) }
        }
        var result: [Int] = []
        places.forEach { result.append($0) }
        return result
    }

    func willSet(_ place: Int, of object: NSManagedObject) {
        guard let registrar, tracked.contains(place), !informing.contains(place) else { return }
        informing.insert(place)
        registrar.willSet(object, keyPath: ObservedPlaces.keyPath(place))
        informing.remove(place)
    }

    func didSet(_ place: Int, of object: NSManagedObject) {
        guard let registrar, tracked.contains(place) else { return }
        registrar.didSet(object, keyPath: ObservedPlaces.keyPath(place))
    }
}
