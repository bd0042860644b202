import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("The holders of a file's locks")
struct LockHoldersTests {
    /// Locks single bytes of a file, every other one, so that the kernel keeps each lock by itself.
    private func lock(_ count: Int, of url: URL) throws -> Int32 {
        let descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        for place in 0..<count {
            var range = flock()
            range.l_type = Int16(F_WRLCK)
            range.l_whence = Int16(SEEK_SET)
            range.l_start = off_t(place * 2)
            range.l_len = 1
            try #require(fcntl(descriptor, F_SETLK, &range) == 0)
        }
        return descriptor
    }

    @Test("They are found among hundreds of locks, which the kernel lists in several pages")
    func manyLocks() throws {
        try withTemporaryFolder { folder in
            let files = ["first", "many", "last"].map { folder.appendingPathComponent($0) }
            let descriptors = try zip([1, 400, 1], files).map { try lock($0, of: $1) }
            defer { descriptors.forEach { close($0) } }
            for file in files { #expect(LockHolders.processes(of: [file]) == [getpid()]) }
            #expect(LockHolders.names(of: files) == "this process (\(getpid()))")
        }
    }
}
