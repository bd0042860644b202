/// The objects that policies made by themselves, kept alive until the migration ends.
///
/// A policy looks among the registered objects for those that an earlier one made, as it can with Apple's manager.
/// There the context keeps them; here a saved object that nobody holds is gone.
struct ObjectsOfPolicies {
    /// The number of objects that stay in memory; of more, the older half is released.
    static let most = 100_000

    private var made: [NSManagedObject] = []
    /// Objects that the framework has made in the present batch, by temporary keys: the associations lead to them.
    private var ofFramework: Set<Int64> = []

    mutating func noteOfFramework(_ object: NSManagedObject) { ofFramework.insert(object.key) }

    /// Takes in objects before they are saved.
    mutating func hold(_ inserted: [NSManagedObject]) {
        made += inserted.filter { !ofFramework.contains($0.key) }
        if made.count > Self.most { made.removeFirst(made.count / 2) }
    }

    mutating func endBatch() { ofFramework = [] }
}
