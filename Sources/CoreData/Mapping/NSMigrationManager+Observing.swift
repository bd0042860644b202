import Foundation

extension NSMigrationManager {
    /// Observes the progress of migrations: calls a handler after each change of `migrationProgress`.
    ///
    /// The handler is called on the thread that migrates, some forty times a second at most. Another key path than
    /// `\.migrationProgress` stops the process. The observation does not keep the manager. Any thread may call it.
    ///
    /// - Parameters:
    ///   - keyPath: `\.migrationProgress`.
    ///   - options: What the handler gets.
    ///   - changeHandler: Gets the manager and the change.
    /// - Returns: The observation, which ends when it is released.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swift/using-key-value-observing-in-swift)
    public final func observe(
        _ keyPath: KeyPath<NSMigrationManager, Float>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (NSMigrationManager, NSKeyValueObservedChange<Float>) -> Void
    ) -> NSKeyValueObservation {
        require(
            keyPath == \NSMigrationManager.migrationProgress,
            "Cannot observe the key path \(keyPath) of a migration manager; only 'migrationProgress' can be observed")
        let observer = KeyValueObserver(
            of: self, options: options,
            read: { unsafeDowncast($0, to: NSMigrationManager.self).migrationProgress },
            handler: { changeHandler(unsafeDowncast($0, to: NSMigrationManager.self), $1.typed(Float.self)) })
        progressObservers.withLock { observers in
            observers.all.removeAll { $0.isEnded }
            if observers.all.isEmpty { observers.known = migrationProgress }
            observers.all.append(observer)
        }
        observer.reportInitially()
        return NSKeyValueObservation { observer.end() }
    }

    /// The observers of the progress, and the value that they know.
    struct ProgressObservers {
        var all: [KeyValueObserver] = []
        var known: Float = 0
    }

    /// Informs the observers of the progress if it has another value.
    final func noteProgress() {
        let (observers, old, new) = progressObservers.withLock { observers in
            let (old, new) = (observers.known, migrationProgress)
            observers.known = new
            return (old == new ? [] : observers.all, old, new)
        }
        for observer in observers { observer.tell(self, from: old, to: new) }
    }
}
