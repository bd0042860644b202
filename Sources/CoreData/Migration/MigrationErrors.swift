import Foundation

/// The errors of migrations. Every one names the entity and property it is about, in the text and under keys of its own.
enum MigrationErrors {
    /// User-info keys: the names of an entity and a property, and what the two models say about it.
    static let entityKey = "entity"
    static let propertyKey = "property"
    /// The primary key of a row, an `Int64`.
    static let rowKey = "row"
    static let sourceValueKey = "sourceValue"
    static let destinationValueKey = "destinationValue"

    /// A change between two models that cannot be inferred. `help` says what would make it possible.
    static func cannotInfer(
        entity: String, property: String? = nil, source: String, destination: String, help: String
    ) -> NSError {
        let place = property.map { "\(entity).\($0)" } ?? entity
        var info: [String: Any] = [
            entityKey: entity, sourceValueKey: source, destinationValueKey: destination,
            NSLocalizedRecoverySuggestionErrorKey: help,
        ]
        if let property { info[propertyKey] = property }
        return .coreData(
            NSInferredMappingModelError,
            reason: "Can’t infer a mapping for “\(place)”: source \(source), destination \(destination). \(help)",
            userInfo: info)
    }

    /// One error for everything that stands in the way of an inference.
    static func combined(_ problems: [NSError]) -> NSError {
        guard problems.count > 1 else { return problems[0] }
        var info = problems[0].userInfo
        info[NSDetailedErrorsKey] = problems
        info[NSLocalizedDescriptionKey] = nil
        let reasons = problems.map(\.localizedDescription).joined(separator: "\n")
        return .coreData(problems[0].code, reason: reasons, userInfo: info)
    }

    /// A row that the newer model does not allow.
    static func invalidRows(_ check: MigrationCheck, value: String, row: Int64, url: URL) -> NSError {
        let problem = check.problem(value: value)
        var info: [String: Any] = [
            entityKey: check.entity, rowKey: row, rowsKey: problem, NSLocalizedRecoverySuggestionErrorKey: check.help,
        ]
        if let property = check.property { info[propertyKey] = property }
        let reason = "\(problem) \(check.help) (first row: \(check.table) \(row))"
        let underlying = NSError.coreData(NSMigrationError, reason: reason, userInfo: info)
        return .coreData(
            NSMigrationError, reason: "Cannot migrate store in-place: \(reason)", url: url, underlying: underlying,
            userInfo: info)
    }

    /// What is wrong with a row, in one sentence.
    static let rowsKey = "problem"

    /// Whether an inferred migration failed because of rows that the newer model does not allow, not because of the models.
    static func isAboutRows(_ error: NSError) -> Bool { error.userInfo[rowsKey] != nil }

    /// No model at hand has the version hashes of the store.
    static func missingSourceModel(metadata: [String: Any], url: URL) -> NSError {
        .coreData(
            NSMigrationMissingSourceModelError, reason: "Can't find model for source store", url: url,
            userInfo: ["metadata": metadata])
    }

    /// A migration is wanted, but none may be inferred and no mapping model is at hand.
    static func missingMappingModel(metadata: [String: Any], url: URL) -> NSError {
        .coreData(
            NSMigrationMissingMappingModelError, reason: "Persistent store migration failed, missing mapping model.",
            url: url, userInfo: ["metadata": metadata])
    }

    /// Somebody cancelled the migration; the store is as it was.
    static func cancelled(url: URL) -> NSError {
        .coreData(NSMigrationCancelledError, reason: "The migration was cancelled. The store is unchanged.", url: url)
    }
}
