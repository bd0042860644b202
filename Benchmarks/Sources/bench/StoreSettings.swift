/// Settings of a connection that all contenders have to share for the comparison to mean anything.
enum StoreSettings {
    /// `PRAGMA cache_size` of the library's connections; the others open theirs with the same.
    static let cacheSize: Int64 = -32_768
}
