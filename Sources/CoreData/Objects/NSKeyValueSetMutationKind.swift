/// The kind of change of the members of a to-many relationship, as an argument of
/// `willChangeValue(forKey:withSetMutation:using:)`.
///
/// Foundation on Linux lacks it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/nskeyvaluesetmutationkind)
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// The given members are added.
    case union = 1
    /// The given members are removed.
    case minus
    /// All members but the given ones are removed.
    case intersect
    /// The given members replace all present members.
    case set
}
