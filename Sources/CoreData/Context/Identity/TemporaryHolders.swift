/// The keys of objects that may lead to temporary keys. Keys are noted often and read seldom, so a key may be in the
/// list several times.
struct TemporaryHolders {
    private(set) var keys: [ObjectKey] = []
    private var limit = Self.smallestLimit

    private static let smallestLimit = 1_024

    mutating func insert(_ key: ObjectKey) {
        keys.append(key)
        if keys.count < limit { return }
        keys = Array(Set(keys))
        limit = max(Self.smallestLimit, 2 * keys.count)
    }

    mutating func removeAll() { self = Self() }
}
