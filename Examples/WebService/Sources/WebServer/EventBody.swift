#if canImport(CHTTPD)
import CHTTPD
import Foundation
import Synchronization

/// The events for one client, with room for one of them: a client that reads slowly gets the newest event, and one that
/// does not read takes no memory.
public final class EventMailbox: Sendable {
    /// Why there are no more events, which the client gets as JSON.
    public typealias Reason = Error & Encodable

    private struct State {
        var waiting: Data?
        var refusal: (any Reason)?
        /// Whether the pipe has a byte, which wakes the thread of the connection.
        var isSignalled = false
    }

    private let state = Mutex(State())
    private let (output, input): (Int32, Int32)

    /// Returns nil if too many files are open.
    public init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        (output, input) = (ends[0], ends[1])
    }

    deinit {
        close(output)
        close(input)
    }

    /// Leaves an event, in place of one that the client has not begun to read.
    public func put(_ event: Data) {
        state.withLock { state in
            state.waiting = event
            signal(&state)
        }
    }

    /// There are no more events, for a reason.
    public func end(_ refusal: any Reason) {
        state.withLock { state in
            state.refusal = refusal
            signal(&state)
        }
    }

    private func signal(_ state: inout State) {
        if !state.isSignalled { state.isSignalled = write(input, [0], 1) == 1 }
    }

    /// Waits for the first event. Throws the reason where there is none.
    public func waitForFirst() throws {
        while webservice_wait(output, nil, -1) == 0 {}
        let refusal = state.withLock { $0.waiting == nil ? $0.refusal : nil }
        if let refusal { throw refusal }
    }

    enum Message {
        case event(Data)
        case end(any Reason)
        case nothing
        case closed
    }

    /// Waits for an event, as long as the client keeps the connection open.
    func next(on connection: OpaquePointer, milliseconds: Int32) -> Message {
        guard webservice_wait(output, connection, milliseconds) >= 0 else { return .closed }
        return state.withLock { state in
            var byte: UInt8 = 0
            if state.isSignalled { state.isSignalled = read(output, &byte, 1) != 1 }
            if let event = state.waiting {
                state.waiting = nil
                // The reason of the end, if there is one, is read next.
                if state.refusal != nil { signal(&state) }
                return .event(event)
            }
            return state.refusal.map(Message.end) ?? .nothing
        }
    }
}

/// The body of an answer that has no end. It is released when the connection is closed.
public final class EventBody: Sendable {
    let mailbox: EventMailbox
    private let onClose: @Sendable () -> Void

    public init(_ mailbox: EventMailbox, onClose: @escaping @Sendable () -> Void) {
        (self.mailbox, self.onClose) = (mailbox, onClose)
    }

    deinit { onClose() }
}

/// A body on its way to a client. Its connection's thread uses it.
final class SentEvents {
    private let body: EventBody
    private let connection: OpaquePointer
    /// A pause after which a comment is sent, so that the connection is not taken for a silent one.
    private let milliseconds: Int32
    private var rest = Data()
    private var isEnded = false

    init(_ body: EventBody, on connection: OpaquePointer, milliseconds: Int32) {
        (self.body, self.connection, self.milliseconds) = (body, connection, milliseconds)
    }

    /// Copies the next bytes into a buffer, and waits if there are none.
    func read(into buffer: UnsafeMutablePointer<CChar>, _ size: Int) -> Int {
        if rest.isEmpty {
            if isEnded { return Int(MHD_CONTENT_READER_END_OF_STREAM) }
            switch body.mailbox.next(on: connection, milliseconds: milliseconds) {
            case .event(let event): rest = event
            case .nothing: rest = Data(":\n\n".utf8)
            case .closed: return Int(MHD_CONTENT_READER_END_WITH_ERROR)
            case .end(let refusal):
                isEnded = true
                let reason = (try? JSONEncoder().encode(refusal)) ?? Data("{}".utf8)
                rest = Data("event: error\ndata: ".utf8) + reason + Data("\n\n".utf8)
            }
        }
        let part = rest.prefix(size)
        part.copyBytes(to: UnsafeMutableRawBufferPointer(start: buffer, count: part.count))
        rest = part.count == rest.count ? Data() : rest.dropFirst(part.count)
        return part.count
    }
}
#endif
