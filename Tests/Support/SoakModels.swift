/// The two versions between which a store is migrated to and fro while processes work on it: an attribute is renamed,
/// and an entity and an index are added and removed.
public enum SoakModels {
    public static let versions = [
        """
        entity Account
          name string
          balance int64
        entity Entry
          text string was label
          number int64
          owner string
          value data external
        """,
        """
        entity Account
          name string index
          balance int64
        entity Entry
          label string was text
          number int64
          owner string
          value data external
        entity Extra
          name string
        """,
    ]

    /// How many accounts there are, which all processes add to.
    public static let accounts = 4
}
