/// The type with the initialisers of `NSSortDescriptor` that return a subclass, such as `init(key:ascending:)`.
///
/// OpenCoreData only.
public protocol NSSortDescriptorByKey {}

extension NSSortDescriptor: NSSortDescriptorByKey {}

extension NSSortDescriptorByKey where Self: NSSortDescriptor {
    /// Creates a sort descriptor for the values at a key path.
    ///
    /// Numbers, strings, dates, `UUID`, `URL` and `Data` have an order. Nil comes first in ascending order. Sorting
    /// values without an order stops the process.
    ///
    /// - Parameters:
    ///   - key: The key path; nil sorts the objects themselves.
    ///   - ascending: Whether small values come first.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nssortdescriptor/init(key:ascending:))
    public init(key: String?, ascending: Bool) {
        self = Self.make(KeySortDescriptor(key, ascending: ascending, sorting: .compare, block: nil))
    }

    /// Creates a sort descriptor for the values at a key path, with a named comparison.
    ///
    /// - Parameters:
    ///   - key: The key path; nil sorts the objects themselves.
    ///   - ascending: Whether small values come first.
    ///   - selector: The comparison; nil stands for ``SortSelector/compare``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nssortdescriptor/init(key:ascending:selector:))
    public init(key: String?, ascending: Bool, selector: SortSelector?) {
        self = Self.make(KeySortDescriptor(key, ascending: ascending, sorting: selector ?? .compare, block: nil))
    }

    /// Creates a sort descriptor for the values at a key path, with a closure that compares. Stores cannot translate
    /// it.
    ///
    /// - Parameters:
    ///   - key: The key path; nil sorts the objects themselves.
    ///   - ascending: Whether small values come first.
    ///   - cmptr: The comparison. It gets no missing values, which come first.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nssortdescriptor/init(key:ascending:comparator:))
    public init(key: String?, ascending: Bool, comparator cmptr: @escaping Comparator) {
        self = Self.make(KeySortDescriptor(key, ascending: ascending, sorting: .compare, block: cmptr))
    }

    private static func make(_ descriptor: KeySortDescriptor) -> Self {
        guard let result = descriptor as? Self else {
            fatalError("\(Self.self) cannot be created from a key")
        }
        return result
    }

    /// The key path to sort by.
    ///
    /// Nil for a descriptor of the objects themselves, and for a Swift key path that leads to anything else than
    /// modelled properties.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nssortdescriptor/key)
    public var key: String? { sortKey ?? (isByKey ? nil : keyPath.managedKeyPath) }
}

extension NSSortDescriptor {
    /// The key path given as a string, if the descriptor was made from one. (Foundation's own `key` is unavailable.)
    package var sortKey: String? { (self as? KeySortDescriptor)?.path?.text }

    /// The comparison of values. Nil when a block or Foundation compares, which no store can do.
    package var sortSelector: SortSelector? {
        guard let descriptor = self as? KeySortDescriptor, !descriptor.comparesByBlock else { return nil }
        return descriptor.sorting
    }

    /// Whether the descriptor was made by one of the initialisers above, not from a Swift key path.
    package var isByKey: Bool { self is KeySortDescriptor }
}

/// The descriptor behind `NSSortDescriptor(key:…)`.
final class KeySortDescriptor: NSSortDescriptor {
    let path: KeyValuePath?
    let sorting: SortSelector
    private let block: Comparator?
    /// The path if it is the name of one property, whose value an object may read without boxing.
    private let name: String?
    private let comparesPlainly: Bool

    /// The name of the property, if the descriptor compares the values of one property by their own order.
    var plainName: String? { comparesPlainly ? name : nil }

    var comparesByBlock: Bool { block != nil }

    init(_ key: String?, ascending: Bool, sorting: SortSelector, block: Comparator?) {
        require(sorting.isKnown, "NSSortDescriptor: there is no comparison named \(sorting.rawValue)")
        path = key.map { KeyValuePath($0) }
        self.sorting = sorting
        self.block = block
        name = path.flatMap { path in
            path.keys.count == 1 && !path.isOperator && path.text.lowercased() != "self" ? path.text : nil
        }
        comparesPlainly = block == nil && sorting == .compare
        // Foundation's initialiser needs a key path of some Comparable value. Nothing here uses the key path.
        super.init(keyPath: \String.utf8.count, ascending: ascending)
    }

    required init?(coder: NSCoder) {
        nil
    }

    func value(of object: Any) -> Any? {
        guard let path else { return object }
        let value = path.value(in: object)
        return value is NSNull ? nil : value
    }

    /// The value sorted by kind.
    func kind(of object: Any) -> ExpressionValue {
        guard let name, let readable = KeyValueAccess.readable(object) else {
            return ExpressionValue(value(of: object))
        }
        return readable.expressionValue(forKey: name)
    }

    /// The order of two values at the key, direction included. The kinds of the values are given when they are
    /// known.
    func order(_ a: Any?, _ b: Any?, ofKinds kindOfA: ExpressionValue, _ kindOfB: ExpressionValue) -> ComparisonResult {
        let result: ComparisonResult
        if let block, let a, let b {
            result = block(a, b)
        } else if let order = sorting.order(kindOfA, kindOfB) {
            result = order
        } else {
            UndecidedPredicate.note(
                "-[\(sorting.rawValue)]: values of the key \(path?.text ?? "self") cannot be ordered: \(kindOfA.printed)"
                    + " and \(kindOfB.printed)")
            return .orderedSame
        }
        return ascending ? result : result.reversed
    }

    override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        if let name, block == nil, let first = KeyValueAccess.readable(object1) {
            if comparesPlainly, let result = first.order(with: object2, byKey: name) {
                return ascending ? result : result.reversed
            }
            return order(nil, nil, ofKinds: first.expressionValue(forKey: name), kind(of: object2))
        }
        let a = value(of: object1)
        let b = value(of: object2)
        return order(a, b, ofKinds: ExpressionValue(a), ExpressionValue(b))
    }

    override var comparator: Comparator {
        block ?? { [sorting] a, b in sorting.order(ExpressionValue(a), ExpressionValue(b)) ?? .orderedSame }
    }

    override var reversedSortDescriptor: Any {
        KeySortDescriptor(path?.text, ascending: !ascending, sorting: sorting, block: block)
    }

    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? KeySortDescriptor else { return false }
        return self === other
            || path == other.path && ascending == other.ascending && sorting == other.sorting && block == nil
                && other.block == nil
    }

    override var hash: Int { path?.text.hashValue ?? 0 }

    override var description: String {
        "(\(path?.text ?? "null"), \(ascending ? "ascending" : "descending"), \(block == nil ? sorting.rawValue : "block"))"
    }
}

extension ComparisonResult {
    var reversed: ComparisonResult {
        switch self {
        case .orderedAscending: .orderedDescending
        case .orderedSame: .orderedSame
        case .orderedDescending: .orderedAscending
        }
    }
}

extension Sequence {
    /// Returns the elements in the order of `descriptors`, the most significant first. Equal elements keep their order.
    ///
    /// The values at the keys are read once for each element, not for each comparison.
    package func sorted(byDescriptors descriptors: [NSSortDescriptor]) -> [Element] {
        let elements = Array(self)
        let columns = descriptors.map { descriptor -> Column? in
            guard let descriptor = descriptor as? KeySortDescriptor else { return nil }
            guard descriptor.comparesByBlock else {
                return Column(descriptor, elements.map { descriptor.kind(of: $0) }, [])
            }
            let values = elements.map { descriptor.value(of: $0) }
            return Column(descriptor, values.map { ExpressionValue($0) }, values)
        }
        // The standard library's sort is stable, but does not guarantee it, so the position decides among equals.
        let order = elements.indices.sorted { a, b in
            for index in descriptors.indices {
                let result =
                    columns[index]?.order(a, b) ?? descriptors[index].compare(elements[a], to: elements[b])
                if result != .orderedSame { return result == .orderedAscending }
            }
            return a < b
        }
        return order.map { elements[$0] }
    }
}

extension [NSSortDescriptor] {
    /// The place of an object among objects that are in this order, after its equals. Found by binary search.
    func place<Object: AnyObject>(of object: Object, in range: Range<Int>, _ others: (Int) -> Object) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = (low + high) / 2
            let other = others(middle)
            // The sort puts the lesser of the two objects first, and keeps the order of equal ones.
            if [other, object].sorted(byDescriptors: self)[0] === other { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The values of all elements for one descriptor.
private struct Column {
    let descriptor: KeySortDescriptor
    let kinds: [ExpressionValue]
    /// The values themselves, for a descriptor that compares by a block.
    let values: [Any?]

    init(_ descriptor: KeySortDescriptor, _ kinds: [ExpressionValue], _ values: [Any?]) {
        self.descriptor = descriptor
        self.kinds = kinds
        self.values = values
    }

    func order(_ a: Int, _ b: Int) -> ComparisonResult {
        values.isEmpty
            ? descriptor.order(nil, nil, ofKinds: kinds[a], kinds[b])
            : descriptor.order(values[a], values[b], ofKinds: kinds[a], kinds[b])
    }
}
