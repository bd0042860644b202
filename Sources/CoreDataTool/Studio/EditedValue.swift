import CoreData
import Foundation

/// A value as it comes from the page, and what an attribute makes of it.
enum EditedValue: Decodable {
    case nothing
    case text(String)
    case truth(Bool)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .nothing
        } else if let truth = try? container.decode(Bool.self) {
            self = .truth(truth)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    /// Whether the page can edit values of an attribute: those that have a text.
    static func isEditable(_ attribute: NSAttributeDescription) -> Bool {
        if attribute is NSDerivedAttributeDescription || attribute.isTransient { return false }
        switch attribute.attributeType {
        case .binaryDataAttributeType, .transformableAttributeType, .objectIDAttributeType, .undefinedAttributeType,
            .compositeAttributeType:
            return false
        default: return true
        }
    }

    /// The value for an attribute.
    /// - Throws: 422 where the text is none of its type.
    func value(for attribute: NSAttributeDescription) throws -> Any? {
        switch self {
        case .nothing: return nil
        case .truth(let truth): return attribute.attributeType == .booleanAttributeType ? truth : nil
        case .text(let text):
            if attribute.attributeType == .stringAttributeType { return text }
            let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
            if let value = Self.value(trimmed, attribute.attributeType) { return value }
            let form = Self.form(of: attribute.attributeType)
            throw StudioFailure(422, "'\(trimmed)' is \(form)", key: attribute.name)
        }
    }

    private static func value(_ text: String, _ type: NSAttributeType) -> Any? {
        switch type {
        case .integer16AttributeType: return Int16(text)
        case .integer32AttributeType: return Int32(text)
        case .integer64AttributeType: return Int64(text)
        case .doubleAttributeType: return Double(text).flatMap { $0.isFinite ? $0 : nil }
        case .floatAttributeType: return Float(text).flatMap { $0.isFinite ? $0 : nil }
        case .decimalAttributeType:
            // NSDecimalNumber reads the beginning of a text, and leaves out the rest.
            guard text.wholeMatch(of: /[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?/) != nil else { return nil }
            let number = NSDecimalNumber(string: text, locale: Locale(identifier: "en_US_POSIX"))
            return number == .notANumber ? nil : number
        case .booleanAttributeType: return ["true": true, "false": false][text.lowercased()]
        case .dateAttributeType: return date(text)
        case .UUIDAttributeType: return UUID(uuidString: text)
        case .URIAttributeType: return text.isEmpty ? nil : URL(string: text)
        default: return nil
        }
    }

    private static func date(_ text: String) -> Date? {
        // Fractions of any length: the formatter takes three digits, and dates have six.
        if let match = text.wholeMatch(of: /(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d+)?(Z|[-+]\d{2}:?\d{2})/) {
            let formatter = ISO8601DateFormatter()
            guard let whole = formatter.date(from: "\(match.1)\(match.3)"), isKept(whole, text) else { return nil }
            return whole.addingTimeInterval(match.2.flatMap { Double("0\($0)") } ?? 0)
        }
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withFullDate]
        guard text.wholeMatch(of: /\d{4}-\d{2}-\d{2}/) != nil, let day = formatter.date(from: text) else { return nil }
        return isKept(day, text) ? day : nil
    }

    /// Whether the day of a text exists: formatters make the first of March of the 30th of February.
    private static func isKept(_ date: Date, _ text: String) -> Bool {
        guard let day = Int(text.dropFirst(8).prefix(2)), let month = Int(text.dropFirst(5).prefix(2)) else {
            return false
        }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        guard (1...12).contains(month),
            let first = calendar.date(from: DateComponents(year: Int(text.prefix(4)), month: month)),
            let days = calendar.range(of: .day, in: .month, for: first)
        else { return false }
        return days.contains(day)
    }

    private static func form(of type: NSAttributeType) -> String {
        switch type {
        case .integer16AttributeType: "no whole number from -32768 to 32767"
        case .integer32AttributeType: "no whole number from -2147483648 to 2147483647"
        case .integer64AttributeType: "no whole number of 64 bits"
        case .doubleAttributeType, .floatAttributeType, .decimalAttributeType: "no number"
        case .booleanAttributeType: "neither true nor false"
        case .dateAttributeType: "no date, such as 2024-02-29 or 2024-02-29T12:30:00Z"
        case .UUIDAttributeType: "no UUID"
        case .URIAttributeType: "no URI"
        default: "no value of this attribute"
        }
    }
}
