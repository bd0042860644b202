import Foundation

/// A place in the source of a model, to which an error points.
package struct ModelSourcePlace: Sendable {
    package let file: String
    /// The line, from 1.
    package let line: Int
    /// The column in bytes, from 1.
    package let column: Int

    init(file: String, line: Int, column: Int = 1) {
        (self.file, self.line, self.column) = (file, line, column)
    }

    private static let placeKey = "NSModelSourcePlace"
    private static let reasonKey = "NSModelSourceReason"

    /// An error at the place.
    func error(_ reason: String, separator: String = ": ") -> NSError {
        let error = modelError("line \(line)\(separator)\(reason)", file: file)
        return NSError(
            domain: error.domain, code: error.code,
            userInfo: error.userInfo.merging([Self.placeKey: self, Self.reasonKey: reason]) { first, _ in first })
    }

    /// The place of an error, with the reason in words that do not repeat the place; nil for other errors.
    package static func of(_ error: any Error) -> (place: ModelSourcePlace, reason: String)? {
        let info = (error as NSError).userInfo
        guard let place = info[placeKey] as? ModelSourcePlace, let reason = info[reasonKey] as? String else {
            return nil
        }
        return (place, reason)
    }
}
