import Foundation

/// The name of a class, by which an entity or a mapping model finds it.
///
/// A class inside other types has the name "Module.Outer.Class". The name of a private or generic class is valid for
/// this run of the program. Foundation's function of this name stops the process for all of them. Swift prefers this
/// one for subclasses of `NSObject`.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsstringfromclass(_:))
///
/// - Parameter aClass: a class; any thread may ask for its name.
/// - Returns: the name with its module, except for Foundation's classes.
public func NSStringFromClass(_ aClass: NSObject.Type) -> String {
    let name = _typeName(aClass, qualified: true)
    guard name.utf8.count(where: { $0 == UInt8(ascii: ".") }) > 1 || name.contains("<") else {
        // Foundation has names of its own for its classes. Its first answer takes some milliseconds, in which it lists
        // them, and it agrees on other classes at the top of a module.
        return name.hasPrefix("Foundation") ? Foundation.NSStringFromClass(aClass) : name
    }
    ManagedClassLookup.learn(aClass, named: name)
    return name
}
