/// The engines of the framework's own stores, by the types of stores.
enum StoreEngines {
    private static let all: [any StoreEngine] = [SQLiteEngine()]

    /// The engine of a type; nil for types of programs' own, and for those that nobody has.
    static func engine(for type: String) -> (any StoreEngine)? {
        all.first { $0.types.contains(type) }
    }

    /// The engine that an open store is one of.
    static func engine(of store: NSPersistentStore) -> (any StoreEngine)? { all.first { $0.owns(store) } }

    /// The engine of a type, for what lies at an address; that of SQLite's files for a type that nobody has.
    static func fileEngine(for type: String = NSSQLiteStoreType) -> any StoreEngine {
        engine(for: type) ?? SQLiteEngine()
    }

    /// The class of the stores of each type.
    static var storeClasses: [String: NSPersistentStore.Type] {
        Dictionary(all.flatMap { engine in engine.types.map { ($0, engine.storeClass) } }) { first, _ in first }
    }
}
