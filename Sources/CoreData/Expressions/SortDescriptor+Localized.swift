import Foundation

/// The orders of strings by the current locale, for which Foundation on Linux has no `String.StandardComparator`.
///
/// OpenCoreData only.
public struct LocalizedStringComparator: Hashable, Sendable {
    enum Order { case localized, localizedStandard }
    let order: Order

    /// The order of the current locale.
    public static let localized = LocalizedStringComparator(order: .localized)
    /// The order of a list of files: by locale, without regard to case, numbers by their value.
    public static let localizedStandard = LocalizedStringComparator(order: .localizedStandard)
}

extension SortDescriptor where Compared: NSObject {
    /// Creates a sort descriptor for a string.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - comparator: The order; that of a list of files unless given, as on Apple's platforms.
    ///   - order: The direction.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/sortdescriptor)
    public init(
        _ keyPath: any KeyPath<Compared, String> & Sendable,
        comparator: LocalizedStringComparator = .localizedStandard, order: SortOrder = .forward
    ) {
        self = SortKeys.descriptor(keyPath, comparator, order)
    }

    /// Creates a sort descriptor for an optional string. Nil comes first.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - comparator: The order; that of a list of files unless given, as on Apple's platforms.
    ///   - order: The direction.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/sortdescriptor)
    public init(
        _ keyPath: any KeyPath<Compared, String?> & Sendable,
        comparator: LocalizedStringComparator = .localizedStandard, order: SortOrder = .forward
    ) {
        self = SortKeys.descriptor(keyPath, comparator, order)
    }

    /// Creates a sort descriptor for a Boolean. False comes first.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - order: The direction.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/sortdescriptor)
    public init(_ keyPath: any KeyPath<Compared, Bool> & Sendable, order: SortOrder = .forward) {
        self = SortKeys.descriptor(keyPath, order)
    }

    /// Creates a sort descriptor for an optional Boolean: nil, then false, then true.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - order: The direction.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/sortdescriptor)
    public init(_ keyPath: any KeyPath<Compared, Bool?> & Sendable, order: SortOrder = .forward) {
        self = SortKeys.descriptor(keyPath, order)
    }
}

/// Makes the descriptors of the initialisers above, for any type that has such initialisers.
package enum SortKeys {
    /// Whether the values of a type are what the initialisers append to a key path.
    package static func isKey(_ type: any Any.Type) -> Bool { type is any SortKey.Type }

    package static func descriptor<Root>(
        _ keyPath: any KeyPath<Root, String> & Sendable, _ comparator: LocalizedStringComparator, _ order: SortOrder
    ) -> SortDescriptor<Root> {
        switch comparator.order {
        case .localized: SortDescriptor(sendable(keyPath.appending(path: \.localized)), order: order)
        case .localizedStandard: SortDescriptor(sendable(keyPath.appending(path: \.localizedStandard)), order: order)
        }
    }

    package static func descriptor<Root>(
        _ keyPath: any KeyPath<Root, String?> & Sendable, _ comparator: LocalizedStringComparator, _ order: SortOrder
    ) -> SortDescriptor<Root> {
        switch comparator.order {
        case .localized: SortDescriptor(sendable(keyPath.appending(path: \.localized)), order: order)
        case .localizedStandard: SortDescriptor(sendable(keyPath.appending(path: \.localizedStandard)), order: order)
        }
    }

    package static func descriptor<Root>(
        _ keyPath: any KeyPath<Root, Bool> & Sendable, _ order: SortOrder
    ) -> SortDescriptor<Root> {
        SortDescriptor(sendable(keyPath.appending(path: \.number)), order: order)
    }

    package static func descriptor<Root>(
        _ keyPath: any KeyPath<Root, Bool?> & Sendable, _ order: SortOrder
    ) -> SortDescriptor<Root> {
        SortDescriptor(sendable(keyPath.appending(path: \.number)), order: order)
    }

    /// Appended key paths are as immutable as their parts, although the type of the result is not `Sendable`.
    package static func sendable<Root, Value>(_ keyPath: KeyPath<Root, Value>) -> any KeyPath<Root, Value> & Sendable {
        unsafeBitCast(keyPath, to: (any KeyPath<Root, Value> & Sendable).self)
    }
}

/// The value that the initialisers above append to a key path.
///
/// The descriptor orders values in memory by it, and a fetch finds out from its type how to sort. The key path without
/// it leads to the property.
protocol SortKey {
    static var selector: SortSelector { get }
}

struct LocalizedText: SortKey, Comparable {
    let text: String
    static var selector: SortSelector { .localizedCompare }
    static func < (a: Self, b: Self) -> Bool { a.text.localizedCompare(b.text) == .orderedAscending }
}

struct LocalizedStandardText: SortKey, Comparable {
    let text: String
    static var selector: SortSelector { .localizedStandardCompare }
    static func < (a: Self, b: Self) -> Bool { a.text.localizedStandardCompare(b.text) == .orderedAscending }
}

struct BooleanNumber: SortKey, Comparable {
    let value: Bool
    static var selector: SortSelector { .compare }
    static func < (a: Self, b: Self) -> Bool { !a.value && b.value }
}

extension Optional: SortKey where Wrapped: SortKey {
    static var selector: SortSelector { Wrapped.selector }
}

extension String {
    fileprivate var localized: LocalizedText { LocalizedText(text: self) }
    fileprivate var localizedStandard: LocalizedStandardText { LocalizedStandardText(text: self) }
}

extension Optional where Wrapped == String {
    fileprivate var localized: LocalizedText? { map { LocalizedText(text: $0) } }
    fileprivate var localizedStandard: LocalizedStandardText? { map { LocalizedStandardText(text: $0) } }
}

extension Bool {
    fileprivate var number: BooleanNumber { BooleanNumber(value: self) }
}

extension Optional where Wrapped == Bool {
    fileprivate var number: BooleanNumber? { map { BooleanNumber(value: $0) } }
}
