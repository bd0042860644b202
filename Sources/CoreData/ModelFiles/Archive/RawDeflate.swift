import CZlib
import Foundation

/// Raw DEFLATE (RFC 1951, no zlib header), the compression of a store's model cache.
enum RawDeflate {
    /// The greatest size. Real models stay below a few megabytes; a larger one is damaged or hostile.
    static let maximumSize = 256 << 20

    /// The decompressed bytes; throws when they are damaged or more than `limit`.
    static func decompress(_ data: Data, limit: Int = maximumSize) throws -> Data {
        var stream = z_stream()
        guard opencoredata_inflate_init_raw(&stream) == Z_OK else {
            throw archiveError("The decompressor cannot be set up.")
        }
        defer { inflateEnd(&stream) }
        let (result, status) = try output(for: data, limit: limit, of: &stream) { inflate(&$0, Z_NO_FLUSH) }
        guard status == Z_STREAM_END else { throw archiveError("The compressed model is damaged or cut off.") }
        return result
    }

    /// The bytes compressed.
    static func compress(_ data: Data) throws -> Data {
        var stream = z_stream()
        guard opencoredata_deflate_init_raw(&stream, Z_DEFAULT_COMPRESSION) == Z_OK else {
            throw archiveError("The compressor cannot be set up.")
        }
        defer { deflateEnd(&stream) }
        let (result, status) = try output(for: data, limit: .max, of: &stream) { deflate(&$0, Z_FINISH) }
        guard status == Z_STREAM_END else { throw archiveError("The model cannot be compressed (\(status)).") }
        return result
    }

    /// Returns the output of a step, and the way in which the step ended.
    private static func output(
        for data: Data, limit: Int, of stream: inout z_stream, step: (inout z_stream) -> Int32
    ) throws -> (Data, status: Int32) {
        var input = Array(data)
        var result = Data()
        let status = try input.withUnsafeMutableBufferPointer { source in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            return try drain(into: &result, limit: limit, of: &stream, step: step)
        }
        return (result, status)
    }

    /// Runs a step until it ends, fails or makes no progress, and collects its output.
    private static func drain(
        into result: inout Data, limit: Int, of stream: inout z_stream, step: (inout z_stream) -> Int32
    ) throws -> Int32 {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let (status, produced) = chunk.withUnsafeMutableBufferPointer { target in
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                let status = step(&stream)
                return (status, target.count - Int(stream.avail_out))
            }
            result.append(contentsOf: chunk[..<produced])
            guard result.count <= limit else { throw archiveError("The compressed model is larger than any model.") }
            if status != Z_OK || produced == 0 { return status }
        }
    }
}
