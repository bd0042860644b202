import Foundation

extension NSManagedObjectContext {
    /// Whether trackings of Observation see the objects of the context; false by default.
    ///
    /// With it, `withObservationTracking(_:onChange:)` and `Observations` follow each property that is read from an
    /// object of this context. `onChange` runs before the change, on the context's queue. It may read, change and save
    /// objects. A merge, a save, an undo or the like informs at its end, and objects show their former values until
    /// then. A property that keeps its value informs nothing, and a fetched property never does.
    ///
    /// Set it before the first object exists, or on the context's queue. Child contexts have a setting of their own.
    ///
    /// OpenCoreData only.
    public final var observesProperties: Bool {
        get {
            checkConfinementOnceUsed()
            return settings.observation?.tracksReads ?? false
        }
        set {
            checkConfinementOnceUsed()
            if newValue == settings.observation?.tracksReads ?? false { return }
            beginObserving().tracksReads = newValue
            for object in identityMaps.flatMap({ $0?.objects ?? [] }) {
                if newValue { object.flags.insert(.tracksReads) } else { object.flags.remove(.tracksReads) }
            }
        }
    }

    /// The table of the context's observed objects, made on first need.
    final func beginObserving() -> ObservedObjects {
        if let known = settings.observation { return known }
        let new = ObservedObjects()
        new.context = self
        settings.observation = new
        for binding in bindings { binding?.observation = new }
        return new
    }

    /// Runs an operation that may change any object, and informs the observers of those that it changed.
    @inline(__always)
    final func observed<Result>(_ operation: () throws -> Result) rethrows -> Result {
        guard let observation = settings.observation else { return try operation() }
        return try observation.during(operation, of: self)
    }
}

extension ManagedObjectContextClass where Self: NSManagedObjectContext {
    /// Observes whether the context has changes: calls a handler after each change of `hasChanges`.
    ///
    /// The handler is called on the context's queue. Another key path than `\.hasChanges` stops the process. The
    /// observation does not keep the context. Call it on the context's queue.
    ///
    /// - Parameters:
    ///   - keyPath: `\.hasChanges`.
    ///   - options: What the handler gets.
    ///   - changeHandler: Gets the context and the change.
    /// - Returns: The observation, which ends when it is released.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swift/using-key-value-observing-in-swift)
    public func observe(
        _ keyPath: KeyPath<Self, Bool>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Bool>) -> Void
    ) -> NSKeyValueObservation {
        checkConfinement("observing")
        require(
            keyPath == \Self.hasChanges || keyPath as AnyKeyPath == \NSManagedObjectContext.hasChanges,
            "Cannot observe the key path \(keyPath) of \(debugName); only 'hasChanges' of a context can be observed")
        let observer = KeyValueObserver(
            of: self, options: options, read: { unsafeDowncast($0, to: Self.self).hasChanges },
            handler: { changeHandler(unsafeDowncast($0, to: Self.self), $1.typed(Bool.self)) })
        beginObserving().addObserverOfChanges(observer, with: hasChanges)
        observer.reportInitially()
        return NSKeyValueObservation { observer.end() }
    }
}
