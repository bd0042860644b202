import Foundation

/// The errors of migrations. Each names the entity and property that it is about, in the text and under keys of its
/// own.
enum MigrationErrors {
    /// User-info keys: the names of an entity and a property, and their descriptions in the two models.
    static let entityKey = "entity"
    static let propertyKey = "property"
    /// The primary key of a row, an `Int64`.
    static let rowKey = "row"
    static let sourceValueKey = "sourceValue"
    static let destinationValueKey = "destinationValue"

    /// The error about a change between two models that cannot be inferred. `help` is a change that would make it
    /// possible.
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

    /// Combines all problems that prevent an inference into one error.
    static func combined(_ problems: [NSError]) -> NSError {
        guard problems.count > 1 else { return problems[0] }
        var info = problems[0].userInfo
        info[NSDetailedErrorsKey] = problems
        info[NSLocalizedDescriptionKey] = nil
        let reasons = problems.map(\.localizedDescription).joined(separator: "\n")
        return .coreData(problems[0].code, reason: reasons, userInfo: info)
    }

    /// The error about a row that the newer model does not allow.
    static func invalidRows(_ check: MigrationCheck, value: String, row: Int64?, url: URL) -> NSError {
        let problem = check.problem(value: value)
        var info: [String: Any] = [
            entityKey: check.entity, rowsKey: problem, NSLocalizedRecoverySuggestionErrorKey: check.help,
        ]
        info[rowKey] = row
        if let property = check.property { info[propertyKey] = property }
        let reason = "\(problem) \(check.help)" + (row.map { " (first row: \(check.table) \($0))" } ?? "")
        let underlying = NSError.coreData(NSMigrationError, reason: reason, userInfo: info)
        return .coreData(
            NSMigrationError, reason: "Cannot migrate store in-place: \(reason)", url: url, underlying: underlying,
            userInfo: info)
    }

    /// The error about rows of a table with the same values where the newer model requires different ones.
    static func duplicates(
        of index: SQLIndex, entity: String, rows: [Int64], url: URL, underlying: NSError? = nil
    ) -> NSError {
        let prefix = "Z_"
        // The constraint's own entity may be a subentity of the table's root. The index has its name.
        let name = index.name.range(of: "_UNIQUE_").map {
            String(index.name[index.name.index(index.name.startIndex, offsetBy: prefix.count)..<$0.lowerBound])
        }
        let list = rows.isEmpty ? "" : " (rows \(rows.map(String.init).joined(separator: ", ")))"
        let problem =
            "Several objects of “\(name ?? entity)” have the same values for the uniqueness constraint \(index.name) "
            + "(columns \(index.columns.map(\.name).joined(separator: ", ")) of \(index.table))\(list)."
        let help = "Remove the duplicates before the migration."
        var info: [String: Any] = [
            entityKey: name ?? entity, rowsKey: problem, NSLocalizedRecoverySuggestionErrorKey: help,
        ]
        info[rowKey] = rows.first
        return .coreData(
            NSMigrationConstraintViolationError, reason: "Cannot migrate store in-place: \(problem) \(help)", url: url,
            underlying: underlying, userInfo: info)
    }

    /// The error about the values of a row that are larger than the database's indexes take.
    static func tooLarge(
        for index: SQLIndex, entity: String, row: Int64?, url: URL, underlying: NSError? = nil
    ) -> NSError {
        let place = row.map { ", row \($0)," } ?? ""
        let problem =
            "An object of “\(entity)”\(place) has a value that is too large for the index \(index.name) "
            + "(columns \(index.columns.map(\.name).joined(separator: ", ")) of \(index.table))."
        let help = "Shorten the value before the migration, or leave the index out of the model."
        var info: [String: Any] = [
            entityKey: entity, rowsKey: problem, NSLocalizedRecoverySuggestionErrorKey: help,
        ]
        info[rowKey] = row
        return .coreData(
            NSMigrationError, reason: "Cannot migrate store in-place: \(problem) \(help)", url: url,
            underlying: underlying, userInfo: info)
    }

    /// The error about bytes that the migration must move into a row, but whose file is missing.
    static func missingFile(of place: MigrationPlace, row: Int64?, url: URL) -> NSError {
        let problem =
            "The file with the external data of “\(place.entity).\(place.property)”, row \(row.map(String.init) ?? "?"), is "
            + "missing."
        let help = "Restore the file, or empty the attribute with the older version of the program."
        var info: [String: Any] = [
            entityKey: place.entity, propertyKey: place.property, rowsKey: problem,
            NSLocalizedRecoverySuggestionErrorKey: help,
        ]
        info[rowKey] = row
        return .coreData(
            NSMigrationError, reason: "Cannot migrate store in-place: \(problem) \(help)", url: url, userInfo: info)
    }

    /// A sentence about the problem of a row.
    static let rowsKey = "problem"

    /// User-info key: the checksum of a version between that does not allow some rows. The version to reach has no such
    /// value.
    static let versionKey = "version"

    /// The error about rows that do not fit a version between. It names the version, and a remedy.
    static func onTheWay(_ error: NSError, through version: NSManagedObjectModel) -> NSError {
        let names = version.versionIdentifiers.map { "\($0.base)" }.sorted().joined(separator: ", ")
        let name = names.isEmpty ? "with the checksum \(version.versionChecksum)" : "“\(names)”"
        let choice =
            "The version \(name) requires this, through which the store is migrated. Correct the rows with an older version "
            + "of the program, or remove that version from the program’s resources: then values that only it has are "
            + "lost."
        var info = error.userInfo
        info[versionKey] = version.versionChecksum
        info[NSLocalizedRecoverySuggestionErrorKey] =
            [error.localizedRecoverySuggestion, choice].compactMap(\.self).joined(separator: " ")
        if let details = info[NSDetailedErrorsKey] as? [NSError] {
            info[NSDetailedErrorsKey] = details.map { onTheWay($0, through: version) }
        }
        info[NSLocalizedDescriptionKey] = nil
        let reason = info["reason"] as? String ?? error.localizedDescription
        return .coreData(error.code, reason: "\(reason) \(choice)", userInfo: info)
    }

    /// Whether an inferred migration failed because of rows that the newer model does not allow, not because of the
    /// models.
    static func isAboutRows(_ error: NSError) -> Bool { error.userInfo[rowsKey] != nil }

    /// The error if no model at hand has the version hashes of the store.
    static func missingSourceModel(metadata: [String: Any], url: URL) -> NSError {
        .coreData(
            NSMigrationMissingSourceModelError, reason: "Can't find model for source store", url: url,
            userInfo: ["metadata": metadata])
    }

    /// The error if a migration is wanted, but none may be inferred and no mapping model is at hand.
    static func missingMappingModel(metadata: [String: Any], url: URL) -> NSError {
        .coreData(
            NSMigrationMissingMappingModelError, reason: "Persistent store migration failed, missing mapping model.",
            url: url, userInfo: ["metadata": metadata])
    }

    /// The error of a cancelled migration, which leaves the store as it was.
    static func cancelled(url: URL) -> NSError {
        .coreData(NSMigrationCancelledError, reason: "The migration was cancelled. The store is unchanged.", url: url)
    }
}
