// OpenCoreData's own package compiles this program without libmicrohttpd where the headers are missing.
#if canImport(CHTTPD)
import CHTTPD
import Foundation

/// A request that has arrived whole. Use it while it is being answered, and not later.
public struct HTTPRequest {
    public let method: String
    /// The parts of the path between its slashes.
    public let path: [String]
    public let body: Data
    fileprivate let connection: OpaquePointer

    /// The value of a query parameter.
    public func query(_ name: String) -> String? {
        MHD_lookup_connection_value(connection, .GET_ARGUMENT_KIND, name).map { String(cString: $0) }
    }
}

public struct HTTPResponse: Sendable {
    public var status: Int
    public var headers: [String: String]
    public var body: Data
    /// Events in place of a body.
    public var events: EventBody?

    public init(
        status: Int, headers: [String: String] = ["Content-Type": "application/json"], body: Data = Data(),
        events: EventBody? = nil
    ) {
        (self.status, self.headers, self.body, self.events) = (status, headers, body, events)
    }
}

/// An HTTP server on the loopback address. libmicrohttpd reads the requests, each on a thread of its connection.
public final class HTTPServer {
    public typealias Handler = @Sendable (HTTPRequest) -> HTTPResponse

    public let port: UInt16
    private let daemon: OpaquePointer
    private let core: Core

    /// Listens on a port, 0 for any that is free. Returns nil if the port is taken.
    ///
    /// - Parameter timeout: The seconds after which a connection is closed on which nothing moves.
    public init?(port: UInt16, timeout: UInt32 = 30, handler: @escaping Handler) {
        core = Core(handler, timeout: timeout)
        let listening = webservice_listen(
            port, timeout,
            { context, connection, path, method, _, data, size, state in
                guard let context, let connection, let path, let method, let size, let state else { return .NO }
                let core = Unmanaged<Core>.fromOpaque(context).takeUnretainedValue()
                let parts = String(cString: path).split(separator: "/").map(String.init)
                return core.accept(
                    connection, method: String(cString: method), path: parts, data: data, size: size, state: state)
            },
            { _, _, state, _ in
                guard let state, let body = state.pointee else { return }
                Unmanaged<Body>.fromOpaque(body).release()
                state.pointee = nil
            }, Unmanaged.passUnretained(core).toOpaque())
        guard let listening else { return nil }
        daemon = listening
        self.port = webservice_port(listening)
    }

    /// Serves the main queue. SIGTERM and SIGINT end the program, when each request that is being answered has its
    /// answer.
    public func run() -> Never {
        let signals = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler { [daemon] in
                MHD_stop_daemon(daemon)
                exit(0)
            }
            source.resume()
            return source
        }
        withExtendedLifetime(signals) { dispatchMain() }
    }
}

/// The body of a request while it arrives.
private final class Body { var data = Data() }

private final class Core: Sendable {
    private static let longestBody = 1 << 20
    /// What the kernel keeps for a client of events that does not read.
    private static let bytesOnTheWay: Int32 = 64 << 10
    private static let blockSize = 16 << 10
    private let handler: HTTPServer.Handler
    private let timeout: UInt32

    init(_ handler: @escaping HTTPServer.Handler, timeout: UInt32) { (self.handler, self.timeout) = (handler, timeout) }

    /// The library calls this once for the headers, then for each part of the body, and at last without a part.
    func accept(
        _ connection: OpaquePointer, method: String, path: [String], data: UnsafePointer<CChar>?,
        size: UnsafeMutablePointer<Int>, state: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        guard let pointer = state.pointee else {
            let length = MHD_lookup_connection_value(connection, .HEADER_KIND, "Content-Length")
            if let length, Int(String(cString: length)) ?? .max > Self.longestBody {
                return send(HTTPResponse(status: 413), on: connection)
            }
            state.pointee = Unmanaged.passRetained(Body()).toOpaque()
            return .YES
        }
        let body = Unmanaged<Body>.fromOpaque(pointer).takeUnretainedValue()
        guard size.pointee == 0 else {
            // A body without a length is cut off where it becomes too long.
            guard let data, body.data.count + size.pointee <= Self.longestBody else { return .NO }
            body.data.append(UnsafeRawPointer(data).assumingMemoryBound(to: UInt8.self), count: size.pointee)
            size.pointee = 0
            return .YES
        }
        let request = HTTPRequest(method: method, path: path, body: body.data, connection: connection)
        return send(handler(request), on: connection)
    }

    private func send(_ answer: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
        let response =
            answer.events.map { events($0, on: connection) }
            ?? answer.body.withUnsafeBytes { bytes in
                MHD_create_response_from_buffer(
                    bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
            }
        guard let response else { return .NO }
        defer { MHD_destroy_response(response) }
        for (name, value) in answer.headers { MHD_add_response_header(response, name, value) }
        return MHD_queue_response(connection, UInt32(answer.status), response)
    }

    /// An answer whose parts are read one after the other, on the thread of the connection, which waits for them.
    private func events(_ body: EventBody, on connection: OpaquePointer) -> OpaquePointer? {
        webservice_bound_sending(connection, Self.bytesOnTheWay)
        let sent = Unmanaged.passRetained(
            SentEvents(body, on: connection, milliseconds: Int32(clamping: timeout * 1000 / 3)))
        // The greatest number: the length is not known.
        let response = MHD_create_response_from_callback(
            .max, Self.blockSize,
            { sent, _, buffer, size in
                guard let sent, let buffer else { return Int(MHD_CONTENT_READER_END_WITH_ERROR) }
                return Unmanaged<SentEvents>.fromOpaque(sent).takeUnretainedValue().read(into: buffer, size)
            }, sent.toOpaque(), { sent in if let sent { Unmanaged<SentEvents>.fromOpaque(sent).release() } })
        if response == nil { sent.release() }
        return response
    }
}
#endif
