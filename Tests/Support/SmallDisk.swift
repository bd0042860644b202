import CoreData
import Foundation

/// A disk of a given size that can run full: a file system in memory, mounted on a temporary folder.
///
/// Mounting takes root. The disk is unmounted, and its folder removed, with the last reference to this object.
public final class SmallDisk: Sendable {
    /// Where it is mounted.
    public let url: URL

    /// Why there can be none; nil when there can.
    public static let obstacle: String? = {
        if geteuid() != 0 { return "mounting a small disk takes root" }
        return (try? SmallDisk(kilobytes: 64)) == nil ? "a small disk cannot be mounted here" : nil
    }()

    public init(kilobytes: Int) throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("opencoredata-disk-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        guard Command.run("mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", url.path) else {
            try? FileManager.default.removeItem(at: url)
            throw CocoaError(.fileWriteUnknown)
        }
    }

    deinit {
        if Command.run("umount", url.path) || Command.run("umount", "-l", url.path) {
            try? FileManager.default.removeItem(at: url)
        }
    }

    /// Makes a file that takes all that is left but a number of kilobytes.
    public func fill(leaving kilobytes: Int) throws {
        let descriptor = open(ballast.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { close(descriptor) }
        // Other processes may write at the same time: the rest shows when there is no more.
        let zeros = [UInt8](repeating: 0, count: 64 << 10)
        var size = 0
        while case let count = write(descriptor, zeros, zeros.count), count > 0 { size += count }
        guard errno == ENOSPC, ftruncate(descriptor, off_t(max(0, size - kilobytes << 10))) == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    /// Removes what `fill(leaving:)` made.
    public func empty() throws { try FileManager.default.removeItem(at: ballast) }

    private var ballast: URL { url.appendingPathComponent("ballast") }
}

/// A file or folder that not even root may change, as long as this is held.
public final class ImmutableMark: Sendable {
    private let path: String

    /// Why there can be none; nil when there can.
    public static let obstacle: String? = {
        guard let folder = try? TemporaryFolder() else { return "no temporary folder" }
        return (try? ImmutableMark(folder.url)) == nil ? "files cannot be marked immutable here (chattr +i)" : nil
    }()

    public init(_ url: URL) throws {
        path = url.path
        guard Command.run("chattr", "+i", path) else { throw CocoaError(.fileWriteNoPermission) }
    }

    deinit { Command.run("chattr", "-i", path) }
}

/// Runs commands of the system, silently.
enum Command {
    /// Whether the command exists and succeeded.
    @discardableResult
    static func run(_ arguments: String...) -> Bool {
        let process = AwaitedProcess()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
