import Foundation

/// One observation of an object's property. Used where the object is used.
class KeyValueObserver {
    /// A change, with values of any type.
    struct Report {
        var kind = NSKeyValueChange.setting
        var new: Any?
        var old: Any?
        var indexes: IndexSet?
        var isPrior = false

        func typed<Value>(_ type: Value.Type) -> NSKeyValueObservedChange<Value> {
            NSKeyValueObservedChange(
                kind: kind, newValue: new.flatMap { $0 as? Value }, oldValue: old.flatMap { $0 as? Value },
                indexes: indexes, isPrior: isPrior)
        }
    }

    let options: NSKeyValueObservingOptions
    weak var root: AnyObject?
    private let read: (AnyObject) -> Any
    /// Nil after the end: what it captures may lead back to the object.
    private let handler: Locked<((AnyObject, Report) -> Void)?>

    init(
        of root: AnyObject, options: NSKeyValueObservingOptions, read: @escaping (AnyObject) -> Any,
        handler: @escaping (AnyObject, Report) -> Void
    ) {
        self.root = root
        self.options = options
        self.read = read
        self.handler = Locked(handler)
    }

    var isEnded: Bool { handler.withLock { $0 == nil } }

    /// Ends the observation. May be called on any thread.
    func end() {
        // The handler ends outside of the lock.
        let last = handler.withLock { handler in
            defer { handler = nil }
            return handler
        }
        withExtendedLifetime(last) {}
    }

    /// The property's value as it is now.
    var present: Any? { root.map(read) }

    func report(_ report: Report) {
        guard let root, let handler = handler.withLock({ $0 }) else { return }
        handler(root, report)
    }

    func reportInitially() {
        if options.contains(.initial) { report(Report(new: options.contains(.new) ? present : nil)) }
    }

    /// Reports a change whose values the caller knows.
    func tell(_ root: AnyObject, from old: Any, to new: Any) {
        let known = options.contains(.old) ? old : nil
        if options.contains(.prior) { report(Report(old: known, isPrior: true)) }
        report(Report(new: options.contains(.new) ? new : nil, old: known))
    }
}
