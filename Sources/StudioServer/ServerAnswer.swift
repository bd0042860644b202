#if Studio
import CMicroHTTPD
import Foundation

/// Hands answers to the library.
enum ServerAnswer {
    /// The headers of every answer: the browser loads, runs and frames only this server's content, and sends no
    /// referrer.
    private static let always: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
    ]
    private static let blockSize = 64 << 10

    static func queue(_ answer: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
        let made: OpaquePointer? =
            switch answer.body {
            case .bytes(let data):
                data.withUnsafeBytes { bytes in
                    MHD_create_response_from_buffer(
                        bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
                }
            case .parts(let next): response(of: next)
            }
        guard let made else { return .NO }
        defer { MHD_destroy_response(made) }
        for (name, value) in always + answer.headers + [("Content-Type", answer.type)] {
            guard MHD_add_response_header(made, name, value) == .YES else { return .NO }
        }
        return MHD_queue_response(connection, UInt32(answer.status), made)
    }

    /// Parts of an answer, and the bytes of the last one that are not yet sent.
    private final class Parts {
        let next: @Sendable () -> Data?
        var rest = Data()

        init(_ next: @escaping @Sendable () -> Data?) { self.next = next }

        func read(into buffer: UnsafeMutablePointer<CChar>, _ size: Int) -> Int {
            while rest.isEmpty {
                guard let part = next() else { return Int(MHD_CONTENT_READER_END_OF_STREAM) }
                rest = part
            }
            let part = rest.prefix(size)
            part.copyBytes(to: UnsafeMutableRawBufferPointer(start: buffer, count: part.count))
            rest = Data(rest.dropFirst(part.count))
            return part.count
        }
    }

    private static func response(of next: @escaping @Sendable () -> Data?) -> OpaquePointer? {
        let parts = Unmanaged.passRetained(Parts(next))
        // -1 of the library's type: the length is unknown.
        let made = MHD_create_response_from_callback(
            UInt64.max, blockSize,
            { parts, _, buffer, size in
                guard let parts, let buffer else { return Int(MHD_CONTENT_READER_END_WITH_ERROR) }
                return Unmanaged<Parts>.fromOpaque(parts).takeUnretainedValue().read(into: buffer, size)
            }, parts.toOpaque(),
            { parts in if let parts { Unmanaged<Parts>.fromOpaque(parts).release() } })
        if made == nil { parts.release() }
        return made
    }
}
#endif
