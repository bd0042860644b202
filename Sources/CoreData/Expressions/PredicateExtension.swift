import Foundation

/// What a module above adds to `#Predicate`: names of its types' properties, constants of its types, and types whose
/// values a store keeps in several places.
package protocol PredicateExtending: Sendable {
    /// The keys to which a key path of the module's types leads; "self" if it leads to the object. Nil for other types.
    func keys(of keyPath: AnyKeyPath) -> String?
    /// The constant that stands for a value of the module's types; nil for other values.
    func constant(of value: Any) -> Any?
    /// The keys of the parts in which a store keeps a value of a type; nil for a type with one part.
    func parts(of type: any Any.Type) -> [String]?
    /// What the parts hold if the whole is equal to a value; nil if the parts do not decide it.
    func conditions(on value: Any) -> [PartCondition]?
    /// The entities of a class and of its subclasses; nil for other types.
    func entities(of type: any Any.Type) -> [NSEntityDescription]?
    /// Whether a store sorts values of a type as `<` does, and members of a collection as they are in memory.
    func hasOrderOfStore(_ type: any Any.Type) -> Bool
    /// Whether a store calculates with values of a type as the program does.
    func hasArithmeticOfStore(_ type: any Any.Type) -> Bool
    /// Whether a division of floating-point numbers by zero has to have the program's result, which no store has.
    var hasDivisionByZero: Bool { get }
}

/// A condition on one part of a value that a store keeps in several places.
package struct PartCondition {
    package enum Test {
        case equals(Any?)
        case isThere
    }

    package let key: String
    package let test: Test

    package init(_ key: String, _ test: Test) {
        self.key = key
        self.test = test
    }
}

package enum PredicateExtension {
    private static let installed = Locked<(any PredicateExtending)?>(nil)

    /// Installs an extension for the process.
    package static func install(_ new: any PredicateExtending) { installed.withLock { $0 = new } }

    static var current: (any PredicateExtending)? { installed.withLock { $0 } }
}
