import Foundation

/// The identity of a store's file, and its state if the store is written as a whole.
struct StoreFileMark: Equatable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Returns nil if there is no file.
    init?(_ store: ResolvedStore) {
        var state = stat()
        guard store.url.isFileURL, stat(store.url.path, &state) == 0 else { return nil }
        (device, number) = (UInt64(state.st_dev), UInt64(state.st_ino))
        // The database's file changes with every save of other programs, and the session receives notifications of
        // these. A store that is written as a whole is another file after each save.
        let isWhole = !store.address.isInTables
        size = isWhole ? Int64(state.st_size) : 0
        seconds = isWhole ? state.st_mtim.tv_sec : 0
        nanoseconds = isWhole ? state.st_mtim.tv_nsec : 0
    }
}
