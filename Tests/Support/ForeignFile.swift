import Foundation

/// Something that is no file of a store and may lie in the place of one.
public enum ForeignFile: String, Sendable {
    case device, pipe, socket, folder, link

    /// Whether this process may make devices.
    public static let canMakeDevices: Bool = {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("device-\(UUID().uuidString)")
        defer { unlink(url.path) }
        return (try? ForeignFile.device.make(at: url)) != nil
    }()

    /// Makes one where nothing lies. The device takes everything and gives nothing; the link leads to a file beside it.
    public func make(at url: URL) throws {
        let code: Int32
        switch self {
        case .device: code = mknod(url.path, S_IFCHR | 0o666, makedev(1, 3))
        case .pipe: code = mkfifo(url.path, 0o666)
        case .socket: code = Self.makeSocket(at: url)
        case .folder: code = mkdir(url.path, 0o755)
        case .link: code = symlink("elsewhere", url.path)
        }
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    /// Whether one lies there.
    public func lies(at url: URL) -> Bool {
        var status = stat()
        guard lstat(url.path, &status) == 0 else { return false }
        let kinds: [ForeignFile: mode_t] = [
            .device: S_IFCHR, .pipe: S_IFIFO, .socket: S_IFSOCK, .folder: S_IFDIR, .link: S_IFLNK,
        ]
        return status.st_mode & S_IFMT == kinds[self]
    }

    private func makedev(_ major: UInt64, _ minor: UInt64) -> dev_t { dev_t(major << 8 | minor) }

    private static func makeSocket(at url: URL) -> Int32 {
        let descriptor = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(url.path.utf8).prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
