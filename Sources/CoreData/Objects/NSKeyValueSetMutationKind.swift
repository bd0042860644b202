/// How the members of a to-many relationship change: what `willChangeValue(forKey:withSetMutation:using:)` is told.
///
/// Foundation on Linux lacks it. See
/// [Apple's page](https://developer.apple.com/documentation/foundation/nskeyvaluesetmutationkind).
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// Members come.
    case union = 1
    /// Members go.
    case minus
    /// The members that are not given go.
    case intersect
    /// The given members take the place of all.
    case set
}
