// Implementation notes: Stores/SQLite/Pool.
//
// - Readers keep their transactions open between two reads. So they also compare the count of copied frames in the
//   shared index. If it has changed they begin again, and read from the main file from then on. Only then can the -wal
//   begin anew (`SQLiteCheckpointer`).
// - Every connection to a -wal holds a shared lock on the main file, also while it is idle. So a migration that needs
//   the file for itself closes the idle connections of its process (`SQLiteDatabase+Suspending`).

import CSQLite
import Foundation

/// The connections with which a SQLite store reads.
///
/// With a -wal there are several: readers never wait for the writer, nor for each other. They keep their read
/// transaction open between two reads, which makes the reading of one row four times cheaper. They end it as soon as
/// any connection has written: SQLite counts the changes of a -wal in memory that all processes share, and a reader
/// compares this count first. A transaction that was not used for a moment is ended, too, so that it blocks no
/// checkpoint.
///
/// Without a -wal (memory, rollback journal) readers and the writer share one connection.
// @unchecked Sendable: mutable state is guarded by `condition`, `shared` by `sharedLock`.
final class SQLiteReaderPool: @unchecked Sendable {
    /// A reading connection and the state of its transaction.
    private final class Reader {
        let connection: SQLiteConnection
        // Unchecked, as the pool's own: each fetch changes them, under the pool's lock or by the thread that reads.
        @exclusivity(unchecked) fileprivate var isInTransaction = false
        @exclusivity(unchecked) fileprivate var wasUsed = false
        /// The shared change counters as they were when the transaction began.
        @exclusivity(unchecked) fileprivate var stamp = Stamp()
        @exclusivity(unchecked) fileprivate var index: UnsafeMutableRawPointer?
        /// The thread that reads; 0 while the reader is idle. Used under the pool's lock, as `isSuspended` is.
        @exclusivity(unchecked) fileprivate var user: pthread_t = 0

        init(connection: SQLiteConnection) {
            self.connection = connection
        }

        fileprivate func endTransaction() {
            guard isInTransaction else { return }
            isInTransaction = false
            connection.endReading()
        }
    }

    private struct WeakConnection {
        weak var connection: SQLiteConnection?
    }

    /// The part of the header of a -wal's shared index that changes with every commit: the change counter, the last
    /// frame, and the salts that are new when the -wal begins again.
    ///
    /// It also has the count that changes when frames are copied into the main file. A reader that begins again then
    /// reads from the main file, and does not keep the -wal from beginning anew any more.
    fileprivate struct Stamp: Equatable {
        var change: UInt32 = 0
        var frame: UInt32 = 0
        var salt: UInt64 = 0
        var copied: UInt32 = 0

        init() {}

        init(_ index: UnsafeMutableRawPointer) {
            change = index.load(fromByteOffset: 8, as: UInt32.self)
            frame = index.load(fromByteOffset: 16, as: UInt32.self)
            salt = index.load(fromByteOffset: 32, as: UInt64.self)
            // The first number after the two copies of the header.
            copied = index.load(fromByteOffset: 96, as: UInt32.self)
        }
    }

    private let condition = NSCondition()
    private let maximum: Int
    private let watchesWAL: Bool
    private let make: (() throws -> SQLiteConnection)?
    /// Called before each new connection, outside of the pool's lock; set before the pool is used.
    var beforeMaking: (@Sendable () throws -> Void)?
    private var shared: Reader?
    @exclusivity(unchecked) private var isClosed = false
    private let sharedLock: NSRecursiveLock
    /// Whether the writer's connection serves the reads, too.
    let isShared: Bool
    @exclusivity(unchecked) private var idle: [Reader] = []
    @exclusivity(unchecked) private var count = 0
    /// The idle readers and those in use.
    private var readers: [Reader] = []
    private var pinned: [WeakConnection] = []
    /// Whether readers are closed when they are given back, see `suspend`.
    @exclusivity(unchecked) private var isSuspended = false
    @exclusivity(unchecked) private var isSweepScheduled = false

    /// Creates a pool that makes its connections on demand. `watchesWAL` is for files with a -wal: if SQLite is asked
    /// for the shared index of another file, it creates one.
    init(maximum: Int, watchesWAL: Bool, make: @escaping () throws -> SQLiteConnection) {
        self.maximum = maximum
        self.watchesWAL = watchesWAL
        self.make = make
        isShared = false
        sharedLock = NSRecursiveLock()
    }

    /// Creates a pool that reads through the writer's connection, under the writer's lock.
    init(sharing connection: SQLiteConnection, lock: NSRecursiveLock) {
        maximum = 1
        watchesWAL = false
        make = nil
        isShared = true
        shared = Reader(connection: connection)
        sharedLock = lock
    }

    /// Runs a body with a reader. The body reads one state of the store, which is at least as new as the last commit.
    func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        if isShared {
            sharedLock.lock()
            defer { sharedLock.unlock() }
            guard let shared else { throw SQLStore.closedError(nil) }
            return try body(shared.connection)
        }
        let reader = try take()
        defer { give(reader) }
        try prepare(reader)
        return try body(reader.connection)
    }

    /// Makes a connection outside the pool that reads the present state as long as it is open. Returns nil if readers
    /// and the writer share one connection.
    func makePinned() throws -> SQLiteConnection? {
        guard let make, watchesWAL else { return nil }
        try beforeMaking?()
        let connection = try make()
        try connection.beginLazily()
        // The first read fixes the state that the transaction sees.
        try connection.readSomething()
        condition.withLock {
            pinned.removeAll { $0.connection == nil }
            pinned.append(WeakConnection(connection: connection))
        }
        return connection
    }

    private func take() throws -> Reader {
        condition.lock()
        while idle.isEmpty && count >= maximum && !isClosed { condition.wait() }
        if isClosed {
            condition.unlock()
            throw SQLStore.closedError(nil)
        }
        if let reader = idle.popLast() {
            reader.user = pthread_self()
            condition.unlock()
            return reader
        }
        count += 1
        condition.unlock()
        do {
            guard let make else { fatalError("A shared reader is always there") }
            try beforeMaking?()
            let reader = Reader(connection: try make())
            reader.user = pthread_self()
            condition.withLock { readers.append(reader) }
            return reader
        } catch {
            condition.lock()
            count -= 1
            condition.signal()
            condition.unlock()
            throw error
        }
    }

    private func give(_ reader: Reader) {
        condition.lock()
        reader.user = 0
        if isSuspended {
            readers.removeAll { $0 === reader }
            count -= 1
            condition.broadcast()
            condition.unlock()
            return reader.endTransaction()
        }
        idle.append(reader)
        condition.signal()
        let schedules = reader.isInTransaction && !isSweepScheduled
        if schedules { isSweepScheduled = true }
        condition.unlock()
        if schedules { scheduleSweep() }
    }

    /// Begins a read transaction, or keeps the open one if no connection has written since it began.
    @inline(__always)
    private func prepare(_ reader: Reader) throws {
        reader.wasUsed = true
        if reader.isInTransaction {
            if let index = reader.index, Stamp(index) == reader.stamp { return }
            reader.endTransaction()
        }
        try begin(reader)
    }

    private func begin(_ reader: Reader) throws {
        // The stamp is taken before the transaction: a commit in between makes the next read begin anew.
        if let index = reader.index { reader.stamp = Stamp(index) }
        try reader.connection.beginLazily()
        reader.isInTransaction = true
        if reader.index == nil, watchesWAL {
            // The first read maps the index. Until its address is known, each read has a transaction of its own.
            try reader.connection.readSomething()
            reader.index = Self.sharedIndex(of: reader.connection)
        }
    }

    /// The first page of the -wal's index, which SQLite has mapped. A second request gives the same address.
    private static func sharedIndex(of connection: SQLiteConnection) -> UnsafeMutableRawPointer? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file, let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
            let map = methods.pointee.xShmMap
        else { return nil }
        var page: UnsafeMutableRawPointer?
        guard map(file, 0, 32768, 0, &page) == SQLITE_OK else { return nil }
        return page
    }

    // MARK: Ending transactions

    /// Ends the read transactions of all idle readers before a write, so that they do not block its checkpoint.
    func endIdleTransactions() {
        if isShared { return }
        condition.lock()
        for reader in idle { reader.endTransaction() }
        condition.unlock()
    }

    /// Releases the pages that idle readers hold in memory.
    func forgetPages() {
        if isShared { return }
        condition.lock()
        for reader in idle {
            reader.endTransaction()
            reader.connection.forgetPages()
        }
        condition.unlock()
    }

    /// Closes all readers that no thread uses, and the remaining ones when they are given back, until `resume`. Later
    /// reads make new ones.
    func suspend() {
        if isShared { return }
        condition.lock()
        isSuspended = true
        for reader in idle { reader.endTransaction() }
        readers.removeAll { $0.user == 0 }
        count -= idle.count
        idle = []
        condition.broadcast()
        condition.unlock()
    }

    /// Keeps readers again when they are given back.
    func resume() { condition.withLock { isSuspended = false } }

    /// Whether the store's file stays in use until the calling thread goes on: the thread reads, or a state is pinned.
    var isHeldHere: Bool {
        let user = pthread_self()
        return condition.withLock {
            readers.contains { $0.user == user } || pinned.contains { $0.connection != nil }
        }
    }

    private func scheduleSweep() {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in
            self?.sweep()
        }
    }

    private func sweep() {
        condition.lock()
        var remain = false
        for reader in idle where reader.isInTransaction {
            if reader.wasUsed {
                reader.wasUsed = false
                remain = true
            } else {
                reader.endTransaction()
            }
        }
        // A reader in use returns through `give`, which schedules the next sweep.
        isSweepScheduled = remain
        condition.unlock()
        if remain { scheduleSweep() }
    }

    /// Closes all readers, after waiting for those in use.
    func close() {
        if isShared {
            sharedLock.lock()
            shared = nil
            sharedLock.unlock()
            return
        }
        condition.lock()
        isClosed = true
        condition.broadcast()
        while idle.count < count { condition.wait() }
        for reader in idle { reader.endTransaction() }
        readers = []
        idle = []
        count = 0
        condition.unlock()
    }

    /// The number of connections that the pool has made.
    var openConnectionCount: Int {
        condition.lock()
        defer { condition.unlock() }
        return count
    }
}
