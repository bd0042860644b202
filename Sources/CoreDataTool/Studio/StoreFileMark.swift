import Foundation

/// Which file a store lies in, and in which state, where it is written as a whole.
struct StoreFileMark: Equatable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Nil where there is no file.
    init?(_ store: OpenedStore) {
        var state = stat()
        guard store.url.isFileURL, stat(store.url.path, &state) == 0 else { return nil }
        (device, number) = (UInt64(state.st_dev), UInt64(state.st_ino))
        // The database's file changes with every save of others, who are noticed otherwise. One that is written as a
        // whole is another file after each save.
        let isWhole = !store.address.isInTables
        size = isWhole ? Int64(state.st_size) : 0
        seconds = isWhole ? state.st_mtim.tv_sec : 0
        nanoseconds = isWhole ? state.st_mtim.tv_nsec : 0
    }
}
