import Foundation

/// An observation of a managed object's property, with the objects and keys on which the value depends.
final class PropertyObserver: KeyValueObserver {
    /// The key paths that affect the value, from the observed object.
    fileprivate let paths: [[String]]
    /// The objects to which relationships lead, and which have an attachment to this observer. They are kept, because
    /// another object could stand for the row later.
    private let attached = Locked<[NSManagedObject]>([])

    init(
        of root: NSManagedObject, paths: [[String]], options: NSKeyValueObservingOptions,
        read: @escaping (AnyObject) -> Any, handler: @escaping (AnyObject, Report) -> Void
    ) {
        self.paths = paths
        super.init(of: root, options: options, read: read, handler: handler)
    }

    /// Attaches the observer to the objects to which the paths lead now.
    func attach() {
        detach()
        guard let root = root as? NSManagedObject, !isEnded else { return }
        var seen: Set<String> = []
        for path in paths { attach(path[...], to: root, &seen) }
    }

    func detach() {
        for object in takeAttached() { remove(from: object) }
        if let root = root as? NSManagedObject { remove(from: root) }
    }

    private func takeAttached() -> [NSManagedObject] {
        attached.withLock { attached in
            defer { attached = [] }
            return attached
        }
    }

    override func end() {
        super.end()
        // The objects end outside of the lock.
        withExtendedLifetime(takeAttached()) {}
    }

    private func remove(from object: NSManagedObject) {
        object.binding.observation?.record(of: object)?.observers.removeAll { $0.observer === self }
    }

    private func attach(_ path: ArraySlice<String>, to object: NSManagedObject, _ seen: inout Set<String>) {
        let place = "\(ObjectIdentifier(object).hashValue) \(path.joined(separator: "."))"
        guard let key = path.first, seen.insert(place).inserted else { return }
        let record = object.beginObserving().ensureRecord(of: object)
        record.observers.removeAll { $0.observer.isEnded }
        if !record.observers.contains(where: { $0.observer === self && $0.key == key }) {
            record.observers.append(ObservedObject.Attachment(key: key, observer: self))
        }
        if object !== root {
            attached.withLock { attached in
                if !attached.contains(where: { $0 === object }) { attached.append(object) }
            }
        }
        for other in type(of: object).keyPathsForValuesAffectingValue(forKey: key) where other != key {
            attach(KeyValuePath(other).keys[...], to: object, &seen)
        }
        guard path.count > 1 else { return }
        switch object.binding.layout.access[key] {
        case .toOne(let slot):
            if let next = object.referencedObject(at: slot) { attach(path.dropFirst(), to: next, &seen) }
        case .toMany, .fetched:
            require(
                false,
                """
                Cannot observe the key path '\(path.joined(separator: "."))' of entity '\(object.binding.layout.name)', \
                because it leads through the collection '\(key)'
                """)
        case .attribute, .composite, nil: break
        }
    }
}

/// A change of which an observer is to be informed.
final class KeyValueNotice {
    let observer: PropertyObserver
    /// The keys that the observer follows in the object that changes.
    private(set) var keys: Set<String>
    private let members: ObservedObjects.MemberChange?
    private var old: Any?
    private var isBegun = false

    private init(_ observer: PropertyObserver, _ key: String, _ members: ObservedObjects.MemberChange? = nil) {
        self.observer = observer
        keys = [key]
        self.members = members
    }

    /// The notices of a change by the program.
    static func gather(_ changes: [(ObservedObjects.Change, ObservedObject)]) -> [KeyValueNotice] {
        var notices: [KeyValueNotice] = []
        for (change, record) in changes where !record.observers.isEmpty {
            let keys = change.object.binding.layout.observedKeys(of: change.place)
            for attachment in record.observers where keys.contains(attachment.key) {
                let isKnown = notices.contains { $0.observer === attachment.observer }
                // A change of members is reported as one if the observer follows the relationship itself.
                let isOwn = attachment.observer.root === change.object && attachment.observer.follows(attachment.key)
                if !isKnown {
                    notices.append(KeyValueNotice(attachment.observer, attachment.key, isOwn ? change.members : nil))
                }
            }
        }
        return notices
    }

    /// The notices of a change of one key.
    static func gather(_ record: ObservedObject, key: String) -> [KeyValueNotice] {
        record.observers.filter { $0.key == key }.map { KeyValueNotice($0.observer, key) }
    }

    /// The notices of an operation that may change any key. They take the old values now.
    static func gather(_ record: ObservedObject) -> [KeyValueNotice] {
        var notices: [KeyValueNotice] = []
        for attachment in record.observers {
            if let known = notices.first(where: { $0.observer === attachment.observer }) {
                known.keys.insert(attachment.key)
                continue
            }
            let notice = KeyValueNotice(attachment.observer, attachment.key)
            notice.takeOld()
            notices.append(notice)
        }
        return notices
    }

    private func takeOld() {
        guard observer.options.contains(.old), !observer.isEnded else { return }
        if let members {
            old = members.joins ? nil : observer.collection(of: members.objects)
        } else {
            old = observer.present
        }
    }

    func willChange() {
        takeOld()
        reportPrior()
    }

    private func reportPrior() {
        isBegun = true
        guard observer.options.contains(.prior) else { return }
        observer.report(
            KeyValueObserver.Report(kind: kind, old: old, indexes: members?.indexes, isPrior: true))
    }

    func didChange() {
        if observer.isEnded { return }
        if !isBegun { reportPrior() }
        observer.attach()
        var new: Any?
        if observer.options.contains(.new) {
            if let members {
                new = members.joins ? observer.collection(of: members.objects) : nil
            } else {
                new = observer.present
            }
        }
        observer.report(KeyValueObserver.Report(kind: kind, new: new, old: old, indexes: members?.indexes))
    }

    private var kind: NSKeyValueChange {
        members.map { $0.joins ? .insertion : .removal } ?? .setting
    }
}

extension PropertyObserver {
    /// Whether the observed property is the one of a key.
    func follows(_ key: String) -> Bool { paths.count == 1 && paths[0] == [key] }

    /// Some members, in the form in which the relationship has its members.
    func collection(of objects: [NSManagedObject]) -> Any {
        guard let value = present else { return NSSet.ofManagedObjects(objects) }
        // An optional value is unwrapped here.
        if (value as AnyObject) is NSOrderedSet { return NSOrderedSet(array: objects) }
        if value is Set<NSManagedObject> { return Set(objects) }
        return NSSet.ofManagedObjects(objects)
    }
}
