import CoreData
import CoreDataManager

/// A request that is not fulfilled: the status and the text of the answer.
struct Refusal: Error, Encodable {
    struct Field: Encodable {
        let field: String
        let code: Int
        let reason: String
    }

    let status: Int
    let error: String
    /// What is wrong with the values of a book.
    var fields: [Field]?
    /// Another request has made an author with the name of the new one. A repetition finds it.
    var isWorthRepeating = false

    private enum CodingKeys: CodingKey { case error, fields }

    init(_ status: Int, _ error: String) { (self.status, self.error) = (status, error) }

    /// Decides by the code of an error. Call it on the queue of the context: errors may hold objects.
    init(_ error: any Error) {
        switch error {
        case let refusal as Refusal: self = refusal
        case let error as PredicateParseError: self.init(400, "where: \(error)")
        case let error as DecodingError: self.init(400, Refusal.text(of: error))
        case CoreDataManagerError.notReady(let state): self.init(503, "the service is \(state)")
        case let error as CocoaError: self.init(error)
        default: self.init(unexpected: error)
        }
    }

    private init(_ error: CocoaError) {
        switch error.code {
        case .managedObjectMerge: self.init(409, "somebody else has changed or deleted the book")
        case .managedObjectConstraintMerge:
            self.init(409, "somebody else has saved the same author")
            isWorthRepeating = true
        case .persistentStoreTimeout: self.init(503, "the store is busy, or the search took too long")
        case .coreData: self.init(400, error.localizedDescription)
        case _ where (1550...1690).contains(error.code.rawValue):
            let parts = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error as NSError]
            self.init(422, "the book is not valid")
            fields = parts.map { part in
                let key = part.userInfo[NSValidationKeyErrorKey] as? String ?? ""
                return Field(field: key, code: part.code, reason: part.localizedDescription)
            }
            fields?.sort { $0.field < $1.field }
        default: self.init(unexpected: error)
        }
    }

    /// Clients get no details; the operator finds them in the log.
    private init(unexpected error: any Error) {
        FileHandle.standardError.write(Data("web-service: \(error)\n".utf8))
        self.init(500, "the service has failed")
    }

    private static func text(of error: DecodingError) -> String {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            return (path.isEmpty ? "body" : path) + ": " + context.debugDescription
        @unknown default: return "body: it cannot be read"
        }
    }
}
