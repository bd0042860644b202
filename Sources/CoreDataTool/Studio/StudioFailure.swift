import CoreData
import Foundation
import StudioServer

/// Why the studio does not do what the page asked for: a status of HTTP, and what the page says to the person.
struct StudioFailure: Error {
    let status: Int
    let message: String
    let details: [String]
    /// Where in a predicate the mistake is: UTF-16 units, as the page counts.
    var place: Range<Int>?
    /// The property that it is about.
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
        // The page marks the place; lines with a caret below it are for terminals.
        self = StudioFailure(status, error.message, details: error.notes)
        self.place = place.utf16Range(in: format)
    }

    /// What is wrong, and where.
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
