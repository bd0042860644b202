import Foundation

/// Makes deferred values that share a cost limit in memory, and a folder of files.
///
/// A value comes from memory, from the folder, or else from a fetch. Fetched data is written into the folder. Choose a
/// folder in the system's cache directory: if the system or ``purge(keeping:)`` empties it, values are fetched again.
///
/// Use all members from any thread. Several processes may share a folder.
public final class DeferredValueCache: Sendable {
    /// The folder of the files; nil if nothing is kept on disk.
    public let folder: URL?
    private let pool: DeferredValuePool

    /// Makes a cache.
    ///
    /// - Parameters:
    ///   - costLimit: The number of bytes of values that may stay in memory. Beyond it the cache drops the values that
    ///     were not used for longest.
    ///   - folder: The folder for fetched data. It is made when it is first needed. With nil nothing is kept on disk.
    ///   - pressure: Reports when memory is short; every value is then dropped, as by ``dropAll()``, even if the cache
    ///     itself is released. With nil only the cost limit and calls drop values.
    public init(costLimit: Int = 64 << 20, folder: URL? = nil, pressure: MemoryPressure? = .system) {
        pool = DeferredValuePool(costLimit: costLimit, pressure: pressure)
        self.folder = folder
    }

    /// The number of bytes of the values in memory.
    public var cost: Int { pool.cost }

    /// Makes a value that is fetched as data and decoded.
    ///
    /// - Parameters:
    ///   - name: The name of the data in the folder, in this and in later processes; any text. Each call makes a new
    ///     value, even for the same name, so keep the result.
    ///   - cost: The number of bytes that the value takes in memory. The default is the number of bytes of the data.
    ///   - fetch: Gets the data if neither memory nor the folder has it.
    ///   - decode: Makes the value of the data. If it throws for data from the folder, the file is deleted and the data
    ///     is fetched.
    /// - Returns: A value that is not loaded yet.
    public func value<Value: Sendable>(
        named name: String, cost: (@Sendable (Value) -> Int)? = nil,
        fetch: @escaping @Sendable () async throws -> Data,
        decode: @escaping @Sendable (Data) throws -> Value
    ) -> DeferredValue<Value> {
        let file = folder?.appendingPathComponent(Self.fileName(for: name))
        return DeferredValue(pool: pool) { [folder] in
            if let file, let data = try? Data(contentsOf: file) {
                if let value = try? decode(data) {
                    // The date of the last use: `purge` begins with the oldest.
                    try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: file.path)
                    return (value, cost?(value) ?? data.count)
                }
                try? FileManager.default.removeItem(at: file)
            }
            let data = try await fetch()
            let value = try decode(data)
            if let file, let folder {
                // A cache that cannot be written is slow, not broken.
                try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try? data.write(to: file, options: .atomic)
            }
            return (value, cost?(value) ?? data.count)
        }
    }

    /// Makes a value that is fetched data as it is.
    ///
    /// - Parameters:
    ///   - name: The name of the data in the folder, in this and in later processes; any text.
    ///   - fetch: Gets the data if neither memory nor the folder has it.
    /// - Returns: A value that is not loaded yet.
    public func data(named name: String, fetch: @escaping @Sendable () async throws -> Data) -> DeferredValue<Data> {
        value(named: name, fetch: fetch, decode: { $0 })
    }

    /// Drops every value from memory. Callers that have a value keep it.
    public func dropAll() {
        pool.dropAll()
    }

    /// Deletes the files that were not used for longest, until the rest has at most so many bytes.
    ///
    /// Values in memory remain.
    ///
    /// - Parameter bytes: The number of bytes that may stay.
    /// - Returns: The number of bytes that are left, with those of files that could not be deleted.
    /// - Throws: The error of listing the folder. A folder that does not exist counts as empty.
    @discardableResult
    public func purge(keeping bytes: Int = 0) throws -> Int {
        guard let folder, FileManager.default.fileExists(atPath: folder.path) else { return 0 }
        var files: [(path: String, bytes: Int, used: Date)] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(Self.suffix) {
            let path = folder.appendingPathComponent(name).path
            // Another process may purge at the same time.
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
                attributes[.type] as? FileAttributeType == .typeRegular
            else { continue }
            let size = (attributes[.size] as? NSNumber)?.intValue ?? 0
            files.append((path, size, attributes[.modificationDate] as? Date ?? .distantPast))
        }
        var left = files.reduce(0) { $0 + $1.bytes }
        for file in files.sorted(by: { $0.used < $1.used }) where left > bytes {
            try? FileManager.default.removeItem(atPath: file.path)
            // Another process may have deleted it first.
            if !FileManager.default.fileExists(atPath: file.path) { left -= file.bytes }
        }
        return left
    }

    private static let suffix = ".deferred"

    /// The name of the file for a name. Letters, digits and hyphens stay, and every other byte is escaped. A long name
    /// ends in a checksum of the whole.
    static func fileName(for name: String) -> String {
        var text = ""
        for byte in name.utf8 {
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || 48...57 ~= byte || byte == 45)
            text += isPlain ? String(Character(scalar)) : "_" + String(byte, radix: 16)
        }
        if text.utf8.count <= 120 { return text + suffix }
        // FNV-1a. The framework has this hash, too, but not for a Mac, which also compiles this file.
        let hash: UInt64 = name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return "\(text.prefix(100))-\(String(hash, radix: 16))\(suffix)"
    }
}
