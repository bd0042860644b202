import Foundation

/// A record of a file that is read and written completely.
///
/// Its values are in a dictionary of Swift. Foundation's dictionaries copy data byte by byte whenever they return it,
/// which takes 60 ms for a megabyte, and bridge other values.
final class RecordNode: NSAtomicStoreCacheNode, @unchecked Sendable {  // written under the store's lock only
    private var values: [String: Any] = [:]

    /// A copy of the values: a program changes nodes of its own stores alone.
    override var propertyCache: NSMutableDictionary? {
        get { values.isEmpty ? nil : NSMutableDictionary(dictionary: values) }
        set { values = newValue as? [String: Any] ?? [:] }
    }

    override func heldValue(forKey key: String) -> Any? { values[key] }

    override func setValue(_ value: Any?, forKey key: String) { values[key] = value }

    override func restoration() -> () -> Void {
        let values = values
        return { self.values = values }
    }
}
