import Foundation

/// An observation of a property, which ends with this object or with ``invalidate()``.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/nskeyvalueobservation)
public class NSKeyValueObservation: NSObject {
    private let end: Locked<(() -> Void)?>

    init(_ end: @escaping () -> Void) { self.end = Locked(end) }

    /// Ends the observation. Any thread may call it, and more than once.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nskeyvalueobservation/invalidate())
    public func invalidate() {
        let body = end.withLock { end in
            defer { end = nil }
            return end
        }
        body?()
    }

    deinit { invalidate() }
}

/// What an observation reports.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/nskeyvalueobservingoptions)
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: UInt

    /// Creates a set of options.
    ///
    /// - Parameter rawValue: The options as bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The new value.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// The value before the change.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// One report at once, before the observation returns.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
    /// One report before each change, beside the one after it.
    public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// The kinds of changes.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/nskeyvaluechange)
public enum NSKeyValueChange: UInt, Sendable {
    /// The property has another value.
    case setting = 1
    /// Objects joined a to-many relationship.
    case insertion = 2
    /// Objects left a to-many relationship.
    case removal = 3
    /// Objects of a to-many relationship were replaced.
    case replacement = 4
}

/// A change of an observed property.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/nskeyvalueobservedchange)
public struct NSKeyValueObservedChange<Value> {
    /// The kind of a change.
    public typealias Kind = NSKeyValueChange

    /// How the property changed.
    public let kind: Kind
    /// The new value, or the objects that joined; nil without the option `new`, and before the change.
    public let newValue: Value?
    /// The value before the change, or the objects that left; nil without the option `old`.
    public let oldValue: Value?
    /// The positions of objects that joined or left an ordered relationship.
    public let indexes: IndexSet?
    /// Whether the report comes before the change.
    public let isPrior: Bool
}
