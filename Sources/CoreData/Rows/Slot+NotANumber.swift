import Foundation

extension Slot {
    /// The error of a NaN as the value of a Double, a Float or a date: SQLite stores NaN as NULL, and would return nil.
    package func notANumber(
        entity: String, of object: NSObject? = nil, expression: NSExpression? = nil
    ) -> NSError {
        let isDate = kind == .date
        let given = expression.map { "what \($0) gives for \(name)" } ?? name
        var info: [String: Any] = [NSValidationKeyErrorKey: name]
        // Foundation stops the process when it prints such a date.
        if !isDate { info[NSValidationValueErrorKey] = NSNumber(value: Double.nan) }
        info[NSValidationObjectErrorKey] = object
        return NSError.coreData(
            isDate ? NSValidationInvalidDateError : NSManagedObjectValidationError,
            reason: isDate
                ? "\(given) is no date (its time is NaN). (entity \(entity))"
                : "\(given) is not a number (NaN), and a \(kind == .float ? "Float" : "Double") cannot keep that. "
                    + "(entity \(entity))",
            userInfo: info)
    }

    /// The error of a value that a database cannot keep.
    package func refused(
        _ refusal: NSError?, entity: String, key: Int64, underlying: NSError? = nil
    ) -> NSError {
        NSError.coreData(
            refusal?.code ?? NSManagedObjectValidationError,
            reason: "\(entity).\(name) of the object p\(key): "
                + (refusal?.localizedFailureReason ?? "The database cannot keep the value."),
            underlying: underlying, userInfo: [NSValidationKeyErrorKey: name])
    }
}
