import Foundation
import Observation

/// What a context keeps of an object whose properties a program observes. Used on the queue of the object's context.
///
/// There may be one for each object, so it is small: a weak reference would take as many bytes again.
final class ObservedObject {
    private let pointer: UnsafeMutableRawPointer
    /// Made when a property is tracked for the first time.
    private(set) var registrar: ObservationRegistrar?
    /// The places that were read during a tracking.
    private(set) var tracked = SlotMask()
    private var rare: Rare?

    /// An observer of key-value observing, and the key of the object that it follows.
    struct Attachment {
        let key: String
        let observer: PropertyObserver
    }

    /// Values that few records have.
    private final class Rare {
        var informing = SlotMask()
        var observers: [Attachment] = []
        var begun: [String: [[KeyValueNotice]]] = [:]
        var known: ObservedValues?
        var former: ObservedValues?
    }

    init(_ object: NSManagedObject) { pointer = Unmanaged.passUnretained(object).toOpaque() }

    /// The object, unless it is ending. Called under the lock of the table, which the end of the object takes.
    func live() -> NSManagedObject? {
        tryRetain(pointer) ? Unmanaged<NSManagedObject>.fromOpaque(pointer).takeRetainedValue() : nil
    }

    private func ensureRare() -> Rare {
        if let rare { return rare }
        let new = Rare()
        rare = new
        return new
    }

    /// The observers of keys.
    var observers: [Attachment] {
        get { rare?.observers ?? [] }
        set { if rare != nil || !newValue.isEmpty { ensureRare().observers = newValue } }
    }

    /// The changes that `willChangeValue(forKey:)` has begun, by key.
    var begun: [String: [[KeyValueNotice]]] {
        get { rare?.begun ?? [:] }
        set { if rare != nil || !newValue.isEmpty { ensureRare().begun = newValue } }
    }

    /// The values of an object that has become a fault, as its observers know them.
    var known: ObservedValues? {
        get { rare?.known }
        set { if rare != nil || newValue != nil { ensureRare().known = newValue } }
    }

    /// The values before the change of which observers are being notified.
    var former: ObservedValues? {
        get { rare?.former }
        set { if rare != nil || newValue != nil { ensureRare().former = newValue } }
    }

    /// Takes the registrar by which a read was registered.
    func adopt(_ registrar: ObservationRegistrar) { if self.registrar == nil { self.registrar = registrar } }

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

    /// Informs the trackings of a property. Observation ends a tracking only after its `onChange`, which may change the
    /// same property.
    func informBefore(_ place: Int, of object: NSManagedObject) {
        guard let registrar, tracked.contains(place), rare?.informing.contains(place) != true else { return }
        let rare = ensureRare()
        rare.informing.insert(place)
        registrar.willSet(object, keyPath: ObservedPlaces.keyPath(place))
        rare.informing.remove(place)
    }

    func informAfter(_ place: Int, of object: NSManagedObject) {
        guard let registrar, tracked.contains(place) else { return }
        registrar.didSet(object, keyPath: ObservedPlaces.keyPath(place))
    }
}
