import Foundation
import Observation

// Reads of properties that register with a tracking of Observation. Accessors come here in a context that observes
// properties, or when an object shows its former values.
extension NSManagedObject: Observable {
    /// The table of observed objects that has this object, made on first need.
    final func beginObserving() -> ObservedObjects {
        if let context = binding.context { return context.beginObserving() }
        if let known = binding.observation { return known }
        unshareBinding()
        let new = ObservedObjects()
        binding.observation = new
        return new
    }

    /// Takes the record along when the object moves to another context, or to none.
    @inline(never)
    final func moveObserving(to new: EntityBinding) {
        let old = binding.observation
        if new.observation == nil {
            new.observation = ObservedObjects()
            new.observation?.tracksReads = flags.contains(.tracksReads)
        }
        if let record = old?.remove(self) { new.observation?.add(record, of: self) }
    }

    /// The object's registrar, for an accessor that another module writes. It is made on first need.
    package final var observationRegistrar: ObservationRegistrar {
        beginObserving().ensureRecord(of: self).ensureRegistrar()
    }

    /// Lets reads of an object without a context register with trackings.
    package final func observeProperties() {
        beginObserving().tracksReads = true
        flags.insert(.tracksReads)
    }

    /// Registers a read of a property with the tracking that is under way, if there is one.
    package final func noteRead(ofKey key: String) {
        guard flags.contains(.tracksReads) else { return }
        let places = binding.layout.observedPlaces(ofKey: key)
        if let first = places.first { noteRead(at: first, with: places) }
    }

    /// Registers a read of the property at a place with the tracking that is under way, if there is one.
    ///
    /// - Parameter places: The places of all values that were read, if they are more.
    @inline(never)
    final func noteRead(at place: Int, with places: [Int] = []) {
        guard let observation = binding.observation else { return }
        let known = flags.contains(.watched) ? observation.record(of: self) : nil
        if let known, let registrar = known.registrar, known.tracked.contains(place) {
            return registrar.access(self, keyPath: ObservedPlaces.keyPath(place))
        }
        guard observation.tracksReads, !isRecorder,
            let registrar = observation.registrar(forReading: place, of: self, known: known?.registrar)
        else { return }
        let record = known ?? observation.ensureRecord(of: self)
        record.adopt(registrar)
        record.track(place)
        for place in places { record.track(place) }
    }

    @inline(__always)
    final func noteRead(ofToMany index: Int) {
        if flags.contains(.tracksReads) { noteRead(at: binding.layout.observedPlace(ofToMany: index)) }
    }

    /// The values that the object shows while observers are informed of a change that has been made.
    private final var former: ObservedValues? {
        guard let observation = binding.observation, observation.showsFormer, flags.contains(.watched) else {
            return nil
        }
        return observation.record(of: self)?.former
    }

    @inline(never)
    final func observedSlotValue(at slot: Int) -> SlotValue {
        noteRead(at: slot)
        if let former = former?.value(at: slot) { return former }
        return slotValue(at: slot)
    }

    @inline(never)
    final func observedDestination(at slot: Int) -> NSManagedObject? {
        noteRead(at: slot)
        if let former { return former.destination(at: slot) }
        return referencedObject(at: slot)
    }

    @inline(never)
    final func observedMembers(of index: Int) -> [NSManagedObject] {
        noteRead(ofToMany: index)
        if let members = former?.memberObjects(of: index) { return members }
        return memberObjects(of: index)
    }

    @inline(never)
    final func observedDeletion() -> Bool {
        noteRead(at: binding.layout.observedPlaceOfDeletion)
        if let former { return former.isDeleted }
        return flags.contains(.deleted) && !flags.contains(.gone)
    }

    /// The value of an attribute, whose read is registered already.
    private final func observedBoxedValue(at slot: Int) -> Any? {
        guard let former else { return boxedValue(at: slot) }
        let kind = binding.layout.slots[slot].kind
        if kind == .transformable { return former.object(at: slot) }
        return former.value(at: slot)?.boxed(as: kind)
    }

    /// The value of key-value coding.
    final func observedValue(by access: PropertyAccess) -> Any? {
        switch access {
        case .attribute(let slot):
            noteRead(at: slot)
            return observedBoxedValue(at: slot)
        case .toOne(let slot): return observedDestination(at: slot)
        case .toMany(let index):
            let objects = observedMembers(of: index)
            return binding.layout.toManys[index].isOrdered
                ? NSOrderedSet(array: objects) : NSSet.ofManagedObjects(objects)
        case .fetched(let property): return fetchedObjects(of: property)
        case .composite(let composite):
            if let first = composite.slots.first { noteRead(at: first, with: composite.slots) }
            return compositeValue(composite, observedBoxedValue)
        }
    }
}
