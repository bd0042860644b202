/// The changes of one join table.
struct JoinChange {
    let join: SQLJoinTable
    let table: SQLTable
    /// The source of the pairs; nil for a new relationship.
    var pairs: MigrationPairs?
    /// The pairs of the other side, if each side was a relationship of its own.
    var morePairs: MigrationPairs?
    /// The join table of the source that is altered or copied; nil if pairs are made of keys.
    var source: String?
    /// Columns of the source that no relationship uses any more.
    var dropped: [String] = []
    var isRewritten = false
    /// The entities at both ends of the source, by layout: rows of theirs may be about to be deleted.
    var ownerTarget: Int?
    var memberTarget: Int?
}
