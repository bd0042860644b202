import Foundation

/// Bytes that can be read at any offset. Unreadable bytes are missing from the result; reading never throws.
protocol SalvageBytes {
    var count: Int { get }
    /// Reads bytes at an offset. Returns fewer bytes at the end, and none after a failure of the medium.
    func bytes(at offset: Int, count: Int) -> [UInt8]
    /// The next range that is no hole, from an offset on; nil if only holes follow. A file of a few bytes on the disk
    /// may claim a very great length.
    func data(from offset: Int) -> Range<Int>?
}

/// The main file of a store, read through SQLite's own descriptor.
struct MainFileBytes: SalvageBytes {
    private let connection: SQLiteConnection
    private let places: DataPlaces
    let count: Int

    init(_ connection: SQLiteConnection) throws {
        self.connection = connection
        count = Int(try connection.byteCount())
        places = DataPlaces(ofLockedFile: URL(fileURLWithPath: connection.path), count: count)
    }

    func data(from offset: Int) -> Range<Int>? { places.data(from: offset) }

    func bytes(at offset: Int, count: Int) -> [UInt8] {
        (try? connection.bytes(at: Int64(offset), count: count)) ?? []
    }
}

/// A file beside a store. SQLite has no locks on it that closing a descriptor could drop.
final class BesideFileBytes: SalvageBytes {
    private let descriptor: Int32
    let count: Int

    /// Opens the file. Nil if there is no regular file.
    init?(_ url: URL) {
        guard FileKind(at: url) == .file else { return nil }
        descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            count = 0
            return nil
        }
        count = Int(status.st_size)
    }

    func data(from offset: Int) -> Range<Int>? { DataPlaces(descriptor, count: count).data(from: offset) }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func bytes(at offset: Int, count: Int) -> [UInt8] {
        let available = min(count, self.count - offset)
        guard offset >= 0, available > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: available)
        let read = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        return read < 0 ? [] : Array(bytes.prefix(read))
    }
}

// Numbers in the encodings of SQLite's files. Nil if the bytes end before the number does.
extension Array<UInt8> {
    func number16(at place: Int) -> Int? {
        guard place >= 0, place < count - 1 else { return nil }
        return Int(self[place]) << 8 | Int(self[place + 1])
    }

    func number32(at place: Int) -> Int? {
        guard place >= 0, place < count - 3 else { return nil }
        return self[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// A number of one to nine bytes, and the place after it. `end` limits the bytes that may be read.
    func varint(at place: Int, before end: Int) -> (value: UInt64, next: Int)? {
        var value: UInt64 = 0
        for index in 0..<9 {
            let at = place + index
            guard at >= 0, at < Swift.min(end, count) else { return nil }
            if index == 8 { return (value << 8 | UInt64(self[at]), at + 1) }
            value = value << 7 | UInt64(self[at] & 0x7F)
            if self[at] & 0x80 == 0 { return (value, at + 1) }
        }
        return nil
    }
}
