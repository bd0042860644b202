/// The objects that policies made by themselves, kept alive until the migration ends.
///
/// A policy searches the registered objects for those that an earlier policy made, as with Apple's manager. There the
/// context keeps them. Here a context releases a saved object without another strong reference.
struct ObjectsOfPolicies {
    /// The number of objects that stay in memory. If there are more, the older half is released.
    static let most = 100_000

    private var made: [NSManagedObject] = []
    /// The objects that the framework has made in the present batch, by temporary keys. The associations lead to them.
    private var ofFramework: Set<Int64> = []

    mutating func noteOfFramework(_ object: NSManagedObject) { ofFramework.insert(object.key) }

    /// Keeps objects before they are saved.
    mutating func hold(_ inserted: [NSManagedObject]) {
        made += inserted.filter { !ofFramework.contains($0.key) }
        if made.count > Self.most { made.removeFirst(made.count / 2) }
    }

    mutating func endBatch() { ofFramework = [] }
}
