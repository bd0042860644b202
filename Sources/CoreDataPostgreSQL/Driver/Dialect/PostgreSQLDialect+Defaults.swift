#if PostgreSQL
import CoreData
import Foundation

extension PostgreSQLDialect {
    /// The default value of an attribute as a column has it; nil where there is none that PostgreSQL can keep.
    func defaultValue(of attribute: NSAttributeDescription, in type: SQLColumnType) -> String? {
        guard !(attribute is NSDerivedAttributeDescription), let value = attribute.defaultValue else { return nil }
        let literal: String? =
            switch (attribute.attributeType, value) {
            case (.booleanAttributeType, let number as NSNumber): truth(number.boolValue)
            case (.integer16AttributeType, let number as NSNumber),
                (.integer32AttributeType, let number as NSNumber),
                (.integer64AttributeType, let number as NSNumber):
                "\(number.int64Value)"
            case (.decimalAttributeType, let number as NSDecimalNumber):
                number.decimalValue.isNaN ? nil : "\(number.decimalValue)"
            case (.doubleAttributeType, let number as NSNumber), (.floatAttributeType, let number as NSNumber):
                number.doubleValue.isFinite ? "\(number.doubleValue)" : nil
            case (.dateAttributeType, let date as Date): self.literal(of: date)
            case (.stringAttributeType, let text as String): self.literal(of: text)
            case (.URIAttributeType, let url as URL): self.literal(of: url.absoluteString)
            case (.UUIDAttributeType, let uuid as UUID): self.literal(.uuid(uuid))
            case (.binaryDataAttributeType, let data as Data): self.literal(.data(data))
            default: nil
            }
        return literal.map { "(\($0))::\(name(of: type).replacingOccurrences(of: " COLLATE \"C\"", with: ""))" }
    }

    private func literal(of text: String) -> String? {
        text.utf8.contains(0) ? nil : literal(.string(text))
    }

    /// A date to the microsecond.
    private func literal(of date: Date) -> String? {
        let microseconds = (date.timeIntervalSinceReferenceDate * 1_000_000).rounded()
        guard let whole = Int64(exactly: microseconds), abs(whole) < 200_000_000_000_000_000 else { return nil }
        return "timestamptz '2001-01-01 00:00:00+00' + \(whole) * interval '1 microsecond'"
    }
}
#endif
