import CoreData
import Foundation

extension SortDescriptor where Compared: PersistentModel {
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

    /// Creates a sort descriptor for an enumeration, by its raw value. For an enumeration that is `Comparable` the
    /// initialiser is Foundation's, and the order its own.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - order: The direction.
    @_disfavoredOverload
    public init<Value: RawRepresentable>(
        _ keyPath: any KeyPath<Compared, Value> & Sendable, order: SortOrder = .forward
    ) where Value.RawValue: Comparable {
        self.init(SortKeys.sendable(keyPath.appending(path: \.rawValue)), order: order)
    }

    /// Creates a sort descriptor for an optional enumeration, by its raw value. Nil comes first.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - order: The direction.
    @_disfavoredOverload
    public init<Value: RawRepresentable>(
        _ keyPath: any KeyPath<Compared, Value?> & Sendable, order: SortOrder = .forward
    ) where Value.RawValue: Comparable {
        self.init(SortKeys.sendable(keyPath.appending(path: \.?.rawValue)), order: order)
    }
}
