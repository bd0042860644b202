import Foundation

// Observers by selector, with a method of the observer's class in place of the selector: `Stack.saved(_:)` where a Mac
// has `#selector(Stack.saved(_:))`. Foundation on Linux has only observers by closures.
extension NotificationCenter {
    /// Calls a method of an observer whenever a matching notification is posted.
    ///
    /// OpenCoreData only: on a Mac the selector is `#selector(Stack.saved(_:))`. The observer is not retained, and its
    /// method is not called after it is gone. The method runs on the thread that posts.
    ///
    /// - Parameters:
    ///   - observer: The observer.
    ///   - selector: A method of its class that takes a `Notification`, such as `Stack.saved(_:)`.
    ///   - name: The name of the notifications; nil stands for any name.
    ///   - object: The sender; nil stands for any sender.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/notificationcenter/addobserver(_:selector:name:object:))
    public func addObserver<Observer: AnyObject>(
        _ observer: Observer, selector: @escaping (Observer) -> (Notification) -> Void, name: Notification.Name?,
        object: Any?
    ) {
        ObserverTable.add(observer, to: self, name: name, object: object) { selector($0)($1) }
    }

    /// Calls a method of an observer that takes an `NSNotification`, whenever a matching notification is posted.
    ///
    /// OpenCoreData only. It is otherwise like the form with a `Notification`.
    ///
    /// - Parameters:
    ///   - observer: The observer.
    ///   - selector: A method of its class that takes an `NSNotification`.
    ///   - name: The name of the notifications; nil stands for any name.
    ///   - object: The sender; nil stands for any sender.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/notificationcenter/addobserver(_:selector:name:object:))
    public func addObserver<Observer: AnyObject>(
        _ observer: Observer, selector: @escaping (Observer) -> (NSNotification) -> Void, name: Notification.Name?,
        object: Any?
    ) {
        ObserverTable.add(observer, to: self, name: name, object: object) { selector($0)($1 as NSNotification) }
    }

    /// Calls a method of an observer that takes nothing, whenever a matching notification is posted.
    ///
    /// OpenCoreData only. It is otherwise like the form with a `Notification`.
    ///
    /// - Parameters:
    ///   - observer: The observer.
    ///   - selector: A method of its class without parameters.
    ///   - name: The name of the notifications; nil stands for any name.
    ///   - object: The sender; nil stands for any sender.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/notificationcenter/addobserver(_:selector:name:object:))
    public func addObserver<Observer: AnyObject>(
        _ observer: Observer, selector: @escaping (Observer) -> () -> Void, name: Notification.Name?, object: Any?
    ) {
        ObserverTable.add(observer, to: self, name: name, object: object) { observer, _ in selector(observer)() }
    }

    /// Ends all calls of an observer's methods.
    ///
    /// - Parameter observer: An observer, or a result of `addObserver(forName:object:queue:using:)`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/notificationcenter/removeobserver(_:))
    public func removeObserver(_ observer: AnyObject) {
        ObserverTable.remove(observer, from: self) { _ in true }
        removeObserver(observer as Any)
    }

    /// Ends calls of an observer's methods for a name and a sender.
    ///
    /// - Parameters:
    ///   - observer: An observer, or a result of `addObserver(forName:object:queue:using:)`.
    ///   - name: The name of the notifications; nil stands for any name.
    ///   - object: The sender; nil stands for any sender.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/notificationcenter/removeobserver(_:name:object:))
    public func removeObserver(_ observer: AnyObject, name: Notification.Name?, object: Any?) {
        let identifier = object.map { ObjectIdentifier($0 as AnyObject) }
        ObserverTable.remove(observer, from: self) {
            (name == nil || $0.name == name) && (identifier == nil || $0.object == identifier)
        }
        removeObserver(observer as Any, name: name, object: object)
    }
}

/// The closures that stand for the methods of observers.
private enum ObserverTable {
    struct Registration {
        weak var center: NotificationCenter?
        let name: Notification.Name?
        let object: ObjectIdentifier?
        let token: any NSObjectProtocol
    }

    private struct Entry {
        weak var observer: AnyObject?
        var registrations: [Registration] = []
    }

    /// An observer and its method.
    // @unchecked Sendable: as on a Mac, a program that posts on several threads needs observers that allow it.
    private struct Call<Observer: AnyObject>: @unchecked Sendable {
        weak var observer: Observer?
        let method: (Observer, Notification) -> Void
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// The number of entries above which the entries of observers that no longer exist are removed.
        var limit = 64
    }

    private static let state = Locked(State())

    static func add<Observer: AnyObject>(
        _ observer: Observer, to center: NotificationCenter, name: Notification.Name?, object: Any?,
        method: @escaping (Observer, Notification) -> Void
    ) {
        let call = Call(observer: observer, method: method)
        let token = center.addObserver(forName: name, object: object, queue: nil) { notification in
            if let observer = call.observer { call.method(observer, notification) }
        }
        let registration = Registration(
            center: center, name: name, object: object.map { ObjectIdentifier($0 as AnyObject) }, token: token)
        let gone = state.withLock { state in
            var gone = sweep(&state)
            let key = ObjectIdentifier(observer)
            // Another object may have been at this address.
            if let entry = state.entries[key], entry.observer == nil {
                gone += state.entries.removeValue(forKey: key)?.registrations ?? []
            }
            state.entries[key, default: Entry(observer: observer)].registrations.append(registration)
            return gone
        }
        drop(gone)
    }

    static func remove(
        _ observer: AnyObject, from center: NotificationCenter, where goes: (Registration) -> Bool
    ) {
        let gone = state.withLock { state in
            let key = ObjectIdentifier(observer)
            guard var entry = state.entries[key] else { return [Registration]() }
            let gone = entry.registrations.filter { $0.center === center && goes($0) }
            entry.registrations.removeAll { $0.center == nil || $0.center === center && goes($0) }
            state.entries[key] = entry.registrations.isEmpty ? nil : entry
            return gone
        }
        drop(gone)
    }

    /// Removes the entries of observers that no longer exist, each time the number of entries has doubled.
    private static func sweep(_ state: inout State) -> [Registration] {
        guard state.entries.count >= state.limit else { return [] }
        let gone = state.entries.filter { $0.value.observer == nil }
        for key in gone.keys { state.entries[key] = nil }
        state.limit = max(64, state.entries.count * 2)
        return gone.values.flatMap(\.registrations)
    }

    private static func drop(_ registrations: [Registration]) {
        for registration in registrations { registration.center?.removeObserver(registration.token as Any) }
    }
}
