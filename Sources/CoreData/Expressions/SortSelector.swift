/// The way in which a sort descriptor compares two values, by the name of the method that it would call on a Mac.
///
/// OpenCoreData only. Write `.caseInsensitiveCompare` in place of `#selector(NSString.caseInsensitiveCompare(_:))`:
/// selectors do not exist without the Objective-C runtime. A name other than the constants below stops the process when
/// a sort descriptor is created with it.
public struct SortSelector: RawRepresentable, Hashable, Sendable {
    /// The text of the selector, as model files have it, such as `caseInsensitiveCompare:`.
    public let rawValue: String

    /// Creates a name from the text of a selector.
    ///
    /// - Parameter rawValue: The text, with its colon.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The order of the values themselves; strings by their characters. Descriptors without a selector use it.
    public static let compare = SortSelector(rawValue: "compare:")
    /// Strings without regard to case.
    public static let caseInsensitiveCompare = SortSelector(rawValue: "caseInsensitiveCompare:")
    /// Strings in the order of the current locale.
    public static let localizedCompare = SortSelector(rawValue: "localizedCompare:")
    /// Strings in the order of the current locale, without regard to case.
    public static let localizedCaseInsensitiveCompare = SortSelector(rawValue: "localizedCaseInsensitiveCompare:")
    /// Strings in the order of a list of files: by locale, without regard to case, numbers by their value.
    public static let localizedStandardCompare = SortSelector(rawValue: "localizedStandardCompare:")

    /// Whether the selector is one of the constants.
    package var isKnown: Bool {
        self == .compare || self == .caseInsensitiveCompare || self == .localizedCompare
            || self == .localizedCaseInsensitiveCompare || self == .localizedStandardCompare
    }

    /// The order of `a` and `b`, or `nil` if they have no order. Nil values come first.
    package func order(_ a: ExpressionValue, _ b: ExpressionValue) -> ComparisonResult? {
        switch (a, b) {
        case (.null, .null): .orderedSame
        case (.null, _): .orderedAscending
        case (_, .null): .orderedDescending
        case (.string(let a), .string(let b)): order(a, b)
        case (.object(let a), .object(let b)) where self == .compare: Self.rowOrder(a, b)
        default: Self.orderWithNotANumber(a, b) ?? ExpressionValue.compare(a, b)
        }
    }

    /// The order of two numbers of which at least one is NaN, which stands before every number; nil for two numbers.
    private static func orderWithNotANumber(_ a: ExpressionValue, _ b: ExpressionValue) -> ComparisonResult? {
        switch (a.isNotANumber, b.isNotANumber) {
        case (false, false): nil
        case (true, true): .orderedSame
        case (true, false): b.isNumberOrDate ? .orderedAscending : nil
        case (false, true): a.isNumberOrDate ? .orderedDescending : nil
        }
    }

    /// The order of two objects by their keys, as a store sorts its rows; nil for other objects.
    private static func rowOrder(_ a: AnyObject, _ b: AnyObject) -> ComparisonResult? {
        func place(_ object: AnyObject) -> (isNew: Bool, number: Int64)? {
            let identity = (object as? any ObjectIdentityComparable)?.identityForComparison ?? object
            return (identity as? any RowOrdered)?.placeInOrder
        }
        guard let a = place(a), let b = place(b) else { return nil }
        if a.isNew != b.isNew { return b.isNew ? .orderedAscending : .orderedDescending }
        return a.number < b.number ? .orderedAscending : a.number == b.number ? .orderedSame : .orderedDescending
    }

    private func order(_ a: String, _ b: String) -> ComparisonResult {
        switch self {
        case .caseInsensitiveCompare: Self.caseInsensitiveOrder(a, b)
        case .localizedCompare: a.localizedCompare(b)
        case .localizedCaseInsensitiveCompare: a.localizedCaseInsensitiveCompare(b)
        case .localizedStandardCompare: a.localizedStandardCompare(b)
        default: StringComparison.compare(a, b, [])
        }
    }

    private static func caseInsensitiveOrder(_ a: String, _ b: String) -> ComparisonResult {
        let (x, y) = (StringComparison.fold(a, .caseInsensitive), StringComparison.fold(b, .caseInsensitive))
        return x < y ? .orderedAscending : x == y ? .orderedSame : .orderedDescending
    }
}

extension ExpressionValue {
    fileprivate var isNotANumber: Bool {
        switch self {
        case .double(let value), .date(let value): value.isNaN
        case .decimal(let value): value.isNaN
        default: false
        }
    }

    fileprivate var isNumberOrDate: Bool {
        switch self {
        case .int, .double, .decimal, .date: true
        default: false
        }
    }
}
