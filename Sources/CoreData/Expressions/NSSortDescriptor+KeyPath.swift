import Foundation

extension NSSortDescriptorByKey where Self: NSSortDescriptor {
    /// Creates a sort descriptor for a property that need not be `Comparable`, such as an optional one.
    ///
    /// For `Comparable` values the initialiser is Foundation's; a fetch finds the property's name in its key path.
    /// Stops the process if the key path leads to anything else than modelled properties.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - ascending: Whether small values come first.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nssortdescriptor/init(keypath:ascending:))
    public init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        self.init(
            key: KeyPathNames.requiredName(of: keyPath, for: "NSSortDescriptor(keyPath:ascending:)"),
            ascending: ascending)
    }

    /// Creates a sort descriptor from a Swift sort descriptor, for a fetch.
    ///
    /// Strings are compared as its comparator says: `.lexical` by their characters, `.localized` and
    /// `.localizedStandard` by the current locale. Stops the process if its key path leads to anything else than
    /// modelled properties.
    ///
    /// - Parameter sortDescriptor: The sort descriptor of Swift.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nssortdescriptor)
    public init<Compared: NSObject>(_ sortDescriptor: SortDescriptor<Compared>) {
        self.init(naming: sortDescriptor)
    }

    /// Creates a sort descriptor from a Swift sort descriptor of values that are not objects for the compiler.
    ///
    /// It works if the values are managed objects at run time, as in a generic function. Otherwise it stops the
    /// process, unless the key path leads to stored properties alone.
    ///
    /// - Parameter sortDescriptor: The sort descriptor of Swift.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nssortdescriptor)
    @available(*, deprecated, message: "Sort descriptors of Core Data compare objects: constrain the type to NSObject")
    public init<Compared>(_ sortDescriptor: SortDescriptor<Compared>) {
        self.init(naming: sortDescriptor)
    }

    private init<Compared>(naming sortDescriptor: SortDescriptor<Compared>) {
        let purpose = "NSSortDescriptor(SortDescriptor)"
        guard let keyPath = sortDescriptor.keyPath else {
            fatalError("\(purpose): the sort descriptor has no key path: \(sortDescriptor)")
        }
        self.init(
            key: KeyPathNames.requiredName(of: keyPath, for: purpose), ascending: sortDescriptor.order == .forward,
            selector: (type(of: keyPath).valueType as? any SortKey.Type)?.selector ?? .compare)
    }
}

extension NSSortDescriptor {
    /// The equivalent descriptor by key, if there is one. A descriptor of Foundation's has a Swift key path.
    ///
    /// Stops the process when the key path of a managed object's class leads to anything else than modelled properties.
    var byKey: NSSortDescriptor {
        guard type(of: self) == NSSortDescriptor.self, ordersNaturally,
            type(of: keyPath).rootType is any KeyPathNaming.Type
        else { return self }
        return KeySortDescriptor(
            KeyPathNames.requiredName(of: keyPath, for: "NSSortDescriptor(keyPath:ascending:)"), ascending: ascending,
            sorting: .compare, block: nil)
    }

    /// Whether a descriptor of Foundation's was made without a comparator, so that a store can sort by it.
    ///
    /// Foundation has no property for it. The default comparator is always one function with another type bound to it.
    private var ordersNaturally: Bool {
        Self.code(of: self) == Self.naturalCode
    }

    private static let naturalCode = code(of: NSSortDescriptor(keyPath: \String.utf8.count, ascending: true))

    /// The address of the code of a descriptor's comparator. A closure is a pair of pointers: code and captured values.
    private static func code(of descriptor: NSSortDescriptor) -> UInt {
        // The closure is in a structure, because a generic function would wrap a bare closure in another one.
        struct Holder { let comparator: Comparator }
        let holder = Holder(comparator: descriptor.comparator)
        return withUnsafeBytes(of: holder) { $0.load(as: UInt.self) }
    }
}
