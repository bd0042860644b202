import Foundation

// A new object takes over the layout of another model, or the values of another new object. Values keep their names.

extension NSManagedObject {
    /// Gives a new object that belongs to no context the layout of another model, which has an entity of the same name.
    /// The objects to which it is related move with it, and keep their values by name.
    ///
    /// - Parameter model: The model. An entity that it does not have stops the process.
    package final func move(to model: NSManagedObjectModel) {
        var graph: [NSManagedObject] = []
        var seen: Set<ObjectIdentifier> = []
        var waiting = [self]
        while let next = waiting.popLast() {
            guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
            graph.append(next)
            waiting += next.binding.relatedObjects.values.sorted { $0.key > $1.key }
        }
        let states = graph.map { $0.stateByName() }
        for object in graph { object.becomeEmpty(in: model) }
        for (object, state) in zip(graph, states) { object.takeAttributes(of: state) }
        for (object, state) in zip(graph, states) { object.takeRelationships(of: state) }
    }

    /// The values of a new object by the names of its slots and to-many relationships.
    private struct StateByName {
        var values: [String: SlotValue] = [:]
        var boxed: [String: Any?] = [:]
        var references: [String: NSManagedObject] = [:]
        var members: [String: [NSManagedObject]] = [:]
    }

    private func stateByName() -> StateByName {
        var state = StateByName()
        guard let overlay else { return state }
        let layout = binding.layout
        overlay.mask.forEach { slot in
            switch layout.slots[slot].role {
            case .attribute: state.values[layout.slots[slot].name] = overlay.values[slot]
            case .toOne: state.references[layout.slots[slot].name] = reference(at: slot).flatMap(related)
            case .companion, .order, .owner: break
            }
        }
        overlay.boxedChanges.forEach { state.boxed[layout.slots[$0].name] = .some(overlay.boxed[$0]) }
        for toMany in layout.toManys where !overlay.toManys.isEmpty && overlay.toManys[toMany.index] != nil {
            state.members[toMany.relationship.name] = memberObjects(of: toMany.index)
        }
        return state
    }

    /// Takes over the values of another new object, whose entity is that of this object or one below it. The other
    /// object has no relationships afterwards.
    package final func absorb(_ other: NSManagedObject) {
        let state = other.stateByName()
        other.forgetRelationships(of: state)
        other.forgetRelatedObjects()
        if other.binding.layout !== binding.layout { becomeObject(of: other.binding.layout) }
        takeAttributes(of: state)
        takeRelationships(of: state)
    }

    /// Gives a new object the layout of an entity below its own. The places of its values stay the same.
    private func becomeObject(of layout: EntityLayout) {
        let state = stateByName()
        forgetRelationships(of: state)
        if let context = binding.context {
            binding.identityMap?.unregister(self)
            move(to: context.binding(at: layout.index))
            binding.identityMap?.register(self)
        } else {
            move(
                to: EntityBinding(
                    context: nil, layout: layout, identityMap: nil, modelLayout: binding.modelLayout,
                    model: binding.model, managedClass: binding.managedClass))
        }
        layoutIdentifier = layout.identifier
        overlay = nil
        row = layout.defaultRow
        takeAttributes(of: state)
        takeRelationships(of: state)
    }

    private func forgetRelationships(of state: StateByName) {
        for name in state.references.keys {
            if case .toOne(let slot)? = binding.layout.access[name] { setReference(nil, at: slot) }
        }
        for name in state.members.keys {
            if case .toMany(let index)? = binding.layout.access[name] { setMembers([], of: index) }
        }
    }

    /// The objects without a context to which this one is related, by their keys. Objects to which it was related
    /// before are not among them.
    final var relatedNewObjects: [NSManagedObject] {
        let known = binding.relatedObjects.values.filter { $0.binding.context == nil }
        if known.isEmpty { return [] }
        let own = referencedKeys
        return known.filter { own.contains($0.objectKey) || $0.referencedKeys.contains(objectKey) }
            .sorted { $0.key < $1.key }
    }

    /// The keys of the objects to which the relationships of a new object lead.
    private var referencedKeys: Set<ObjectKey> {
        guard let overlay else { return [] }
        var keys: Set<ObjectKey> = []
        let layout = binding.layout
        overlay.mask.forEach { slot in
            if case .toOne = layout.slots[slot].role, let key = reference(at: slot) { keys.insert(key) }
        }
        for toMany in layout.toManys where !overlay.toManys.isEmpty && overlay.toManys[toMany.index] != nil {
            keys.formUnion(memberObjects(of: toMany.index).map(\.objectKey))
        }
        return keys
    }

    /// Leaves the objects with which an insertion would take this one along.
    private func forgetRelatedObjects() {
        for related in binding.relatedObjects.values where related.binding.context == nil {
            related.binding.relatedObjects[objectKey] = nil
        }
        if binding.context == nil, !binding.isShared { binding.relatedObjects = [:] }
    }

    private func becomeEmpty(in model: NSManagedObjectModel) {
        let modelLayout = model.layout
        guard let layout = modelLayout.layout(of: entity) else {
            fatalError("The entity '\(entity.name ?? "")' is not in the model to which an object of it is brought")
        }
        move(
            to: EntityBinding(
                context: nil, layout: layout, identityMap: nil, modelLayout: modelLayout, model: model,
                managedClass: binding.managedClass))
        layoutIdentifier = layout.identifier
        overlay = nil
        row = layout.defaultRow
    }

    private func takeAttributes(of state: StateByName) {
        for (slot, description) in binding.layout.slots.enumerated() {
            if let value = state.values[description.name], value.isNull || value.fits(description.kind) {
                setSlot(slot, to: value)
            }
            if let object = state.boxed[description.name], description.kind == .transformable {
                setBoxedValue(object, at: slot)
            }
        }
    }

    private func takeRelationships(of state: StateByName) {
        for (slot, description) in binding.layout.slots.enumerated() {
            guard case .toOne = description.role, let object = state.references[description.name] else { continue }
            setReference(object, at: slot)
        }
        for toMany in binding.layout.toManys {
            guard let objects = state.members[toMany.relationship.name], !objects.isEmpty else { continue }
            for object in objects { addMember(object, to: toMany.index) }
        }
    }
}

extension SlotValue {
    /// Whether a slot of a kind can hold the value.
    fileprivate func fits(_ kind: SlotKind) -> Bool {
        switch (self, kind) {
        case (.int, .integer), (.int, .boolean), (.double, .double), (.double, .float), (.double, .date),
            (.string, .string), (.string, .uri), (.data, .data), (.data, .transformable), (.uuid, .uuid),
            (.decimal, .decimal):
            true
        default: false
        }
    }
}
