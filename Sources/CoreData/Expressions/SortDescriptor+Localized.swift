import Foundation

/// The orders of strings by the current locale that Foundation on Linux has no `String.StandardComparator` for.
public struct LocalizedStringComparator: Hashable, Sendable {
    enum Order { case localized, localizedStandard }
    let order: Order

    /// The order of the current locale.
    public static let localized = LocalizedStringComparator(order: .localized)
    /// The order a list of files shows: by locale, without regard to case, numbers by their value.
    public static let localizedStandard = LocalizedStringComparator(order: .localizedStandard)
}

extension SortDescriptor where Compared: NSObject {
    /// Sorts by a string, by default in the order a list of files shows, as on Apple's platforms.
    public init(
        _ keyPath: any KeyPath<Compared, String> & Sendable,
        comparator: LocalizedStringComparator = .localizedStandard, order: SortOrder = .forward
    ) {
        switch comparator.order {
        case .localized: self.init(sendable(keyPath.appending(path: \.localized)), order: order)
        case .localizedStandard: self.init(sendable(keyPath.appending(path: \.localizedStandard)), order: order)
        }
    }

    /// Sorts by an optional string, by default in the order a list of files shows; nothing comes first.
    public init(
        _ keyPath: any KeyPath<Compared, String?> & Sendable,
        comparator: LocalizedStringComparator = .localizedStandard, order: SortOrder = .forward
    ) {
        switch comparator.order {
        case .localized: self.init(sendable(keyPath.appending(path: \.localized)), order: order)
        case .localizedStandard: self.init(sendable(keyPath.appending(path: \.localizedStandard)), order: order)
        }
    }

    /// Sorts by a Boolean, false first.
    public init(_ keyPath: any KeyPath<Compared, Bool> & Sendable, order: SortOrder = .forward) {
        self.init(sendable(keyPath.appending(path: \.number)), order: order)
    }

    /// Sorts by an optional Boolean: nothing, then false, then true.
    public init(_ keyPath: any KeyPath<Compared, Bool?> & Sendable, order: SortOrder = .forward) {
        self.init(sendable(keyPath.appending(path: \.number)), order: order)
    }
}

/// What the initialisers above append to a key path, so that the descriptor orders the values so in memory and a fetch
/// can read off the type how to sort. The key path without it is the property.
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

/// Key paths appended to each other are as immutable as their parts; the type of the result does not say so.
private func sendable<Root, Value>(_ keyPath: KeyPath<Root, Value>) -> any KeyPath<Root, Value> & Sendable {
    unsafeBitCast(keyPath, to: (any KeyPath<Root, Value> & Sendable).self)
}
