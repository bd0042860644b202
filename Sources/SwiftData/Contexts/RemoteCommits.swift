import CoreData
import Foundation

/// Looks for what other processes, and other containers, have committed to the stores of a container.
///
/// The contexts get it as they get the saves of each other. The store's notification leads to a look, for the main
/// context. Another context looks before it reads, because the notification may come a moment later. A commit changes
/// the size or the time of the store's log, so most of these looks cost one question to the file system. A database has
/// no such log: its notification leads to the next look.
final class RemoteCommits: @unchecked Sendable {  // immutable, but for what is behind a lock
    private let merging: RemoteChangeMerging
    private let last: Locked<Look>
    private let coordinator: NSPersistentStoreCoordinator
    /// Looks for the main context.
    private let follower = Locked<UncheckedObserver?>(nil)
    /// Notes the commits to databases.
    private let announcements = Locked<UncheckedObserver?>(nil)

    /// What the notification centre has given.
    private struct UncheckedObserver: @unchecked Sendable {  // only handed back
        let token: any NSObjectProtocol
    }

    private struct Look {
        var logs: [Log]
        /// The time of the look, in nanoseconds.
        var time: UInt64
        /// Whether a database has announced a commit since.
        var isAnnounced = false
    }

    /// A log that stays open, because a question about an open file needs no search for its path. SQLite locks other
    /// files, so closing this one releases none of its locks.
    private struct Log {
        private struct State: Equatable {
            var size: Int64 = 0
            var seconds = 0
            var nanoseconds = 0
        }

        private let path: String
        private var descriptor: Int32 = -1
        private var state = State()

        init(_ path: String) {
            self.path = path
            _ = isChanged()
        }

        /// Whether the log has another size or another time than at the last call.
        mutating func isChanged() -> Bool {
            let last = state
            state = present()
            return state != last
        }

        private mutating func present() -> State {
            var found = stat()
            // A log that was removed stays open without a name.
            if descriptor < 0 || fstat(descriptor, &found) != 0 || found.st_nlink == 0 {
                close()
                descriptor = open(path, O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0, fstat(descriptor, &found) == 0 else { return State() }
            }
            return State(
                size: Int64(found.st_size), seconds: found.st_mtim.tv_sec, nanoseconds: found.st_mtim.tv_nsec)
        }

        mutating func close() {
            if descriptor >= 0 { _ = Foundation.close(descriptor) }
            descriptor = -1
        }
    }

    /// - Parameters:
    ///   - coordinator: The coordinator of the container.
    ///   - urls: The places of its files and databases.
    init(of coordinator: NSPersistentStoreCoordinator, at urls: [URL]) {
        last = Locked(Look(logs: urls.filter(\.isFileURL).map { Log($0.path + "-wal") }, time: 0))
        merging = RemoteChangeMerging(of: coordinator)
        self.coordinator = coordinator
        if urls.allSatisfy(\.isFileURL) { return }
        announcements.withLock { announcements in
            announcements = observer { [weak self] in self?.last.withLock { $0.isAnnounced = true } }
        }
    }

    private func observer(_ body: @escaping @Sendable () -> Void) -> UncheckedObserver {
        let token = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
        ) { _ in body() }
        return UncheckedObserver(token: token)
    }

    deinit {
        for observer in [follower, announcements].compactMap({ $0.withLock { $0 } }) {
            NotificationCenter.default.removeObserver(observer.token)
        }
        last.withLock { last in for index in last.logs.indices { last.logs[index].close() } }
    }

    /// Looks after each commit from now on, for the main context. Without one nothing works on the stores beside the
    /// program, so a program that lets its contexts go finds the files closed.
    func follow() {
        follower.withLock { follower in
            if follower == nil { follower = observer { [weak merging] in merging?.look() } }
        }
    }

    /// Hands the contexts what has been committed by now.
    ///
    /// - Parameter isBrief: Whether a look within the last millisecond is enough. The question to the file system takes
    ///   longer than finding a model by its identifier.
    func look(isBrief: Bool = false) {
        let time = now()
        let isNew = last.withLock { last in
            if isBrief, time &- last.time < 1_000_000 { return false }
            last.time = time
            var isNew = last.isAnnounced
            last.isAnnounced = false
            for index in last.logs.indices where last.logs[index].isChanged() { isNew = true }
            return isNew
        }
        if isNew { merging.look() }
    }

    private func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
