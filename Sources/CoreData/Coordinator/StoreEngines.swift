import Foundation

/// The engines of the framework's stores, by the types of stores.
///
/// A separate product adds an engine by its name: stores of the type `X` are those of the class `XEngine` in the module
/// `CoreDataX`. The class is looked up when a caller passes the type.
package enum StoreEngines {
    private static let builtIn: [any StoreEngine] = [SQLiteEngine()]
    private static let ofProducts = Locked<[String: any StoreEngine]>([:])

    private static var all: [any StoreEngine] { builtIn + ofProducts.withLock { Array($0.values) } }

    /// The engine of a type; nil for types that programs registered, and for unknown types.
    static func engine(for type: String) -> (any StoreEngine)? {
        builtIn.first { $0.forms[type] != nil } ?? engineOfProduct(for: type)
    }

    /// The form of a type's stores; nil for unknown types.
    static func form(of type: String) -> StoreForm? { StoreClasses.form(of: type) ?? engine(for: type)?.forms[type] }

    /// The name of the product that would provide stores of a type; nil if no product can have the type.
    static func product(for type: String) -> String? {
        let isName = !type.isEmpty && type.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
        return isName ? "CoreData\(type)" : nil
    }

    /// The engine that a linked product provides for a type; nil if none does.
    package static func engineOfProduct(for type: String) -> (any StoreEngine)? {
        if let known = ofProducts.withLock({ $0[type] }) { return known }
        guard let product = product(for: type),
            let engine = ProductStoreEngines.made(byClass: "\(product).\(type)Engine"),
            engine.forms[type] != nil
        else { return nil }
        return ofProducts.withLock { engines in
            if let known = engines[type] { return known }
            engines[type] = engine
            return engine
        }
    }

    /// The type of the stores that a URL can lead to: a product's type by the URL's scheme, otherwise SQLite's.
    ///
    /// A product cannot declare its schemes itself. Its engine is made when a caller passes the type, and the type is
    /// the result of this method. No code of the product runs before that, and a class is found by its whole name only.
    package static func type(of url: URL) -> String {
        switch url.scheme {
        case "postgresql", "postgres": "PostgreSQL"
        default: NSSQLiteStoreType
        }
    }

    /// The engine of an open store.
    static func engine(of store: NSPersistentStore) -> (any StoreEngine)? { all.first { $0.owns(store) } }

    /// The engine of a type for the store at an address; that of SQLite's files for an unknown type.
    static func fileEngine(for type: String = NSSQLiteStoreType) -> any StoreEngine {
        engine(for: type) ?? SQLiteEngine()
    }

    /// The class of the stores of each type.
    static var storeClasses: [String: NSPersistentStore.Type] {
        Dictionary(all.flatMap { engine in engine.forms.keys.map { ($0, engine.storeClass) } }) { first, _ in first }
    }
}
