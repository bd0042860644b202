import CoreData
import TestSupport
import Testing

@Suite("Parts that Foundation lacks here")
struct FoundationPiecesTests {
    @Test("An index path has a section and a row or item, to read and to change")
    func indexPaths() {
        var path = IndexPath(row: 3, section: 1)
        #expect(path == IndexPath(item: 3, section: 1))
        #expect(path == IndexPath(indexes: [1, 3]))
        #expect((path.section, path.row, path.item) == (1, 3, 3))
        path.section = 2
        path.row += 1
        #expect(path == IndexPath(row: 4, section: 2))
        path.item = 0
        #expect(path.row == 0)
        #expect(IndexPath(row: 9, section: 0) < IndexPath(row: 0, section: 1))
    }

    @Test("Bundle(for:) compiles, and is the same bundle for every class")
    func bundleOfClass() {
        #expect(Bundle(for: Node.self).bundleURL == Bundle(for: NSManagedObject.self).bundleURL)
    }

    @Test("A pool runs its block, and hands on its result and its error")
    func pools() {
        struct Failure: Error {}
        #expect(autoreleasepool { 42 } == 42)
        #expect(throws: Failure.self) { try autoreleasepool { throw Failure() } }
    }

    @Test("Notifications come as a sequence from the moment it is made, of the asked-for sender only")
    func notifications() async {
        let center = NotificationCenter()
        let name = Notification.Name("FoundationPiecesTests")
        let sender = Sender()
        let all = center.notifications(named: name)
        let some = center.notifications(named: name, object: sender)
        center.post(name: name, object: nil, userInfo: ["number": 1])
        center.post(name: name, object: sender, userInfo: ["number": 2])
        center.post(name: Notification.Name("another"), object: sender)
        var numbers: [Int?] = []
        for await notification in all {
            numbers.append(notification.userInfo?["number"] as? Int)
            if numbers.count == 2 { break }
        }
        #expect(numbers == [1, 2])
        let first = await some.first { _ in true }
        #expect(first?.userInfo?["number"] as? Int == 2)
    }

    @Test("Waiting for notifications ends with the task")
    func cancellation() async {
        let task = Task {
            var count = 0
            for await _ in NotificationCenter.default.notifications(named: Notification.Name("never posted")) {
                count += 1
            }
            return count
        }
        task.cancel()
        #expect(await task.value == 0)
    }

    @Test("An object without a model answers for its stored properties by name and by path")
    func keyValueReading() {
        let child = Node(name: "child", next: nil)
        let node = Node(name: "root", next: child)
        #expect(node.value(forKey: "name") as? String == "root")
        #expect(node.value(forKey: "next") as? Node === child)
        #expect(node.value(forKeyPath: "next.name") as? String == "child")
        #expect(child.value(forKeyPath: "next.name") == nil)
        #expect(NSArray(array: [node, child]).value(forKey: "name") as? [String] == ["root", "child"])
    }

    @Test("The user's defaults answer for their keys, and for none that is not there")
    func keyValueDefaults() throws {
        let name = "OpenCoreDataTests-\(UUID())"
        let defaults = try #require(UserDefaults(suiteName: name))
        defer { defaults.removePersistentDomain(forName: name) }
        let moment = Date(timeIntervalSinceReferenceDate: 1)
        defaults.set(moment, forKey: "note.last")
        #expect(defaults.value(forKey: "note.last") as? Date == moment)
        #expect(defaults.value(forKey: "other") == nil)
    }

    @Test("Arrays and sets of Foundation are filtered and sorted by predicates and sort descriptors")
    func collections() {
        let nodes = ["b", "c", "a"].map { Node(name: $0, next: nil) }
        let byName = [NSSortDescriptor(key: "name", ascending: true)]
        let notB = NSPredicate(format: "name != %@", "b")
        #expect(
            (NSArray(array: nodes).sortedArray(using: byName) as NSArray).value(forKey: "name") as? [String] == [
                "a", "b", "c",
            ])
        #expect(
            (NSSet(array: nodes).sortedArray(using: byName) as NSArray).value(forKey: "name") as? [String] == [
                "a", "b", "c",
            ])
        #expect(NSArray(array: nodes).filtered(using: notB).count == 2)
        #expect(NSSet(array: nodes).filtered(using: notB).count == 2)
    }
}

private final class Sender: Sendable {}

private final class Node: NSObject {
    let name: String
    let next: Node?
    init(name: String, next: Node?) {
        self.name = name
        self.next = next
    }
}
