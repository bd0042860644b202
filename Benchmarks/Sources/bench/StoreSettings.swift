/// Settings of a connection that all contenders have to share for the comparison to mean anything.
enum StoreSettings {
    /// `PRAGMA cache_size` of the library's connections; all other contenders open theirs with the same value.
    static let cacheSize: Int64 = -32_768
}
