// Implementation notes: StudioServer.
//
// - This module is HTTP and nothing else: libmicrohttpd, which reads requests and keeps their limits, behind Swift
//   values. It is compiled with the package trait `Studio`. Without the trait a build does not need the library's
//   headers, and `coredata studio` explains how to get it. The module uses the library because parsing bytes from
//   unknown clients is no work for this project.
// - `RequestCheck` checks a request before its body is read: `Host`, `Origin`, `Sec-Fetch-Site`, token or cookie, type
//   and length of the body. The token is valid once. `RequestClock` ends connections that send a byte now and then; the
//   library ends those that are silent. Every answer forbids the browser to load, run or frame content from other
//   addresses.

#if Studio
import CMicroHTTPD
import Foundation
import Synchronization

/// A server for one page, on the loopback address alone.
///
/// A token in its address lets one browser in. Every request is checked before its body is read (`RequestCheck`),
/// is bounded in size and time (`ServerLimits`), and is answered on a thread of its connection.
package final class LoopbackServer: Sendable {
    package typealias Handler = @Sendable (HTTPRequest) -> HTTPResponse

    package let port: UInt16
    private let token: String
    // The C library guards its daemon; it is stopped once, by `stop`.
    private nonisolated(unsafe) let daemon: OpaquePointer
    private let core: ServerCore

    /// The address that lets a browser in, once.
    package var address: String { "http://127.0.0.1:\(port)/?token=\(token)" }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - port: the port to listen on; 0 for any that is free.
    ///   - handler: answers requests, several at a time.
    /// - Returns: nil where the port is taken.
    package init?(port: UInt16, limits: ServerLimits = ServerLimits(), handler: @escaping Handler) {
        token = Session.random()
        core = ServerCore(limits: limits, handler: handler)
        let context = Unmanaged.passUnretained(core).toOpaque()
        guard
            let daemon = opencoredata_start_server(
                port, limits.connections, limits.idleSeconds, limits.memory,
                { context, connection, _, method, _, data, size, state in
                    guard let core = ServerCore.of(context), let connection, let method, let state else {
                        return .NO
                    }
                    return core.accept(
                        connection, method: String(cString: method), data: data, size: size, state: state)
                },
                { context, connection, state, _ in
                    guard let connection else { return }
                    if let state = state?.pointee { Unmanaged<RequestState>.fromOpaque(state).release() }
                    ServerCore.of(context)?.clock.ended(connection)
                },
                { context, connection, _, event in
                    guard let clock = ServerCore.of(context)?.clock, let connection else { return }
                    event == .CONNECTION_NOTIFY_STARTED ? clock.opened(connection) : clock.closed(connection)
                },
                { _, target, _ in Unmanaged.passRetained(RequestState(String(cString: target))).toOpaque() },
                context)
        else { return nil }
        self.daemon = daemon
        self.port = opencoredata_server_port(daemon)
        core.begin(RequestCheck(port: self.port, session: Session(token: token), limits: limits))
    }

    /// Ends all connections, after what is being answered. Parts that are still to come have to end by themselves.
    package func stop() {
        core.clock.stop()
        MHD_stop_daemon(daemon)
    }
}

/// A request while it arrives.
final class RequestState {
    let target: String
    var request: HTTPRequest?
    var body = Data()

    init(_ target: String) { self.target = target }
}

/// The objects that the library's callbacks use.
final class ServerCore: Sendable {
    let clock: RequestClock
    private let handler: LoopbackServer.Handler
    private let limits: ServerLimits
    private let check = Mutex<RequestCheck?>(nil)

    init(limits: ServerLimits, handler: @escaping LoopbackServer.Handler) {
        self.limits = limits
        self.handler = handler
        clock = RequestClock(limits)
    }

    static func of(_ context: UnsafeMutableRawPointer?) -> ServerCore? {
        context.map { Unmanaged<ServerCore>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Sets the check, which needs the port. From now on requests are answered.
    func begin(_ check: RequestCheck) { self.check.withLock { $0 = check } }

    /// Called once with the headers, then with each part of the body, and at last with none.
    func accept(
        _ connection: OpaquePointer, method: String, data: UnsafePointer<CChar>?, size: UnsafeMutablePointer<Int>?,
        state: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        guard let pointer = state.pointee, let check = check.withLock({ $0 }) else { return .NO }
        let state = Unmanaged<RequestState>.fromOpaque(pointer).takeUnretainedValue()
        guard let request = state.request else {
            switch check.verdict(on: head(of: connection, method, state.target)) {
            case .passed(let request):
                state.request = request
                return .YES
            case .answer(let response):
                clock.arrived(connection)
                return ServerAnswer.queue(response, on: connection)
            }
        }
        if let size, size.pointee > 0 {
            // The body is longer than the limit, whatever its header gave as its length.
            guard let data, state.body.count + size.pointee <= limits.body else { return .NO }
            state.body.append(UnsafeRawPointer(data).assumingMemoryBound(to: UInt8.self), count: size.pointee)
            size.pointee = 0
            return .YES
        }
        clock.arrived(connection)
        let whole = HTTPRequest(
            method: request.method, path: request.path, query: request.query, body: state.body)
        return ServerAnswer.queue(handler(whole), on: connection)
    }

    private func head(of connection: OpaquePointer, _ method: String, _ target: String) -> RequestCheck.Head {
        func header(_ name: String) -> String? {
            MHD_lookup_connection_value(connection, .HEADER_KIND, name).map { String(cString: $0) }
        }
        return RequestCheck.Head(
            method: method, target: target, host: header("Host"), origin: header("Origin"),
            site: header("Sec-Fetch-Site"), cookie: header("Cookie"), type: header("Content-Type"),
            length: header("Content-Length"), isAmbiguous: isAmbiguous(connection))
    }

    /// Whether one of the checked headers occurs twice, or two headers give the length: programs differ in which of
    /// them counts.
    private func isAmbiguous(_ connection: OpaquePointer) -> Bool {
        let names = HeaderNames()
        MHD_get_connection_values(
            connection, .HEADER_KIND,
            { names, _, name, _ in
                guard let names, let name else { return .YES }
                Unmanaged<HeaderNames>.fromOpaque(names).takeUnretainedValue().note(String(cString: name))
                return .YES
            }, Unmanaged.passUnretained(names).toOpaque())
        return names.areAmbiguous
    }
}

/// The names of a request's headers that decide about it.
private final class HeaderNames {
    private static let decisive: Set<String> = [
        "host", "origin", "sec-fetch-site", "content-type", "content-length", "transfer-encoding",
    ]
    private var found: Set<String> = []
    private var hasTwice = false

    var areAmbiguous: Bool { hasTwice || found.isSuperset(of: ["content-length", "transfer-encoding"]) }

    func note(_ name: String) {
        let name = name.lowercased()
        if Self.decisive.contains(name), !found.insert(name).inserted { hasTwice = true }
    }
}
#endif
