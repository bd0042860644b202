import Foundation

/// An error of a container or a context.
///
/// A `catch` with one of the values matches every error of that kind. The error that is thrown also has the underlying
/// error and a sentence.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/swiftdataerror)
public struct SwiftDataError: Error, Sendable {
    private let kind: String
    /// The error of the store or of the framework.
    ///
    /// OpenCoreData only.
    public let underlyingError: (any Error)?
    /// A sentence that says what is wrong.
    ///
    /// OpenCoreData only.
    public let reason: String?

    private init(_ kind: String, underlying: (any Error)? = nil, reason: String? = nil) {
        self.kind = kind
        underlyingError = underlying
        self.reason = reason
    }

    /// The error with what has led to it.
    func because(_ reason: String? = nil, _ underlying: (any Error)? = nil) -> SwiftDataError {
        SwiftDataError(kind, underlying: underlying, reason: reason ?? underlying.map { Self.sentence(of: $0) })
    }

    private static func sentence(of error: any Error) -> String {
        if let fault = error as? SchemaFault { return fault.description }
        let error = error as NSError
        return error.userInfo[NSLocalizedFailureReasonErrorKey] as? String ?? error.localizedDescription
    }

    /// The container cannot be made: its classes or its stores are wrong.
    public static let loadIssueModelContainer = SwiftDataError("loadIssueModelContainer")
    /// A store has a higher version than the schema.
    public static let backwardMigration = SwiftDataError("backwardMigration")
    /// The schema of a configuration has classes that the container's schema does not have, or leaves some out.
    public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
        "configurationSchemaNotFoundInContainerSchema")
    /// Two configurations have one name or one place.
    public static let duplicateConfiguration = SwiftDataError("duplicateConfiguration")
    /// The name of a configuration cannot be a file's name.
    public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
        "configurationFileNameContainsInvalidCharacters")
    /// The name of a configuration is too long for a file's name.
    public static let configurationFileNameTooLong = SwiftDataError("configurationFileNameTooLong")
    /// The history after a token is not kept any more, or the token is of other stores.
    public static let historyTokenExpired = SwiftDataError("historyTokenExpired")
    /// The stores have no transactions of a type.
    public static let invalidTransactionFetchRequest = SwiftDataError("invalidTransactionFetchRequest")
    /// The container's schema does not have the class.
    public static let unknownSchema = SwiftDataError("unknownSchema")
    /// The store of a program does not have a class of its configuration.
    public static let unknownDataStoreSchema = SwiftDataError("unknownDataStoreSchema")
    /// A predicate cannot be evaluated.
    public static let unsupportedPredicate = SwiftDataError("unsupportedPredicate")
    /// A sort descriptor leads to anything else than properties.
    public static let unsupportedSortDescriptor = SwiftDataError("unsupportedSortDescriptor")
    /// A key path leads to anything else than properties.
    public static let unsupportedKeyPath = SwiftDataError("unsupportedKeyPath")
    /// A fetch in batches cannot have unsaved changes.
    public static let includePendingChangesWithBatchSize = SwiftDataError("includePendingChangesWithBatchSize")
    /// A model has no context. Nothing throws it here: models without a context keep their values.
    public static let missingModelContext = SwiftDataError("missingModelContext")
    /// Unsaved changes cannot be sorted among identifiers. Nothing throws it here: a context sorts them.
    public static let sortingPendingChangesWithIdentifiers = SwiftDataError("sortingPendingChangesWithIdentifiers")
    /// A model does not have the values that its class asks for.
    public static let modelValidationFailure = SwiftDataError("modelValidationFailure")

    /// Whether an error is of a kind.
    ///
    /// - Parameters:
    ///   - match: The kind.
    ///   - error: The error.
    /// - Returns: Whether it is of the kind.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/swiftdataerror/~=(_:_:))
    public static func ~= (match: SwiftDataError, error: any Error) -> Bool {
        (error as? SwiftDataError)?.kind == match.kind
    }
}

extension SwiftDataError: Equatable {
    /// Whether two errors are of one kind.
    public static func == (lhs: SwiftDataError, rhs: SwiftDataError) -> Bool { lhs.kind == rhs.kind }
}

extension SwiftDataError: CustomStringConvertible, LocalizedError {
    /// The kind, and the sentence.
    public var description: String { "SwiftDataError.\(kind)" + (reason.map { ": \($0)" } ?? "") }
    /// The sentence.
    public var errorDescription: String? { description }
}
