import CoreData
import Testing

@Suite("Observers by a method of theirs")
struct NotificationObserverTests {
    private class Listener {
        var heard: [String] = []

        func saved(_ notification: Notification) { heard.append("saved \(notification.name.rawValue)") }
        func old(_ notification: NSNotification) { heard.append("old \(notification.name.rawValue)") }
        func plain() { heard.append("plain") }

        func begin(_ center: NotificationCenter, object: Any? = nil) {
            center.addObserver(self, selector: Listener.saved(_:), name: Self.name, object: object)
            center.addObserver(self, selector: Listener.old(_:), name: Self.other, object: nil)
            center.addObserver(self, selector: Listener.plain, name: Self.other, object: nil)
        }

        static let name = Notification.Name("a"), other = Notification.Name("b")
    }

    private class LoudListener: Listener {
        override func saved(_ notification: Notification) { heard.append("loud") }
        deinit { NotificationCenter.default.removeObserver(self) }
    }

    private let center = NotificationCenter()

    @Test("A method is called for its name and object, an override for the method that it overrides")
    func calls() {
        let (listener, loud, object) = (Listener(), LoudListener(), NSObject())
        listener.begin(center, object: object)
        loud.begin(center)
        center.post(name: Listener.name, object: object)
        center.post(name: Listener.name, object: nil)
        #expect(listener.heard == ["saved a"] && loud.heard == ["loud", "loud"])
        center.post(name: Listener.other, object: nil)
        #expect(Set(listener.heard.dropFirst()) == ["old b", "plain"])
    }

    @Test("A selector is a value: it is kept, and given later")
    func kept() {
        let listener = Listener()
        let selector = Listener.saved(_:)
        center.addObserver(listener, selector: selector, name: nil, object: nil)
        center.post(name: Listener.other, object: nil)
        #expect(listener.heard == ["saved b"])
    }

    @Test("Removed observers hear nothing: all, or those of a name and an object")
    func removed() {
        let (listener, object) = (Listener(), NSObject())
        listener.begin(center, object: object)
        listener.begin(center)
        center.removeObserver(listener, name: Listener.name, object: object)
        center.post(name: Listener.name, object: object)
        #expect(listener.heard == ["saved a"])
        center.removeObserver(listener, name: Listener.other, object: nil)
        center.post(name: Listener.other, object: nil)
        #expect(listener.heard == ["saved a"])
        NotificationCenter.default.removeObserver(listener)
        center.post(name: Listener.name, object: nil)
        #expect(listener.heard.count == 2)
        center.removeObserver(listener)
        center.post(name: Listener.name, object: nil)
        #expect(listener.heard.count == 2)
    }

    @Test("Observers are not retained, and many that are gone leave nothing")
    func gone() {
        weak var last: Listener?
        for _ in 0..<300 {
            let listener = LoudListener()
            listener.begin(center)
            last = listener
        }
        #expect(last == nil)
        let listener = Listener()
        listener.begin(center)
        center.post(name: Listener.name, object: nil)
        #expect(listener.heard == ["saved a"])
    }

    @Test("Observers by closures are removed as before")
    func closures() {
        nonisolated(unsafe) let counter = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        counter.initialize(to: 0)
        defer { counter.deallocate() }
        let tokens = (0..<2).map { _ in
            center.addObserver(forName: Listener.name, object: nil, queue: nil) { _ in counter.pointee += 1 }
        }
        center.post(name: Listener.name, object: nil)
        #expect(counter.pointee == 2)
        tokens.forEach(center.removeObserver)
        center.removeObserver(tokens[0])
        center.post(name: Listener.name, object: nil)
        #expect(counter.pointee == 2)
        let remove: (Any) -> Void = center.removeObserver
        remove(tokens[1])
    }
}
