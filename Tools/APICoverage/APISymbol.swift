/// One name of the interface: what has to be found in the built module.
public struct APISymbol: Hashable, Sendable {
    /// The full name with argument labels: `NSManagedObject.value(forKey:)`; a global has no owner.
    public let path: String
    /// Whether it is a member of the type (`class`, `static`); nil where the text leaves that open.
    public let isStatic: Bool?
    /// Whether an `async` form is meant.
    public let isAsync: Bool

    public init(_ path: String, isStatic: Bool? = nil, isAsync: Bool = false) {
        self.path = path
        self.isStatic = isStatic
        self.isAsync = isAsync
    }
}

extension APISymbol: CustomStringConvertible {
    public var description: String { isAsync ? "\(path) async" : path }
}
