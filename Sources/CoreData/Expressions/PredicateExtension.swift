import Foundation

/// What a module above adds to `#Predicate`: names of its types' properties, and constants of its types.
package protocol PredicateExtending: Sendable {
    /// The keys to which a key path of the module's types leads; "self" if it leads to the object. Nil for other types.
    func keys(of keyPath: AnyKeyPath) -> String?
    /// The constant that stands for a value of the module's types; nil for other values.
    func constant(of value: Any) -> Any?
}

package enum PredicateExtension {
    private static let installed = Locked<(any PredicateExtending)?>(nil)

    /// Installs an extension for the process.
    package static func install(_ new: any PredicateExtending) { installed.withLock { $0 = new } }

    static var current: (any PredicateExtending)? { installed.withLock { $0 } }
}
