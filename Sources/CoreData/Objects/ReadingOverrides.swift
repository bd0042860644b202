/// The classes of objects that override the reading of keys.
enum ReadingOverrides {
    static func reading(_ type: NSManagedObject.Type) -> Bool {
        type != NSManagedObject.self && place.isOverridden(by: type)
    }

    private static let place = VTableSlot(
        in: NSManagedObject.self, same: NothingOverridden.self, other: ReadingOverridden.self)

    private final class NothingOverridden: NSManagedObject {}
    private final class ReadingOverridden: NSManagedObject {
        override func value(forKey key: String) -> Any? { nil }
    }
}
