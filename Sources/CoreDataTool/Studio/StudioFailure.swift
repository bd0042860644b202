import CoreData
import Foundation
import StudioServer

/// An error for the page: a status of HTTP, and the message that the page shows.
struct StudioFailure: Error {
    let status: Int
    let message: String
    let details: [String]
    /// The place of the mistake in a predicate, in UTF-16 units as in JavaScript.
    var place: Range<Int>?
    /// The property of the error.
    var key: String?
    /// Further members of the answer.
    var members: [(String, JSON)] = []

    init(_ status: Int, _ message: String, details: [String] = [], key: String? = nil) {
        (self.status, self.message, self.details, self.key) = (status, message, details, key)
    }

    /// - Parameter format: the predicate that the page sent.
    init(_ error: any Error, format: String? = nil) {
        if let failure = error as? StudioFailure {
            self = failure
            return
        }
        let error = ToolError(error)
        let status =
            switch error.status {
            case .usage, .found: 400
            case .busy: 409
            default: 500
            }
        self.init(status, error.message, details: error.details)
        guard let place = error.place, let format else { return }
        // The page marks the place itself. Lines with a caret are for terminals.
        self = StudioFailure(status, error.message, details: error.notes)
        self.place = place.utf16Range(in: format)
    }

    /// The facts about the error and its place.
    var facts: [(String, JSON)] {
        [
            ("message", .string(message)), ("details", .array(details.map { .string($0) })),
            ("position", .optional(place?.lowerBound)), ("length", .optional(place?.count)),
        ]
    }

    var response: HTTPResponse {
        .json(.object([("error", .object(facts + [("key", .optional(key))]))] + members), status: status)
    }
}

extension HTTPResponse {
    static func json(_ json: JSON, status: Int = 200) -> HTTPResponse {
        var bytes: [UInt8] = []
        json.append(to: &bytes)
        return HTTPResponse(status, type: "application/json; charset=utf-8", body: .bytes(Data(bytes)))
    }
}
