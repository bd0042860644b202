import Foundation

/// Makes deferred values that share a cost limit in memory and a folder of files that may be deleted at any time.
///
/// A value is looked for in memory, then in the folder, then fetched; what was fetched is left in the folder. The
/// folder belongs in the system's cache directory: when the system or `purge` empties it, values are fetched again.
///
/// Threads: everything may be used from any thread; several processes may share a folder.
public final class DeferredValueCache: Sendable {
    /// The folder of the files; nil when nothing is kept on disk.
    public let folder: URL?
    private let pool: DeferredValuePool

    /// - Parameters:
    ///   - costLimit: bytes of values that may lie in memory; beyond it the least recently used ones are dropped.
    ///   - folder: where fetched data is left, made when it is first needed; nil for nowhere.
    ///   - pressure: tells when memory is short: every value is dropped then, as by `dropAll()`, also when the cache
    ///     itself is gone by then. Nil for nobody.
    public init(costLimit: Int = 64 << 20, folder: URL? = nil, pressure: MemoryPressure? = .system) {
        pool = DeferredValuePool(costLimit: costLimit, pressure: pressure)
        self.folder = folder
    }

    /// Bytes of the values that lie in memory.
    public var cost: Int { pool.cost }

    /// A value that is fetched as data and decoded.
    ///
    /// - Parameters:
    ///   - name: stands for the data in the folder, in this and in later runs; any text. Two values of the same name in
    ///     memory are two values: keep the one that this returns.
    ///   - cost: bytes that the value takes in memory; by default as many as the data has.
    ///   - fetch: gets the data when neither memory nor the folder has it.
    ///   - decode: makes the value of the data. When it throws for data from the folder, the file is thrown away and
    ///     the data is fetched.
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

    /// Data that is fetched and taken as it is.
    public func data(named name: String, fetch: @escaping @Sendable () async throws -> Data) -> DeferredValue<Data> {
        value(named: name, fetch: fetch, decode: { $0 })
    }

    /// Drops every value from memory. What is in use stays with those who use it.
    public func dropAll() {
        pool.dropAll()
    }

    /// Deletes files, those not used for longest first, until the rest has at most `bytes` bytes. Values in memory
    /// stay.
    ///
    /// - Returns: how many bytes are left, those of files that could not be deleted included.
    /// - Throws: why the folder cannot be listed. A folder that is not there is empty.
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
            // Another process may have been faster.
            if !FileManager.default.fileExists(atPath: file.path) { left -= file.bytes }
        }
        return left
    }

    private static let suffix = ".deferred"

    /// Letters, digits and hyphens stay, every other byte is escaped; a long name ends in a checksum of the whole.
    static func fileName(for name: String) -> String {
        var text = ""
        for byte in name.utf8 {
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || 48...57 ~= byte || byte == 45)
            text += isPlain ? String(Character(scalar)) : "_" + String(byte, radix: 16)
        }
        return (text.utf8.count <= 120 ? text : "\(text.prefix(100))-\(String(name.utf8.stableHash, radix: 16))")
            + suffix
    }
}
