import Foundation

/// A request that has passed the server's checks and is whole.
package struct HTTPRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package let method: Method
    /// The path without percent escapes, from the first slash on.
    package let path: String
    /// The names and values of the query, without percent escapes.
    package let query: [String: String]
    package let body: Data

    package init(method: Method, path: String, query: [String: String] = [:], body: Data = Data()) {
        (self.method, self.path, self.query, self.body) = (method, path, query, body)
    }
}

/// The answer to a request.
package struct HTTPResponse: Sendable {
    package enum Body: Sendable {
        case bytes(Data)
        /// Parts that are made when they are sent; nil ends them. Called on the connection's thread, one call at a
        /// time.
        case parts(@Sendable () -> Data?)
    }

    package var status: Int
    package var type: String
    package var headers: [(name: String, value: String)]
    package var body: Body

    package init(
        _ status: Int = 200, type: String, headers: [(name: String, value: String)] = [], body: Body
    ) {
        (self.status, self.type, self.headers, self.body) = (status, type, headers, body)
    }

    package static func text(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status, type: "text/plain; charset=utf-8", body: .bytes(Data("\(text)\n".utf8)))
    }
}
