import Foundation

extension MigrationErrors {
    /// The error if rows have content that the program's version has no place for. Its code is the one that an older
    /// program gets if it finds no model of a newer store.
    ///
    /// - Parameters:
    ///   - allowed: The losses that the program has named already.
    ///   - unreadable: Mapping models that may give the values a place.
    ///   - isNewer: Whether the order of the two versions shows that the store's is the newer one.
    static func losing(
        _ losses: [MigrationLoss], allowed: Set<String>, url: URL, unreadable: [URL] = [], isNewer: Bool
    ) -> NSError {
        let line = line(allowing: allowed.union(losses.map(\.name)))
        let files = unreadable.map { "'\($0.path)'" }.joined(separator: ", ")
        let (version, remedy) =
            if isNewer {
                ("a newer version", "Open it with the version of the program that wrote it, or with a newer one.")
            } else if !unreadable.isEmpty {
                (
                    "another version",
                    "Replace the mapping model \(files): it cannot be read, and may have a place for the values."
                )
            } else {
                (
                    "another version",
                    """
                    It may be a newer version, which is not to lose them: then open it with the version of the program \
                    that wrote it, or with a newer one. Or it may be an older version that the program does not have: \
                    then keep its model among the resources, or pass it under NSMigrationKnownVersionsOption.
                    """
                )
            }
        let help = "\(remedy) To allow the loss of the values: \(line)"
        let details = losses.map { loss in
            var info: [String: Any] = [
                entityKey: loss.entity, lossKey: loss, NSLocalizedRecoverySuggestionErrorKey: help,
            ]
            if let property = loss.property { info[propertyKey] = property }
            return NSError.coreData(
                NSMigrationMissingSourceModelError, reason: "This version of the model has no place for \(loss).",
                url: url, userInfo: info)
        }
        var info = details[0].userInfo
        info[lossKey] = nil
        info[NSLocalizedDescriptionKey] = nil
        info[NSMigrationLossesErrorKey] = losses
        if details.count > 1 { info[NSDetailedErrorsKey] = details }
        let list = losses.map(\.description).joined(separator: ", ")
        return .coreData(
            NSMigrationMissingSourceModelError,
            reason:
                "The store “\(url.lastPathComponent)” is of \(version) of the model, and this one "
                + "has no place for what it holds: \(list). Nothing was changed. \(help)", url: url, userInfo: info)
    }

    /// The line of code that allows the loss of values.
    private static func line(allowing names: Set<String>) -> String {
        let list = names.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
        return "description.setOption([\(list)] as NSArray, forKey: NSMigrationAllowedLossesOption)"
    }

    /// The user-info key for the `MigrationLoss` of one of several such errors.
    private static let lossKey = "loss"
}
