import Foundation

// In the protocol's extension, so that the handler gets an object of the very class.
extension ManagedObjectClass where Self: NSManagedObject {
    /// Observes a property: calls a handler after each change.
    ///
    /// The object need not belong to a context that observes properties. The handler is called on the queue of the
    /// object's context: after an assignment, also of an equal value, and after an operation such as a merge or an undo
    /// that gave the property another value. Setters of the program's own report by
    /// ``NSManagedObject/willChangeValue(forKey:)`` and ``NSManagedObject/didChangeValue(forKey:)``; a primitive setter
    /// alone reports nothing.
    ///
    /// A key path may lead through to-one relationships. One through a to-many relationship stops the process. A
    /// computed property changes when a property changes that its getter reads, or that
    /// ``NSManagedObject/keyPathsForValuesAffectingValue(forKey:)`` names. The observation does not keep the object.
    ///
    /// Call it on the queue of the object's context.
    ///
    /// - Parameters:
    ///   - keyPath: A key path that begins with a property of the object.
    ///   - options: What the handler gets.
    ///   - changeHandler: Gets the object and the change.
    /// - Returns: The observation, which ends when it is released.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swift/using-key-value-observing-in-swift)
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        checkConfinement("observing")
        let observer = PropertyObserver(
            of: self,
            paths: ObservedKeyPaths.paths(
                of: keyPath, in: self, ofDeletion: keyPath as AnyKeyPath == \Self.isDeleted as AnyKeyPath),
            options: options,
            read: { unsafeDowncast($0, to: Self.self)[keyPath: keyPath] },
            handler: { changeHandler(unsafeDowncast($0, to: Self.self), $1.typed(Value.self)) })
        observer.attach()
        observer.reportInitially()
        return NSKeyValueObservation {
            observer.end()
        }
    }
}

/// The keys behind a Swift key path that is to be observed.
enum ObservedKeyPaths {
    /// The paths on which the value depends.
    ///
    /// - Parameter ofDeletion: Whether the key path is that of `isDeleted`.
    static func paths(of keyPath: AnyKeyPath, in object: NSManagedObject, ofDeletion: Bool) -> [[String]] {
        if ofDeletion { return [["isDeleted"]] }
        if let name = keyPath.managedKeyPath { return [KeyValuePath(name).keys] }
        let read = KeyPathRecording.paths(readBy: keyPath, from: type(of: object))
        let named = NamedMethods.affectedKeys(of: type(of: object)).filter { name in
            let other = KeyPathRecording.paths(readFrom: type(of: object)) { _ = $0.valueByName(forKey: name) }
            return !other.isEmpty && other == read
        }
        let stored = KeyPathNames.storedName(of: keyPath).map { [$0] } ?? []
        let paths = read.sorted().map { KeyValuePath($0).keys } + (named + stored).map { KeyValuePath($0).keys }
        require(
            !paths.isEmpty,
            """
            Cannot observe the key path \(keyPath) of entity '\(object.binding.layout.name)', because it reads no \
            property of the model
            """)
        return paths
    }
}

extension NSManagedObject {
    /// Informs observers of keys before a change of a hand-written setter.
    final func observersWillChange(_ key: String) {
        guard let observation = binding.observation, let record = observation.record(of: self),
            observation.informsByHand(key, self)
        else { return }
        let notices = KeyValueNotice.gather(record, key: key)
        record.begun[key, default: []].append(notices)
        for notice in notices { notice.willChange() }
    }

    /// Informs observers of keys after a change of a hand-written setter.
    final func observersDidChange(_ key: String) {
        guard let record = binding.observation?.record(of: self), let notices = record.begun[key]?.popLast() else {
            return
        }
        if record.begun[key]?.isEmpty == true { record.begun[key] = nil }
        for notice in notices { notice.didChange() }
    }
}
