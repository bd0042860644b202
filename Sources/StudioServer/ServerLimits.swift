/// The limits of a server for its clients.
package struct ServerLimits: Sendable {
    /// Connections at a time; further ones are closed at once.
    package var connections: UInt32 = 64
    /// Bytes of a request's body.
    package var body = 1 << 20
    /// Bytes of memory for a connection, which bounds the first line and the headers.
    package var memory = 64 << 10
    /// Seconds in which nothing is received or sent before a connection is closed.
    package var idleSeconds: UInt32 = 15
    /// Seconds for a whole request to arrive, even if bytes arrive steadily.
    package var requestSeconds = 15.0

    package init() {}
}
