/// The methods of a module that the framework calls by their names.
///
/// On Apple's platforms validation, key-value coding and the expressions of mapping models find methods by their
/// selectors. Swift on Linux has no selectors. So each module has a list of its methods: a class with the name
/// `CoreDataNamedMethods`, which the framework finds by that name. The plugin `CoreDataModelPlugin` writes the class.
/// A module without the plugin may write it. The framework finds such a list at the first call by name of a method of a
/// class that the module declares.
///
/// OpenCoreData only.
public protocol NamedMethodList: AnyObject {
    /// The methods. The framework reads the list once.
    static var methods: [NamedMethod] { get }
}

/// A method of a class, with the name that it has in Objective-C.
///
/// | name | called by |
/// |---|---|
/// | `validateEmail:error:` | validation of the key `email` by `validateValue(_:forKey:)`, and so by a save |
/// | `words`, `getWords`, `isShort` | ``NSManagedObject/value(forKey:)``, for a key that the entity does not have |
/// | `setWords:` | ``NSManagedObject/setValue(_:forKey:)``, for such a key |
/// | any other | `FUNCTION($entityPolicy, "name:", …)`, of a policy or a subclass of the migration manager |
///
/// Subclasses have the methods of their superclasses. An override is called as in any other call.
///
/// OpenCoreData only.
public struct NamedMethod {
    let owner: AnyClass
    let name: String
    let body: (AnyObject, NamedArguments) throws -> Any?

    /// Creates an element of a list.
    ///
    /// - Parameters:
    ///   - owner: The class that declares the method.
    ///   - name: The name in Objective-C, with a colon for each argument.
    ///   - body: Calls the method of an object with the arguments, and returns its result. It is called on the queue of
    ///     the object.
    public init<Object: AnyObject>(
        of owner: Object.Type, _ name: String, _ body: @escaping (Object, NamedArguments) throws -> Any?
    ) {
        self.owner = owner
        self.name = name
        // The body is called only with objects of this class.
        self.body = { try body(unsafeDowncast($0, to: Object.self), $1) }
    }
}

/// The arguments with which a method is called by its name.
///
/// OpenCoreData only.
public struct NamedArguments {
    private let values: [Any?]
    /// Where the value lies that a validation checks.
    private let place: AutoreleasingUnsafeMutablePointer<AnyObject?>?

    init(_ values: [Any?]) {
        self.values = values
        place = nil
    }

    init(place: AutoreleasingUnsafeMutablePointer<AnyObject?>) {
        values = [place.pointee]
        self.place = place
    }

    /// Returns an argument as the type that the method takes.
    ///
    /// - Parameter index: The place of the argument, from 0.
    /// - Returns: The argument. Numbers, texts and the like are converted between the types of Swift and Foundation.
    /// - Throws: An error that names the types if the argument has another type.
    public func callAsFunction<Value>(_ index: Int) throws -> Value {
        let value = index < values.count ? values[index] : nil
        if let fit = value as? Value { return fit }
        if let value, let fit = (value as AnyObject) as? Value { return fit }
        throw UnfitArgument(index: index, given: value.map { "\(type(of: $0))" } ?? "nil", wanted: "\(Value.self)")
    }

    /// Lets a method of validation check a value, and replace it.
    ///
    /// - Parameter body: Calls the method with the value.
    /// - Throws: The error of the method, or an error that names the types if the value has another type.
    public func changing<Value>(_ body: (inout Value?) throws -> Void) throws {
        var value: Value? = try self(0)
        try body(&value)
        guard let place else { return }
        let new = value.map { $0 as AnyObject }
        // Bridging makes a new object of each value. An equal object is no change.
        if new === place.pointee || (new as? NSObject)?.isEqual(place.pointee) == true { return }
        place.pointee = new
    }

    /// Lets a method of validation check a value behind a pointer, and replace it.
    ///
    /// - Parameter body: Calls the method with the pointer, which is valid during the call.
    /// - Throws: The error of the method, or an error that names the types if the value has another type.
    public func pointing<Value>(_ body: (AutoreleasingUnsafeMutablePointer<Value?>) throws -> Void) throws {
        try changing { value in
            try withUnsafeMutablePointer(to: &value) { try body(AutoreleasingUnsafeMutablePointer($0)) }
        }
    }
}

/// A method that was called by its name takes another type.
struct UnfitArgument: Error, CustomStringConvertible {
    let index: Int
    let given: String
    let wanted: String

    var description: String { "Argument \(index + 1) is of the type \(given) and not \(wanted)." }
}
