/// Whether this process leaves the -shm beside each store that it reads unchanged, to the byte.
///
/// For a program that reads files and writes none of them. SQLite shares the mapping of a -shm among all connections of
/// a process: if one connection has mapped the -shm read-only, no connection of the process can write the store.
package enum UntouchedSharedMemoryFiles {
    private static let state = Locked(false)

    package static var areWanted: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
